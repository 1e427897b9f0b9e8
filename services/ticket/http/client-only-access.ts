import type { Access } from '@app/http';

/** Access to the directory of contractors and to the referentials, which belong to client companies. */
export const clientsOnly = {
  permission: 'tickets',
  only: {
    kind: 'client',
    code: 'clients_only',
    message: 'this operation is for client companies; a contractor has no directory or referentials of its own',
  },
} as const satisfies Access;
