import { type InvoiceLineSnapshot, type NewEvent, ticketInvoiceAdded } from '@app/contracts';
import { ticketRef } from '../tickets/decision.ts';
import type { Ticket, View } from '../tickets/ticket.ts';

type Line = NonNullable<InvoiceLineSnapshot['line']>;

/**
 * Where an invoice stands on tickets, by its id, at one version: on one view, or nowhere (any more). When it was kept, and
 * on which ticket it was before, are absent on lines of before that was kept.
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

/** Named fields only, so that what a newer owner adds never lands here unseen. */
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

/** True where the invoice was put on this view since `before`; it may have been taken away and put back unseen. */
function isNew(before: InvoiceLine | null, after: LineOnTicket): boolean {
  if (!before || before.ticket_id === null) return true;
  return before.view_id !== after.view_id || before.added_at !== after.added_at;
}

type Told = Pick<Ticket, '_id' | 'number' | 'title' | 'client_id' | 'views'>;

/**
 * What the companies hear of a newer version of a line: of one that is new on a view, its client and the view's company
 * (design section 10). Amounts are without VAT; `added_at` is when it was put there, by the clock of who did.
 */
export function lineEvents(before: InvoiceLine | null, after: SavedLine, ticket: Told | null): NewEvent[] {
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

/** As `invoices[]` of a ticket shows it (design section 10). An invoice has one line at most, which has its id. */
export function invoiceLineView({ _id, reference, price, supplier, amounts }: LineOnTicket) {
  return { _id, reference, price, invoice_id: _id, supplier, amounts };
}
