import type { MatchDecision, Signal } from '@app/matching';
import { compareDuplicates } from '../invoices/duplicates.ts';
import {
  chainDecisions,
  changed,
  type Decision,
  type Invoice,
  type InvoiceFlag,
  unchanged,
  withFlags,
} from '../invoices/invoice.ts';
import { move } from '../invoices/state-machine.ts';
import { hasNewAccount, type Identified, reviewAccount, reviewReasons, supplierFields } from './supplier-rules.ts';
import { match } from './ticket-link.ts';
import type { TicketTarget } from './ticket-target.ts';

/**
 * The outcome of matching, and the target that it chose; null if it chose none or if `doubts` forbid it. `retryAt`: when an
 * invoice without target is matched again.
 */
export type TicketMatch = { outcome: MatchDecision; target: TicketTarget | null; doubts: InvoiceFlag[]; retryAt: Date };

/** The ticket step: the invoice is linked to its ticket or enters the queue. */
export function matched(invoice: Invoice, { outcome, target, doubts, retryAt }: TicketMatch, at: Date): Decision {
  if (isAccountDoubted(invoice, doubts)) return reviewAccount(invoice, at);
  const flags = flagsOf(invoice.flags, [...outcome.flags, ...doubts], target);
  const reason = describe(outcome);
  const chosen = { reason, signals: signalsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (target) return match(invoice, { ...target, ...chosen }, at);
  const set = { flags, suggestions: outcome.suggestions, reasons: [reason], rematch_at: retryAt };
  return move(invoice, { trigger: 'ticket_missing', at, reason, set });
}

/**
 * A further match of an invoice of the queue: it is linked to a ticket, needs a person (it may have changed since the first
 * match), or gets other suggestions.
 */
export function rematched(
  invoice: Invoice,
  { outcome, target, doubts, ...found }: TicketMatch & Identified,
  at: Date,
): Decision {
  const { supplier, accounts } = found;
  const known = { ...invoice, ...supplierFields(invoice, found) };
  const reasons = reviewReasons(known, { numbers: found.numbers, ...compareDuplicates(known, found.duplicates) });
  if (reasons.length > 0) {
    const set = { reasons, rematch_at: null };
    return move(known, { trigger: 'rematch_block', at, reason: reasons.join(', '), set });
  }
  const isNewOfKnown = known.supplier_id !== null && hasNewAccount(known, accounts);
  if (isNewOfKnown || isAccountDoubted(known, doubts)) return reviewAccount(known, at);
  const before = invoice.flags.filter((flag) => !matchFlags.includes(flag));
  const flags = flagsOf(before, [...supplier.flags, ...outcome.flags, ...doubts], target);
  const reason = describe(outcome);
  const chosen = { reason, signals: signalsOf(outcome), set: { flags, supplier_id: outcome.contractorId } };
  if (target) return match(known, { ...target, ...chosen }, at);
  const set = { ...supplierFields(invoice, found), flags, suggestions: outcome.suggestions, reasons: [reason] };
  const isChanged = (Object.keys(set) as (keyof typeof set)[]).some(
    (name) => JSON.stringify(set[name]) !== JSON.stringify(invoice[name]),
  );
  return isChanged ? changed(invoice, set, at) : unchanged(invoice);
}

/** An account of a known supplier waits for review; of one that only the ticket decides it is a flag. */
function isAccountDoubted({ supplier_id }: Invoice, doubts: readonly InvoiceFlag[]): boolean {
  return supplier_id !== null && doubts.includes('iban_changed');
}

/**
 * An invoice that a person has just taken from its ticket shows at once what it may belong to. Matching it again, a little later,
 * decides the rest.
 */
export function withSuggestions(taken: Decision, { outcome }: Pick<TicketMatch, 'outcome'>, at: Date): Decision {
  const set = { suggestions: outcome.suggestions, reasons: [describe(outcome)] };
  return chainDecisions(taken, (invoice) => changed(invoice, set, at));
}

/** Flags of a match, which the next match replaces. */
const matchFlags: readonly InvoiceFlag[] = [
  'over_tolerance',
  'no_goods_receipt',
  'ticket_not_finished',
  'currency_differs',
  'already_invoiced',
  ...([
    'several_tickets',
    'other_reference',
    'other_place',
    'mixed_vat',
    'supplier_ambiguous',
    'iban_changed',
  ] as const),
];

/** A ticket that was found decides between several contractors. */
function flagsOf(
  before: readonly InvoiceFlag[],
  added: readonly InvoiceFlag[],
  target: TicketTarget | null,
): InvoiceFlag[] {
  const all = withFlags(before, ...added);
  return target ? all.filter((flag) => flag !== 'supplier_ambiguous') : all;
}

function signalsOf({ suggestions, ticketId }: MatchDecision): Signal[] {
  return suggestions.find((one) => one.ticketId === ticketId)?.signals ?? [];
}

/** The outcome in words, for the history and the queue. */
function describe({ decision, score, suggestions }: MatchDecision): string {
  const [best] = suggestions;
  if (decision === 'auto' && best) return `score ${score}: ${best.reasons.join(', ')}`.slice(0, 500);
  if (!best) return 'no ticket comes near enough';
  return suggestions.length === 1
    ? `one ticket, score ${best.score}`
    : `${suggestions.length} tickets, best score ${best.score}`;
}
