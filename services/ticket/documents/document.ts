import {
  type AddedDocument,
  isSharedWithSupplier,
  type NewEvent,
  type PurchaseKind,
  ticketDocumentAdded,
} from '@app/contracts';
import { isLive, type StoredFile, type Ticket, ticketRef, type View } from '../tickets/ticket.ts';
import { sharedWith } from '../tickets/visibility.ts';

export const visibilities = ['shared', 'internal'] as const;
export type DocumentVisibility = (typeof visibilities)[number];

/**
 * A stored document of a ticket's Documents tab. `company_id` is who added it, `added_by` the user,
 * as far as known. The file of a purchase document is visible to its buyer and to the named
 * supplier only, whatever their views of the ticket.
 */
export type TicketDocument = {
  _id: string;
  ticket_id: string;
  company_id: string;
  added_by?: string;
  kind: 'document' | PurchaseKind;
  visibility: DocumentVisibility;
  added_at: Date;
  file: StoredFile;
  purchase_id?: string;
  supplier_company_id?: string | null;
};

/** The event of a document, for the companies that may see it. */
export function documentAdded(ticket: Ticket, document: TicketDocument): NewEvent {
  const { company_id, visibility, added_at } = document;
  const audience = visibility === 'shared' ? sharedWith(ticket, company_id) : [company_id];
  const payload = { ticket: ticketRef(ticket), document: addedDocument(document) };
  return ticketDocumentAdded({ audience, payload }, added_at, ticket._id);
}

/** A document in an event. */
export function addedDocument({ _id, file, added_at }: TicketDocument): AddedDocument {
  return { id: _id, name: file.name, mimetype: file.type, size: file.size, added_at: added_at.toISOString() };
}

/**
 * The documents that a view sees, as a MongoDB filter: its own company's, files of orders addressed to it, and shared ones: for
 * the client everyone's, for a contractor with a live view the client's.
 */
export function visibleDocuments(ticket: Ticket, own: View): object {
  const company_id = own.company_id;
  const always = [{ company_id }, { supplier_company_id: company_id }];
  if (own.role === 'client') return { $or: [...always, { visibility: 'shared' }] };
  if (!isLive(own)) return { $or: always };
  return { $or: [...always, { company_id: ticket.client_id, visibility: 'shared' }] };
}

/** A document in a reply. */
export function documentResponse({ _id, kind, visibility, added_at, file }: TicketDocument) {
  return {
    _id,
    name: file.name,
    mimetype: file.type,
    size: file.size,
    hash: file.hash,
    kind,
    // The file of an order is shared with its supplier.
    visibility: kind !== 'document' && isSharedWithSupplier(kind) ? 'shared' : visibility,
    added_at,
    s3_key: file.key,
  };
}
