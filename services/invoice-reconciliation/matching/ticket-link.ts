import { AppError } from '@app/kernel';
import { type Signal, vatKey } from '@app/matching';
import { requestFeedback, requestReversal } from '../feedback/feedback.ts';
import {
  type Actor,
  accountSeparator,
  type BeforeLink,
  chainDecisions,
  type Decision,
  type Invoice,
  type LineMove,
  linkedStates,
  unchanged,
  withReason,
} from '../invoices/invoice.ts';
import { lineChanged } from '../invoices/invoice-line.ts';
import { mayMove, move, type Trigger } from '../invoices/state-machine.ts';
import { isLinkClaim, isTicketSlot, type TicketTarget } from './ticket-target.ts';

/**
 * An operator links the invoice to a view. Its review reasons are overridden, an unknown supplier becomes the contractor of
 * the view, and the VAT number counts as confirmed. Linking to the same view again changes nothing.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function link(invoice: Invoice, target: TicketTarget, { at, by, reason: why }: LinkAct): Decision {
  if (isAt(invoice, target) && linkedStates.includes(invoice.state)) return unchanged(invoice);
  const set = {
    ...linkFields(invoice, target, { at, by: by.id }),
    matched_by: 'operator' as const,
    supplier_id: invoice.supplier_id ?? target.view.contractor_id,
    confirmed_vat: invoice.keys.siren === null ? vatKey(invoice.canonical?.supplier.vatNumber ?? null) : null,
    acknowledged: overriddenReasons(invoice),
    reasons: [],
    before_link: beforeLink(invoice, target),
  };
  const reason = `linked to ${target.ticket.number}${why === undefined ? '' : `, because: ${why}`}`;
  const linked = move(invoice, { trigger: 'link', at, by, reason, set });
  return chainDecisions(withLineEvent(linked, at), (one) => requestFeedback(one, target, at));
}

/** Matching found the ticket of the invoice. */
export function match(
  invoice: Invoice,
  found: TicketTarget & { reason: string; signals: Signal[]; set: Partial<Invoice> },
  at: Date,
): Decision {
  const set = {
    ...linkFields(invoice, found, { at, by: null }),
    matched_by: 'machine' as const,
    reasons: [],
    ...found.set,
  };
  const trigger: Trigger = invoice.state === 'ticket_unmatched' ? 'rematch' : 'ticket_found';
  const { reason, signals } = found;
  return withLineEvent(move(invoice, { trigger, at, reason, signals, set }), at);
}

/**
 * An operator takes the invoice from its ticket, which is never matched with it again. For an invoice that is in the queue
 * already nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function unlink(invoice: Invoice, rematchAt: Date, { at, by }: Act): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const refused = withTicket(invoice.refused_tickets, invoice);
  const set = {
    ...unlinkedFields(invoice, { at, by: by.id }),
    refused_tickets: refused,
    reasons: [],
    rematch_at: rematchAt,
  };
  const reason = 'unlinked by an operator';
  const moved = withLineEvent(move(invoice, { trigger: 'unlink', at, by, reason, set }), at);
  return chainDecisions(moved, (one) => requestReversal(one, at));
}

/**
 * An operator takes back a link. The ticket stays a candidate, but matching never links the invoice to it by itself. If the
 * link was made by hand, the invoice is where it was before: a reason for review that the link overrode holds it back again.
 * For an invoice whose link is undone already nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function undoLink(invoice: Invoice, rematchAt: Date, { at, by }: Act): Decision {
  if (invoice.state === 'ticket_unmatched' || isUndone(invoice)) return unchanged(invoice);
  const { before_link: before, ticket_id, state } = invoice;
  const prior = before?.ticket_id === ticket_id && linkedStates.includes(state) ? before : null;
  const toReview = prior?.state === 'manual_review';
  const { suggestions = [], reasons = [], acknowledged = invoice.acknowledged } = prior ?? {};
  const set = {
    ...unlinkedFields(invoice, { at, by: by.id }),
    suggestions,
    reasons,
    acknowledged,
    supplier_id: prior ? prior.supplier_id : invoice.supplier_id,
    undone_tickets: withTicket(invoice.undone_tickets ?? [], invoice),
    rematch_at: toReview ? null : rematchAt,
  };
  const trigger = toReview ? 'undo_to_review' : 'unlink';
  const moved = withLineEvent(move(invoice, { trigger, at, by, reason: undone, set }), at);
  return chainDecisions(moved, (one) => requestReversal(one, at));
}

/**
 * An operator overrides the review reasons, and the invoice enters the queue. If it is there already nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`, also for a linked invoice: it is linked again, or unlinked
 */
