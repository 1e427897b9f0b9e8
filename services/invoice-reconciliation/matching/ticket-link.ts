import { AppError, readIban } from '@app/kernel';
import { vatKey } from '@app/matching';
import { requestFeedback, requestReversal } from '../feedback/feedback.ts';
import { type Decision, type Invoice, placed, then, unchanged, withReason } from '../invoices/invoice.ts';
import { lineChanged } from '../invoices/invoice-line.ts';
import { mayMove, move, type Trigger } from '../invoices/state-machine.ts';
import { isTicketSlot, type TicketTarget } from './ticket-target.ts';

/**
 * An operator links the invoice to a view. Its review reasons are overridden, an unknown supplier becomes the contractor of
 * the view, and IBAN and VAT number count as confirmed. Linking to the same view again changes nothing.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function link(invoice: Invoice, target: TicketTarget, at: Date): Decision {
  if (isAt(invoice, target) && placed.includes(invoice.state)) return unchanged(invoice);
  const set = {
    ...linkFields(invoice, target, at),
    matched_by: 'operator' as const,
    supplier_id: invoice.supplier_id ?? target.view.contractor_id,
    confirmed_iban: readIban(invoice.canonical?.supplier.iban ?? ''),
    confirmed_vat: invoice.keys.siren === null ? vatKey(invoice.canonical?.supplier.vatNumber ?? null) : null,
    acknowledged: overriddenReasons(invoice),
    reasons: [],
  };
  const linked = move(invoice, { trigger: 'link', at, reason: `linked to ${target.ticket.number}`, set });
  return then(withLineEvent(linked, at), (one) => requestFeedback(one, target, at));
}

/** Matching found the ticket of the invoice. */
export function match(
  invoice: Invoice,
  found: TicketTarget & { reason: string; set: Partial<Invoice> },
  at: Date,
): Decision {
  const set = { ...linkFields(invoice, found, at), matched_by: 'machine' as const, reasons: [], ...found.set };
  const trigger: Trigger = invoice.state === 'ticket_unmatched' ? 'rematch' : 'ticket_found';
  return withLineEvent(move(invoice, { trigger, at, reason: found.reason, set }), at);
}

/**
 * An operator takes the invoice from its ticket, which is never matched with it again. For an invoice that is in the queue
 * already nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function unlink(invoice: Invoice, rematchAt: Date, at: Date): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const refused = invoice.ticket_id === null ? [] : [invoice.ticket_id];
  const set: Partial<Invoice> = {
    ...notLinked,
    line_version: invoice.line_version + 1,
    claims: claimsWithoutSlot(invoice),
    refused_tickets: [...new Set([...invoice.refused_tickets, ...refused])].slice(-maxRefused),
    reasons: [],
    rematch_at: rematchAt,
  };
  const moved = withLineEvent(move(invoice, { trigger: 'unlink', at, reason: 'unlinked by an operator', set }), at);
  return then(moved, (one) => requestReversal(one, at));
}

/**
 * An operator overrides the review reasons, and the invoice enters the queue. If it is there already nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`, also for a linked invoice: it is linked again, or unlinked
 */
export function clearReview(invoice: Invoice, rematchAt: Date, at: Date): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const set = { acknowledged: overriddenReasons(invoice), reasons: [], rematch_at: rematchAt };
  return move(invoice, { trigger: 'clear', at, reason: 'cleared by an operator', set });
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

const maxRefused = 1_000;
const notLinked = {
  ticket_id: null,
  view_id: null,
  matched_by: null,
  line_added_at: null,
  confirmed_iban: null,
  confirmed_vat: null,
};

function isAt({ ticket_id, view_id }: Invoice, { ticket, view }: TicketTarget): boolean {
  return ticket_id === ticket.id && view_id === view.id;
}

function overriddenReasons({ state, acknowledged, reasons }: Invoice): string[] {
  return state === 'manual_review' ? [...new Set([...acknowledged, ...reasons])] : acknowledged;
}

function claimsWithoutSlot({ claims }: Invoice): string[] {
  return claims.filter((claim) => !isTicketSlot(claim));
}

/** An invoice that moves within its ticket keeps its slot. */
function linkFields(invoice: Invoice, target: TicketTarget, at: Date) {
  const slot = invoice.ticket_id === target.ticket.id ? invoice.claims.find(isTicketSlot) : undefined;
  return {
    ticket_id: target.ticket.id,
    view_id: target.view.id,
    line_version: invoice.line_version + 1,
    line_added_at: isAt(invoice, target) ? invoice.line_added_at : at,
    claims: [...claimsWithoutSlot(invoice), slot ?? target.claim],
    suggestions: [],
    rematch_at: null,
  };
}

function withLineEvent({ invoice, events }: Decision, at: Date): Decision {
  return { invoice, events: [...events, lineChanged(invoice, at)] };
}
