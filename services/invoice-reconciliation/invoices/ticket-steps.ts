import type { MatchDecision } from '@app/matching';
import { changed, type Decision, type Invoice, unchanged } from './invoice.ts';
import { match, type Place } from './link.ts';
import { move } from './machine.ts';
import { hasForeignIban, type Identified, ibanReview, supplierOf } from './steps.ts';

/**
 * What the matching says, and the place it chose; null with `doubts` where something else speaks against it.
 * `retryAt`: when it is looked at again, whatever happens.
 */
export type Matched = { outcome: MatchDecision; place: Place | null; doubts: string[]; retryAt: Date };

/** Rows 10 and 11. */
export function matched(invoice: Invoice, { outcome, place, doubts, retryAt }: Matched, at: Date): Decision {
  const flags = [...new Set([...invoice.flags, ...outcome.flags, ...doubts])];
  const chosen = { reason: wordsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (place) return match(invoice, { ...place, ...chosen }, at);
  const set = { flags, suggestions: outcome.suggestions, reasons: [wordsOf(outcome)], rematch_at: retryAt };
  return move(invoice, { trigger: 'ticket_missing', at, reason: wordsOf(outcome), set });
}

export type Rematched = Matched & Omit<Identified, 'twins'>;

/** Row 19: an invoice of the queue, looked at again. It is raised to a ticket, or its suggestions follow the facts. */
export function rematched(invoice: Invoice, { outcome, place, doubts, ...found }: Rematched, at: Date): Decision {
  const { supplier, ibans } = found;
  const known = { ...invoice, ...supplierOf(invoice, found) };
  if (hasForeignIban(known, ibans)) return ibanReview(known, at);
  const flags = [
    ...new Set([...invoice.flags.filter((flag) => !isOfTicket(flag)), ...supplier.flags, ...outcome.flags, ...doubts]),
  ];
  const chosen = { reason: wordsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (place) return match(known, { ...place, ...chosen }, at);
  const set = { ...supplierOf(invoice, found), flags, suggestions: outcome.suggestions, reasons: [wordsOf(outcome)] };
  const isNews = (Object.keys(set) as (keyof typeof set)[]).some(
    (name) => JSON.stringify(set[name]) !== JSON.stringify(invoice[name]),
  );
  return isNews ? changed(invoice, set, at) : unchanged(invoice);
}

const ticketFlags = [
  'over_tolerance',
  'no_goods_receipt',
  'ticket_not_finished',
  'currency_differs',
  'already_invoiced',
];
const openFlags = ['several_tickets', 'other_reference', 'supplier_ambiguous', 'siren_checksum'];

function isOfTicket(flag: string): boolean {
  return ticketFlags.includes(flag) || openFlags.includes(flag);
}

/** The outcome in words for the history and the queue. */
function wordsOf({ decision, score, suggestions }: MatchDecision): string {
  const [best] = suggestions;
  if (decision === 'auto' && best) return `score ${score}: ${best.reasons.join(', ')}`.slice(0, 500);
  if (!best) return 'no ticket comes near enough';
  return suggestions.length === 1
    ? `one ticket, score ${best.score}`
    : `${suggestions.length} tickets, best score ${best.score}`;
}