export function clearReview(invoice: Invoice, rematchAt: Date, { at, by }: Act): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const set = { acknowledged: overriddenReasons(invoice), reasons: [], rematch_at: rematchAt };
  return move(invoice, { trigger: 'clear', at, by, reason: 'cleared by an operator', set });
}

/** The ticket was removed or canceled: a person must decide where the invoice belongs. */
export function ticketGone(invoice: Invoice, ticketId: string, at: Date): Decision {
  if (invoice.ticket_id !== ticketId || !mayMove(invoice, 'ticket_gone')) return unchanged(invoice);
  const set = { reasons: withReason(invoice, 'ticket_gone') };
  return move(invoice, { trigger: 'ticket_gone', at, reason: 'its ticket was removed or canceled', set });
}

/** @throws AppError conflict `invoice_state_forbidden` if the invoice cannot be linked in its state */
export function assertLinkable(invoice: Invoice): void {
  if (mayMove(invoice, 'link')) return;
  const message = `an invoice in state ${invoice.state} can't be linked`;
  const details = { from: invoice.state, operation: 'link' };
  throw new AppError('conflict', 'invoice_state_forbidden', message, { details });
}

/** When an operator acts, and who it is. */
type Act = { at: Date; by: Actor };
/** `reason`: why the person links it although something speaks against that. */
type LinkAct = Act & { reason?: string | undefined };

const undone = 'link undone by an operator';
const maxRefused = 1_000;
const maxFormer = 20;
const notLinked = {
  ticket_id: null,
  view_id: null,
  matched_by: null,
  line_added_at: null,
  confirmed_accounts: null,
  confirmed_vat: null,
  before_link: null,
};

function isAt({ ticket_id, view_id }: Invoice, { ticket, view }: TicketTarget): boolean {
  return ticket_id === ticket.id && view_id === view.id;
}

function isUndone({ state, ticket_id, history }: Invoice): boolean {
  return state === 'manual_review' && ticket_id === null && history.at(-1)?.reason === undone;
}

/** If the link replaced another link, undoing it leads to the queue, not to the former ticket. */
function beforeLink(invoice: Invoice, { ticket }: TicketTarget): BeforeLink | null {
  const { state, suggestions, reasons, acknowledged, supplier_id } = invoice;
  if (invoice.ticket_id === ticket.id) return invoice.before_link ?? null;
  if (invoice.ticket_id !== null || (state !== 'ticket_unmatched' && state !== 'manual_review')) return null;
  return { ticket_id: ticket.id, state, suggestions, reasons, acknowledged, supplier_id };
}

function unlinkedFields(invoice: Invoice, line_moved: LineMove): Partial<Invoice> {
  return {
    ...notLinked,
    line_moved,
    line_version: invoice.line_version + 1,
    claims: claimsOfContent(invoice),
    ...left(invoice),
  };
}

function left({ ticket_id, former_tickets = [] }: Invoice): Pick<Invoice, 'former_tickets'> {
  if (ticket_id === null) return {};
  return { former_tickets: [...former_tickets.filter((one) => one !== ticket_id), ticket_id].slice(-maxFormer) };
}

function withTicket(tickets: readonly string[], { ticket_id }: Invoice): string[] {
  return [...new Set([...tickets, ...(ticket_id === null ? [] : [ticket_id])])].slice(-maxRefused);
}

function overriddenReasons({ state, acknowledged, reasons }: Invoice): string[] {
  return state === 'manual_review' ? [...new Set([...acknowledged, ...reasons])] : acknowledged;
}

function claimsOfContent({ claims }: Invoice): string[] {
  return claims.filter((claim) => !isLinkClaim(claim));
}

/** An invoice that moves within its ticket keeps its slot. Its accounts count as confirmed: matching links none with a doubtful one. */
function linkFields(invoice: Invoice, target: TicketTarget, moved: LineMove) {
  const slot = invoice.ticket_id === target.ticket.id ? invoice.claims.find(isTicketSlot) : undefined;
  return {
    ticket_id: target.ticket.id,
    view_id: target.view.id,
    ...(invoice.ticket_id === target.ticket.id ? {} : left(invoice)),
    line_version: invoice.line_version + 1,
    ...(isAt(invoice, target) ? {} : { line_added_at: moved.at, line_moved: moved }),
    claims: [...claimsOfContent(invoice), slot ?? target.claim, ...target.accountClaims],
    suggestions: [],
    rematch_at: null,
    confirmed_accounts: invoice.canonical?.supplier.accounts.join(accountSeparator) || null,
  };
}

function withLineEvent({ invoice, events }: Decision, at: Date): Decision {
  return { invoice, events: [...events, lineChanged(invoice, at)] };
}
