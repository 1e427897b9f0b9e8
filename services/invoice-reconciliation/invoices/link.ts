import { AppError, readIban } from '@app/kernel';
import { vatKey } from '@app/matching';
import { type Told, takeBack, tellProvider } from './feedback.ts';
import { type Decision, type Invoice, placed, then, unchanged } from './invoice.ts';
import { lineChanged } from './line.ts';
import { mayMove, move, type Trigger } from './machine.ts';

/** A view of a ticket, and what linking to it needs to know. */
export type Place = Told & {
  view: { id: string; contractor_id: string | null };
  /** The claim on the ticket, from `placeClaim`. */
  claim: string;
};

const ticketClaim = /^t:/;

/**
 * The next place on a ticket among those who hold one. Of two invoices that find the same place free only one gets it, so
 * neither is matched without knowing of the other.
 * @param held the claims of the invoices that are on the ticket
 */
export function placeClaim(ticketId: string, held: readonly string[]): string {
  const mine = `t:${ticketId}:`;
  const numbers = held.filter((claim) => claim.startsWith(mine)).map((claim) => Number(claim.slice(mine.length)));
  return `${mine}${Math.max(0, ...numbers) + 1}`;
}

/**
 * An operator puts the invoice on a view (row 12). What made it wait is passed over knowingly, the contractor of the view
 * becomes its supplier where none was known, and the IBAN counts as confirmed. The same view again: nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function link(invoice: Invoice, place: Place, at: Date): Decision {
  if (isAt(invoice, place) && placed.includes(invoice.state)) return unchanged(invoice);
  const set = {
    ...onto(invoice, place, at),
    matched_by: 'operator' as const,
    supplier_id: invoice.supplier_id ?? place.view.contractor_id,
    confirmed_iban: readIban(invoice.canonical?.supplier.iban ?? ''),
    confirmed_vat: invoice.keys.siren === null ? vatKey(invoice.canonical?.supplier.vatNumber ?? null) : null,
    acknowledged: passedOver(invoice),
    reasons: [],
  };
  const linked = move(invoice, { trigger: 'link', at, reason: `linked to ${place.ticket.number}`, set });
  return then(withLine(linked, at), (one) => tellProvider(one, place, at));
}

/** The machine found the ticket (row 10; row 19 for one that waited): on it goes, and the provider is told. */
export function match(invoice: Invoice, found: Place & { reason: string; set: Partial<Invoice> }, at: Date): Decision {
  const set = { ...onto(invoice, found, at), matched_by: 'machine' as const, reasons: [], ...found.set };
  const trigger: Trigger = invoice.state === 'ticket_unmatched' ? 'rematch' : 'ticket_found';
  return withLine(move(invoice, { trigger, at, reason: found.reason, set }), at);
}

/**
 * An operator takes the invoice from its ticket (row 13): the line goes, the ticket is never its candidate again.
 * One that is in the queue already: nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function unlink(invoice: Invoice, rematchAt: Date, at: Date): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const refused = invoice.ticket_id === null ? [] : [invoice.ticket_id];
  const set: Partial<Invoice> = {
    ...nowhere,
    line_version: invoice.line_version + 1,
    claims: withoutPlace(invoice),
    refused_tickets: [...new Set([...invoice.refused_tickets, ...refused])].slice(-refusedLimit),
    reasons: [],
    rematch_at: rematchAt,
  };
  const free = withLine(move(invoice, { trigger: 'unlink', at, reason: 'unlinked by an operator', set }), at);
  return then(free, (one) => takeBack(one, at));
}

/**
 * An operator has looked at what made the invoice wait and passes it over (row 24): it enters the queue.
 * One that is there already: nothing changes.
 * @throws AppError conflict `invoice_state_forbidden`, also where it has a ticket: it is linked again, or unlinked
 */
export function clearReview(invoice: Invoice, rematchAt: Date, at: Date): Decision {
  if (invoice.state === 'ticket_unmatched') return unchanged(invoice);
  const set = { acknowledged: passedOver(invoice), reasons: [], rematch_at: rematchAt };
  return move(invoice, { trigger: 'clear', at, reason: 'cleared by an operator', set });
}

/** @throws AppError conflict `invoice_state_forbidden`: known before anything is asked of others */
export function refuseUnlinkable(invoice: Invoice): void {
  if (mayMove(invoice, 'link')) return;
  const message = `an invoice in state ${invoice.state} can't be linked`;
  const details = { from: invoice.state, operation: 'link' };
  throw new AppError('conflict', 'invoice_state_forbidden', message, { details });
}

const refusedLimit = 1_000;
const nowhere = {
  ticket_id: null,
  view_id: null,
  matched_by: null,
  line_added_at: null,
  confirmed_iban: null,
  confirmed_vat: null,
};

function isAt({ ticket_id, view_id }: Invoice, { ticket, view }: Place): boolean {
  return ticket_id === ticket.id && view_id === view.id;
}

function passedOver({ state, acknowledged, reasons }: Invoice): string[] {
  return state === 'manual_review' ? [...new Set([...acknowledged, ...reasons])] : acknowledged;
}

function withoutPlace({ claims }: Invoice): string[] {
  return claims.filter((claim) => !ticketClaim.test(claim));
}

function onto(invoice: Invoice, place: Place, at: Date) {
  const held = invoice.ticket_id === place.ticket.id ? invoice.claims.find((claim) => ticketClaim.test(claim)) : null;
  return {
    ticket_id: place.ticket.id,
    view_id: place.view.id,
    line_version: invoice.line_version + 1,
    line_added_at: isAt(invoice, place) ? invoice.line_added_at : at,
    claims: [...withoutPlace(invoice), held ?? place.claim],
    suggestions: [],
    rematch_at: null,
  };
}

function withLine({ invoice, events }: Decision, at: Date): Decision {
  return { invoice, events: [...events, lineChanged(invoice, at)] };
}
