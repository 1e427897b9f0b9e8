import type { TsSchemas } from '@app/api-client';

export type Permission = TsSchemas['CurrentSession']['permissions'][number];

/** Whether the user has the permission; an administrator has all. */
export function may({ permissions }: { permissions: Permission[] }, permission: Permission | null): boolean {
  return permission === null || permissions.includes(permission) || permissions.includes('admin');
}

/** Where a ticket is shown: whoever may not work on tickets gets it to read. */
export function ticketArea(reader: { permissions: Permission[] }): '/tickets' | '/invoices/tickets' {
  return may(reader, 'tickets') ? '/tickets' : '/invoices/tickets';
}
