import type { Invoice } from './invoice.ts';

type Conclusion = NonNullable<Invoice['conclusion']>;

export const conclusionOutcomes = [
  'no_ticket',
  'duplicate_of',
  'refused',
] as const satisfies readonly Conclusion['outcome'][];
/** Of a refusal that the provider does not pass on; otherwise the API says which it takes. */
export const refusalCodes = [
  'vat_rate',
  'total',
  'arithmetic',
  'non_compliant',
  'duplicate',
  'recipient',
  'transaction_unknown',
  'issuer_unknown',
  'contract_ended',
  'billed_twice',
  'order',
  'address',
  'contract_reference',
] as const satisfies readonly Conclusion['code'][];

/** What a person decides about an invoice that goes on no ticket. */
export type Concluded =
  | { outcome: 'no_ticket'; reason: string }
  | { outcome: 'duplicate_of'; reason: string; invoiceId: string }
  | { outcome: 'refused'; reason: string; code: (typeof refusalCodes)[number] };

const concludable: readonly Invoice['state'][] = ['ticket_unmatched', 'manual_review', 'error'];

/** Whether the supplier is told of a refusal: then it is refused by telling it. */
export function isRefusalTold({ supplierStatus }: Pick<Invoice, 'supplierStatus'>): boolean {
  return supplierStatus.sendable.some(({ status }) => status === 'refused');
}

/** Whether it waits for a person without a ticket. */
export function mayConclude({ state, ticket }: Pick<Invoice, 'state' | 'ticket'>): boolean {
  return ticket === null && concludable.includes(state);
}
