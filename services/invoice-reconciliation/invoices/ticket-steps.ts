import type { MatchDecision } from '@app/matching';
import { compareTwins } from './identity.ts';
import { changed, type Decision, type Invoice, unchanged } from './invoice.ts';
import { match, type Place } from './link.ts';
import { move } from './machine.ts';
import { blockers, hasForeignIban, type Identified, ibanReview, supplierOf } from './steps.ts';

/**
 * What the matching says, and the place it chose; null with `doubts` where something else speaks against it.
 * `retryAt`: when it is looked at again, whatever happens.
 */
export type Matched = { outcome: MatchDecision; place: Place | null; doubts: string[]; retryAt: Date };

/** Rows 10 and 11. */
export function matched(invoice: Invoice, { outcome, place, doubts, retryAt }: Matched, at: Date): Decision {
  const flags = flagsOf(invoice.flags, [...outcome.flags, ...doubts], place);
  const chosen = { reason: wordsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (place) return match(invoice, { ...place, ...chosen }, at);
  const set = { flags, suggestions: outcome.suggestions, reasons: [wordsOf(outcome)], rematch_at: retryAt };
  return move(invoice, { trigger: 'ticket_missing', at, reason: wordsOf(outcome), set });
}

export type Rematched = Matched & Identified;

/**
 * Row 19: an invoice of the queue, looked at again. It is raised to a ticket, or its suggestions follow the facts. What
 * changed while it was on a ticket may speak against any place by now (rows 6 and 22).
 */
export function rematched(invoice: Invoice, { outcome, place, doubts, ...found }: Rematched, at: Date): Decision {
  const { supplier, ibans } = found;
  const known = { ...invoice, ...supplierOf(invoice, found) };
  const reasons = blockers(known, { numbers: found.numbers, ...compareTwins(known, found.twins) });
  if (reasons.length > 0) {
    const set = { reasons, rematch_at: null };
    return move(known, { trigger: 'rematch_block', at, reason: reasons.join(', '), set });
  }
  if (hasForeignIban(known, ibans)) return ibanReview(known, at);
  const before = invoice.flags.filter((flag) => !ofTheLook.includes(flag));
  const flags = flagsOf(before, [...supplier.flags, ...outcome.flags, ...doubts], place);
  const chosen = { reason: wordsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (place) return match(known, { ...place, ...chosen }, at);
  const set = { ...supplierOf(invoice, found), flags, suggestions: outcome.suggestions, reasons: [wordsOf(outcome)] };
  const isNews = (Object.keys(set) as (keyof typeof set)[]).some(
    (name) => JSON.stringify(set[name]) !== JSON.stringify(invoice[name]),
  );
  return isNews ? changed(invoice, set, at) : unchanged(invoice);
}

/** What one look says and the next may not say any more. */
const ofTheLook = [
  ...['over_tolerance', 'no_goods_receipt', 'ticket_not_finished', 'currency_differs', 'already_invoiced'],
  ...['several_tickets', 'other_reference', 'supplier_ambiguous', 'iban_changed'],
];

/** A ticket that was found has decided which of several contractors it is. */
function flagsOf(before: readonly string[], added: readonly string[], place: Place | null): string[] {
  const all = [...new Set([...before, ...added])];
  return place ? all.filter((flag) => flag !== 'supplier_ambiguous') : all;
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
