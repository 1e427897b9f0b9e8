import { type AttachedFile, type NewEvent, ticketDocumentAdded } from '@app/contracts';
import { addedDocument, type TicketDocument } from '../documents/document.ts';
import { isNotified, type Ticket, ticketRef } from '../tickets/ticket.ts';

/** The file of a purchase document in the Documents tab, visible to its buyer and to the supplier of an order. */
export function purchaseFileDocument(attached: AttachedFile, supplier: string | null): TicketDocument {
  return {
    _id: attached.id,
    ticket_id: attached.ticket_id,
    company_id: attached.buyer_company_id,
    kind: attached.kind,
    visibility: 'internal',
    added_at: new Date(attached.added_at),
    file: { ...attached.file },
    purchase_id: attached.purchase_id,
    supplier_company_id: supplier,
  };
}

type DocumentTicket = Pick<Ticket, '_id' | 'number' | 'title' | 'views'>;

/**
 * The event of a new file, for the buyer and, if its view is notified, the supplier of an order. Its time is the time that
 * adding it gave the ticket.
 */
export function purchaseFileAdded(
  ticket: DocumentTicket & Pick<Ticket, 'updated_at'>,
  document: TicketDocument,
): NewEvent {
  const audience = [document.company_id, ...notifiedSupplier(ticket, document)];
  return addedEvent({ ticket, document, audience }, ticket.updated_at);
}

/** The event for a supplier that became known after the file was added; none if its view is not notified. */
export function purchaseFileShared(ticket: DocumentTicket, document: TicketDocument, now: Date): NewEvent[] {
  const audience = notifiedSupplier(ticket, document);
  return audience.length > 0 ? [addedEvent({ ticket, document, audience }, now)] : [];
}

function addedEvent(
  of: { ticket: DocumentTicket; document: TicketDocument; audience: string[] },
  time: Date,
): NewEvent {
  const { ticket, document, audience } = of;
  const payload = { ticket: ticketRef(ticket), document: addedDocument(document) };
  return ticketDocumentAdded({ audience, payload }, time, ticket._id);
}

function notifiedSupplier({ views }: DocumentTicket, { supplier_company_id }: TicketDocument): string[] {
  const isSupplierNotified = views.some((view) => view.company_id === supplier_company_id && isNotified(view));
  return supplier_company_id && isSupplierNotified ? [supplier_company_id] : [];
}
