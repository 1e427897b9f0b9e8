import type { Invoice } from './invoice.ts';

export type Sendable = Invoice['supplierStatus']['sendable'][number];
type ToldStatus = Invoice['supplierStatus']['told'][number];
export type StatusDetails = Pick<ToldStatus, 'reason' | 'note' | 'amount' | 'date' | 'action'>;
/** What `POST /invoices/:id/status` takes. */
export type Told = StatusDetails & { status: Sendable['status'] };

export const requestedActions = [
  'none',
  'information',
  'new_invoice',
  'full_credit',
  'partial_credit',
  'other',
] as const satisfies readonly NonNullable<ToldStatus['action']>[];

/** The status with the fields that it has; null if it needs one that is missing. */
export function toldOf({ status, needs, takes }: Sendable, { note, ...given }: StatusDetails): Told | null {
  const details: StatusDetails = { ...given, note: note?.trim() || null };
  const names = Object.keys(details) as (keyof StatusDetails)[];
  if (needs.some((field) => details[field] === null)) return null;
  const own = names.filter((field) => needs.includes(field) || takes.includes(field));
  const nothing = { reason: null, note: null, amount: null, date: null, action: null };
  return { status, ...nothing, ...Object.fromEntries(own.map((field) => [field, details[field]])) };
}

/** Whether the supplier was told just that last, or is being told. */
export function isTold({ supplierStatus: { told } }: Invoice, { status, ...details }: Told): boolean {
  const last = told.findLast(({ result }) => result !== 'failed');
  if (last?.status !== status) return false;
  return (Object.keys(details) as (keyof StatusDetails)[]).every((field) => last[field] === details[field]);
}
