import type { TsSchemas } from '@app/api-client';
import type { Counted } from '../../../i18n/format.ts';

export type Invoice = TsSchemas['Invoice'];
/** An invoice as every list has it. */
export type ListedInvoice = TsSchemas['QueuedInvoice'];
type InvoiceState = Invoice['state'];
export type Signal = TsSchemas['MatchSignal'];
export type Reason = TsSchemas['InvoiceReason'];
export type Counts = Record<InvoiceState, number>;

export const lists = ['queue', 'review', 'all'] as const;
export type List = (typeof lists)[number];

/** States in which the invoice is on a ticket, whether or not the provider knows it yet. */
const linkedStates: readonly InvoiceState[] = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', 'done'];

export function isLinked({ state }: Pick<Invoice, 'state'>): boolean {
  return linkedStates.includes(state);
}

export const waitingStates: Record<'queue' | 'review', InvoiceState[]> = {
  queue: ['ticket_unmatched'],
  review: ['manual_review', 'error'],
};

/** The list that holds it. */
export function listOf({ state }: Pick<Invoice, 'state'>): List {
  return lists.find((list) => list !== 'all' && waitingStates[list].includes(state)) ?? 'all';
}

/** Whether a person may link it: its fields were read, it is on no ticket, and nobody concluded that it has none. */
export function mayLink({ ticket, amounts, state }: Pick<Invoice, 'ticket' | 'amounts' | 'state'>): boolean {
  return ticket === null && amounts !== null && state !== 'received' && state !== 'done';
}

/** What it comes to with VAT: a credit note less, whichever sign its document has. Null if it could not be read. */
export function signedTotal({ kind, amounts }: Pick<Invoice, 'kind' | 'amounts'>): number | null {
  if (amounts === null) return null;
  return kind === 'credit_note' ? 0 - Math.abs(amounts.ttc) : amounts.ttc;
}

/** Whether its review may be cleared: only a reason holds it back. */
export function mayClear({ state, ticket, amounts }: Pick<Invoice, 'ticket' | 'amounts' | 'state'>): boolean {
  return state === 'manual_review' && ticket === null && amounts !== null;
}

/** The API counts the invoices of a state up to this. */
const mostCounted = 10_000;

/** How many are in each list, from the counts of the states. */
export function countsOfLists({ ticket_unmatched, manual_review, error, ...others }: Counts): Record<List, Counted> {
  const review = [manual_review, error];
  return {
    queue: sumOf([ticket_unmatched]),
    review: sumOf(review),
    all: sumOf([ticket_unmatched, ...review, ...Object.values(others)]),
  };
}

function sumOf(counts: number[]): Counted {
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    isMore: counts.some((count) => count >= mostCounted),
  };
}

/** Flags of the match that speak against a link, worst first. Other flags are notes. */
const warningFlags = [
  ...['supplier_is_client', 'currency_differs', 'already_invoiced', 'over_tolerance', 'mixed_vat'],
  ...[
    'other_place',
    'several_tickets',
    'other_reference',
    'supplier_ambiguous',
    'credit_note',
    'replaced',
    'iban_invalid',
  ],
];
/** Flags that the signals of the suggestion show already. */
const quietFlags = ['no_goods_receipt', 'ticket_not_finished'];

export function warningsOf(flags: readonly string[]): string[] {
  return warningFlags.filter((flag) => flags.includes(flag));
}

/** The flags that a row of the list shows. */
export function rowFlags(flags: readonly string[]): string[] {
  return warningsOf(flags).slice(0, 2);
}

/** Flags that are shown as notes and prevent nothing. */
export function notesOf(flags: readonly string[]): string[] {
  return flags.filter((flag) => !warningFlags.includes(flag) && !quietFlags.includes(flag));
}

/**
 * Whether the invoice still is as the user saw it when they decided. Suggestions and history may
 * have changed, and so may what the provider has been told of a link: the platform does that in the
 * seconds after a link, and the decision does not depend on it.
 */
export function isAsSeen(seen: Invoice, now: Invoice): boolean {
  return decisiveFields(seen) === decisiveFields(now);
}

function decisiveFields(invoice: Invoice): string {
  const { state, ticket, view, reasons, amounts, supplier, number, conclusion } = invoice;
  const stage = isLinked(invoice) ? 'linked' : state;
  return JSON.stringify([
    stage,
    ticket,
    view,
    // Those of the queue are what matching says of the suggestions.
    state === 'ticket_unmatched' ? null : reasons,
    amounts?.ht,
    amounts?.ttc,
    supplier.accounts,
    supplier.siren,
    number,
    conclusion,
  ]);
}

/** Whether it is in the queue without a suggestion, and will be matched again by itself. */
export function waitsForMatching({ state, suggestions, rematchAt }: Invoice): boolean {
  return state === 'ticket_unmatched' && suggestions.length === 0 && rematchAt !== null;
}
