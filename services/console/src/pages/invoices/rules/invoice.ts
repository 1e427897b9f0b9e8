import type { SecondSchemas } from '@app/api-client';

export type Invoice = SecondSchemas['Invoice'];
/** An invoice as every list has it. */
export type ListedInvoice = SecondSchemas['QueuedInvoice'];
export type InvoiceState = Invoice['state'];
export type Signal = SecondSchemas['MatchSignal'];
export type Reason = SecondSchemas['InvoiceReason'];
export type Counts = Record<InvoiceState, number>;

export const lists = ['queue', 'review', 'all'] as const;
export type List = (typeof lists)[number];

/** On a ticket, whatever is still told to the provider. */
const placed: readonly InvoiceState[] = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', 'done'];

export function isPlaced({ state }: Pick<Invoice, 'state'>): boolean {
  return placed.includes(state);
}

/** Whether a person may link it: it was read, and is on no ticket. */
export function mayLink({ ticket, amounts, state }: Pick<Invoice, 'ticket' | 'amounts' | 'state'>): boolean {
  return ticket === null && amounts !== null && state !== 'received';
}

/** Its review may be cleared: nothing else than a reason holds it back. */
export function mayClear({ state, ticket, amounts }: Pick<Invoice, 'ticket' | 'amounts' | 'state'>): boolean {
  return state === 'manual_review' && ticket === null && amounts !== null;
}

/** How many are in each list, from the counts of the states. */
export function countsOfLists(counts: Counts): Record<List, number> {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { queue: counts.ticket_unmatched, review: counts.manual_review + counts.error, all };
}

/** Flags of the match that speak against a link, worst first. Others are only told. */
const warningFlags = [
  ...['supplier_is_client', 'currency_differs', 'already_invoiced', 'over_tolerance', 'several_tickets'],
  ...['other_reference', 'supplier_ambiguous', 'credit_note', 'replaced', 'iban_invalid'],
];
/** Told with the signals of the suggestion already. */
const quietFlags = ['no_goods_receipt', 'ticket_not_finished'];

export function warningsOf(flags: readonly string[]): string[] {
  return warningFlags.filter((flag) => flags.includes(flag));
}

/** What a row of the list has room for. */
export function rowFlags(flags: readonly string[]): string[] {
  return warningsOf(flags).slice(0, 2);
}

/** Flags that are told but hold nothing back. */
export function notesOf(flags: readonly string[]): string[] {
  return flags.filter((flag) => !warningFlags.includes(flag) && !quietFlags.includes(flag));
}

/**
 * Whether the invoice is still what the user saw when they decided: an action on anything else would be a guess. Its suggestions and
 * history may be others.
 */
export function isAsSeen(seen: Invoice, now: Invoice): boolean {
  const facts = ({ state, ticket, view, reasons, amounts, supplier, number }: Invoice) =>
    JSON.stringify([state, ticket, view, reasons, amounts?.ht, amounts?.ttc, supplier.iban, supplier.siren, number]);
  return facts(seen) === facts(now);
}
