import { type InvoiceLineSnapshot, type NewEvent, ticketInvoiceAdded } from '@app/contracts';
import type { Ticket, View } from '../tickets/ticket.ts';
import { ticketRef } from '../tickets/ticket.ts';

type Line = NonNullable<InvoiceLineSnapshot['line']>;

/** That the line came to a view of a ticket or left it; `by` is a user of the client, null if nobody did it by hand. */
type LineEntry = {
  operation: 'add_invoice' | 'remove_invoice';
  at: Date;
  by: string | null;
  ticket_id: string;
  view_id: string;
  reference: string;
};

/**
 * The line of an invoice at one version, by the id of the invoice: on one view of one ticket, or on none. `kept_at` is when
 * this version was saved, `former_ticket_id` where it was before, and `log` where it ever was; the store sets them.
 */
export type InvoiceLine = {
  _id: string;
  client_id: string;
  version: number;
  kept_at?: Date;
  former_ticket_id?: string | null;
  log?: LineEntry[];
} & (Line | { ticket_id: null; view_id: null });
export type SavedLine = InvoiceLine & { kept_at: Date };
export type LineOnTicket = Extract<InvoiceLine, Line>;

/** Copies named fields only, so that nothing a newer invoice service adds is stored unseen. */
export function invoiceLine({ invoice_id, client_id, version, line }: InvoiceLineSnapshot): InvoiceLine {
  const identity = { _id: invoice_id, client_id, version };
  if (line === null) return { ...identity, ticket_id: null, view_id: null };
  const { ticket_id, view_id, reference, price, added_at, supplier, amounts, supplier_status: told, counted } = line;
  return {
    ...identity,
    ticket_id,
    view_id,
    reference,
    price,
    added_at,
    supplier: { name: supplier.name, siren: supplier.siren, siret: supplier.siret },
    amounts: { ht: amounts.ht, tva: amounts.tva, ttc: amounts.ttc },
    ...(counted ? { counted } : {}),
    supplier_status: told && { status: told.status, reason: told.reason, note: told.note, at: told.at },
  };
}

/** True if the invoice was put on this view since `before`, even if it was taken off and put back in between. */
function isNew(before: InvoiceLine | null, after: LineOnTicket): boolean {
  if (!before || before.ticket_id === null) return true;
  return before.view_id !== after.view_id || before.added_at !== after.added_at;
}

/** The oldest entries of a line are dropped. */
const maxEntries = 100;

/** What became of the line on all its tickets, oldest first, as its next version knows it. */
export function logOf(before: InvoiceLine | null, after: SavedLine, { moved_at, moved_by }: Moved): LineEntry[] {
  const known = [...(before?.log ?? [])];
  if (before && before.ticket_id !== null && (after.ticket_id === null || isNew(before, after))) {
    const since = new Date(before.added_at);
    const told = new Date(moved_at);
    // On the same ticket, the line leaves one view just before it comes to the other. A `moved_at`
    // that is not later than `added_at` belongs to an earlier move.
    const at =
      after.ticket_id !== null ? new Date(Date.parse(after.added_at) - 1) : told > since ? told : after.kept_at;
    known.push(entryOf(before, { operation: 'remove_invoice', at, by: told > since ? moved_by : null }));
  }
  if (after.ticket_id !== null && isNew(before, after)) {
    const by = moved_at === after.added_at ? moved_by : null;
    known.push(entryOf(after, { operation: 'add_invoice', at: new Date(after.added_at), by }));
  }
  return known.slice(-maxEntries);
}

type Moved = Pick<InvoiceLineSnapshot, 'moved_at' | 'moved_by'>;

function entryOf({ ticket_id, view_id, reference }: LineOnTicket, done: Pick<LineEntry, 'operation' | 'at' | 'by'>) {
  return { ...done, ticket_id, view_id, reference };
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

/**
 * An item of `invoices[]` of a ticket. An invoice has at most one line, which has its id. What its supplier was told is hidden from a
 * contractor with another SIREN: a person may have put the invoice on that contractor's view.
 */
export function invoiceLineResponse(line: LineOnTicket, contractor?: { siren: string | null }) {
  const { _id, reference, price, supplier, amounts, supplier_status } = line;
  const ofAnother = contractor?.siren && supplier.siren && contractor.siren !== supplier.siren;
  const told = ofAnother ? null : (supplier_status ?? null);
  return { _id, reference, price, invoice_id: _id, supplier, amounts, supplier_status: told };
}
