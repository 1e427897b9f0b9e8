import type { Invoice } from './invoice.ts';

type Conclusion = NonNullable<Invoice['conclusion']>;

export const conclusionOutcomes = [
  'no_ticket',
  'duplicate_of',
  'refused',
] as const satisfies readonly Conclusion['outcome'][];
export const refusalCodes = [
  'vat_rate',
  'amounts',
  'recipient',
  'contract_ended',
  'duplicate',
  'non_compliant',
] as const satisfies readonly Conclusion['code'][];

/** What a person decides about an invoice that goes on no ticket. */
export type Concluded =
  | { outcome: 'no_ticket'; reason: string }
  | { outcome: 'duplicate_of'; reason: string; invoiceId: string }
  | { outcome: 'refused'; reason: string; code: (typeof refusalCodes)[number] };

const concludable: readonly Invoice['state'][] = ['ticket_unmatched', 'manual_review', 'error'];

/** Whether it waits for a person without a ticket. */
export function mayConclude({ state, ticket }: Pick<Invoice, 'state' | 'ticket'>): boolean {
  return ticket === null && concludable.includes(state);
}
