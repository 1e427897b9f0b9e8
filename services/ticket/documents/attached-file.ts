import { type AttachedFile, type NewEvent, ticketDocumentAdded } from '@app/contracts';
import { subject } from '../tickets/settle.ts';
import { hears, type Ticket } from '../tickets/ticket.ts';
import { addedDocument, type TicketDocument } from './document.ts';

/** The file of a purchase document as it stands in the Documents tab: its buyer's, and the supplier's too (of an order). */
export function attachedDocument(attached: AttachedFile, supplier: string | null): TicketDocument {
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

/** Told to the buyer, and to the supplier of an order as long as its view of the ticket hears anything (design section 6). */
export function attachedFileAdded(ticket: Told, document: TicketDocument): NewEvent {
  const { company_id, supplier_company_id } = document;
  const told = ticket.views.some((view) => view.company_id === supplier_company_id && hears(view));
  const audience = supplier_company_id && told ? [company_id, supplier_company_id] : [company_id];
  const payload = { ticket: subject(ticket), document: addedDocument(document) };
  return ticketDocumentAdded({ audience, payload }, document.added_at, ticket._id);
}
