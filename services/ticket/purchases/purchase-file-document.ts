import { type AttachedFile, type NewEvent, ticketDocumentAdded } from '@app/contracts';
import { addedDocument, type TicketDocument } from '../documents/document.ts';
import { ticketRef } from '../tickets/decision.ts';
import { isNotified, type Ticket } from '../tickets/ticket.ts';

/** The file of a purchase document as it stands in the Documents tab: its buyer's, and the supplier's too (of an order). */
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

type Told = Pick<Ticket, '_id' | 'number' | 'title' | 'views'>;

/**
 * Told to the buyer, and to the supplier of an order as long as its view of the ticket hears anything (design section 6), at
 * the time that it gave the ticket.
 */
export function purchaseFileAdded(ticket: Told & Pick<Ticket, 'updated_at'>, document: TicketDocument): NewEvent {
  const audience = [document.company_id, ...supplierHearing(ticket, document)];
  return added({ ticket, document, audience }, ticket.updated_at);
}

/** The same for the supplier that became known after the file came, and was told nothing until `now`. */
export function purchaseFileShared(ticket: Told, document: TicketDocument, now: Date): NewEvent[] {
  const audience = supplierHearing(ticket, document);
  return audience.length > 0 ? [added({ ticket, document, audience }, now)] : [];
}

function added(of: { ticket: Told; document: TicketDocument; audience: string[] }, time: Date): NewEvent {
  const { ticket, document, audience } = of;
  const payload = { ticket: ticketRef(ticket), document: addedDocument(document) };
  return ticketDocumentAdded({ audience, payload }, time, ticket._id);
}

function supplierHearing({ views }: Told, { supplier_company_id }: TicketDocument): string[] {
  const isHeard = views.some((view) => view.company_id === supplier_company_id && isNotified(view));
  return supplier_company_id && isHeard ? [supplier_company_id] : [];
}
