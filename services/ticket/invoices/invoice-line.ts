import { type InvoiceLineSnapshot, type NewEvent, ticketInvoiceAdded } from '@app/contracts';
import type { Ticket, View } from '../tickets/ticket.ts';
import { ticketRef } from '../tickets/ticket.ts';

type Line = NonNullable<InvoiceLineSnapshot['line']>;

/**
 * The line of an invoice at one version, by the id of the invoice: on one view of one ticket, or on none. `kept_at` is when
 * this version was saved and `former_ticket_id` where it was before; both are absent on lines stored by early versions.
 */
export type InvoiceLine = {
  _id: string;
  client_id: string;
  version: number;
  kept_at?: Date;
  former_ticket_id?: string | null;
} & (Line | { ticket_id: null; view_id: null });
export type SavedLine = InvoiceLine & { kept_at: Date };
export type LineOnTicket = Extract<InvoiceLine, Line>;

/** Copies named fields only, so that nothing a newer invoice service adds is stored unseen. */
export function invoiceLine({ invoice_id, client_id, version, line }: InvoiceLineSnapshot): InvoiceLine {
  const identity = { _id: invoice_id, client_id, version };
  if (line === null) return { ...identity, ticket_id: null, view_id: null };
  const { ticket_id, view_id, reference, price, added_at, supplier, amounts } = line;
  return {
    ...identity,
    ticket_id,
    view_id,
    reference,
    price,
    added_at,
    supplier: { name: supplier.name, siren: supplier.siren, siret: supplier.siret },
    amounts: { ht: amounts.ht, tva: amounts.tva, ttc: amounts.ttc },
  };
}

/** True if the invoice was put on this view since `before`, even if it was taken off and put back in between. */
function isNew(before: InvoiceLine | null, after: LineOnTicket): boolean {
  if (!before || before.ticket_id === null) return true;
  return before.view_id !== after.view_id || before.added_at !== after.added_at;
}

type LineTicket = Pick<Ticket, '_id' | 'number' | 'title' | 'client_id' | 'views'>;

/**
 * The event of a newer version of a line: only if it is new on its view, for the client and the view's company. The amount
 * is without VAT; `added_at` is when it was put there, by the clock of the invoice service.
 */
export function lineEvents(before: InvoiceLine | null, after: SavedLine, ticket: LineTicket | null): NewEvent[] {
  if (after.ticket_id === null || !ticket || !isNew(before, after)) return [];
  const company = viewOf(ticket, after.view_id)?.company_id ?? ticket.client_id;
  const audience = [...new Set([ticket.client_id, company])];
  const { _id: id, reference, amounts, added_at } = after;
  const payload = { ticket: ticketRef(ticket), invoice: { id, reference, amount: amounts.ht, added_at } };
  return [ticketInvoiceAdded({ audience, payload }, after.kept_at, ticket._id)];
}

export function viewOf(ticket: Pick<Ticket, 'views'>, viewId: string): View | undefined {
  return ticket.views.find(({ _id }) => _id === viewId);
}

/** An item of `invoices[]` of a ticket. An invoice has at most one line, which has its id. */
export function invoiceLineView({ _id, reference, price, supplier, amounts }: LineOnTicket) {
  return { _id, reference, price, invoice_id: _id, supplier, amounts };
}
