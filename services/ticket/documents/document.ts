import { type AddedDocument, type NewEvent, type PurchaseKind, ticketDocumentAdded } from '@app/contracts';
import { sharedWith } from '../tickets/audience.ts';
import { ticketRef } from '../tickets/decision.ts';
import { isLive, type StoredFile, type Ticket, type View } from '../tickets/ticket.ts';

export const visibilities = ['shared', 'internal'] as const;
export type DocumentVisibility = (typeof visibilities)[number];

/**
 * A document of a ticket's Documents tab, as it is stored. `company_id` is who added it. The file of a purchase document
 * is its buyer's alone, but for the supplier that is named, whatever its place on the ticket (design section 8).
 */
export type TicketDocument = {
  _id: string;
  ticket_id: string;
  company_id: string;
  kind: 'document' | PurchaseKind;
  visibility: DocumentVisibility;
  added_at: Date;
  file: StoredFile;
  purchase_id?: string;
  supplier_company_id?: string | null;
};

/** Told only to companies that may see it (spec section 6.1). */
export function documentAdded(ticket: Ticket, document: TicketDocument): NewEvent {
  const { company_id, visibility, added_at } = document;
  const audience = visibility === 'shared' ? sharedWith(ticket, company_id) : [company_id];
  const payload = { ticket: ticketRef(ticket), document: addedDocument(document) };
  return ticketDocumentAdded({ audience, payload }, added_at, ticket._id);
}

/** What an event says of a document. */
export function addedDocument({ _id, file, added_at }: TicketDocument): AddedDocument {
  return { id: _id, name: file.name, mimetype: file.type, size: file.size, added_at: added_at.toISOString() };
}

/**
 * Whose documents a view sees: its own company's, files of orders addressed to it, and shared ones of the other party: the
 * client those of everyone, a contractor whose view is live those of the client (design sections 6 and 8).
 */
export function visibleDocuments(ticket: Ticket, own: View): object {
  const company_id = own.company_id;
  const always = [{ company_id }, { supplier_company_id: company_id }];
  if (own.role === 'client') return { $or: [...always, { visibility: 'shared' }] };
  if (!isLive(own)) return { $or: always };
  return { $or: [...always, { company_id: ticket.client_id, visibility: 'shared' }] };
}

/** As it is answered. */
export function documentView({ _id, kind, visibility, added_at, file }: TicketDocument) {
  return {
    _id,
    name: file.name,
    mimetype: file.type,
    size: file.size,
    hash: file.hash,
    kind,
    // The file of an order is shared with its supplier (spec section 4.2).
    visibility: kind === 'purchase_order' ? 'shared' : visibility,
    added_at,
    s3_key: file.key,
  };
}
