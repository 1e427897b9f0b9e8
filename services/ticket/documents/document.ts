import { type NewEvent, ticketDocumentAdded } from '@app/contracts';
import { sharedWith } from '../tickets/audience.ts';
import { subject } from '../tickets/settle.ts';
import { isLive, type StoredFile, type Ticket, type View } from '../tickets/ticket.ts';

export const visibilities = ['shared', 'internal'] as const;
export type DocumentVisibility = (typeof visibilities)[number];

/** A document of a ticket's Documents tab, as it is stored. `company_id` is who added it. */
export type TicketDocument = {
  _id: string;
  ticket_id: string;
  company_id: string;
  kind: string;
  visibility: DocumentVisibility;
  added_at: Date;
  file: StoredFile;
};

/** Told only to companies that may see it (spec section 6.1). */
export function documentAdded(ticket: Ticket, document: TicketDocument): NewEvent {
  const { _id, company_id, visibility, added_at, file } = document;
  const audience = visibility === 'shared' ? sharedWith(ticket, company_id) : [company_id];
  const payload = {
    ticket: subject(ticket),
    document: { id: _id, name: file.name, mimetype: file.type, size: file.size, added_at: added_at.toISOString() },
  };
  return ticketDocumentAdded({ audience, payload }, added_at, ticket._id);
}

/**
 * Whose documents a view sees: its own company's, and shared ones of the other party: the client those of everyone, a
 * contractor whose view is live those of the client (design section 6).
 */
export function visibleDocuments(ticket: Ticket, own: View): object {
  const company_id = own.company_id;
  if (own.role === 'client') return { $or: [{ company_id }, { visibility: 'shared' }] };
  if (!isLive(own)) return { company_id };
  return { $or: [{ company_id }, { company_id: ticket.client_id, visibility: 'shared' }] };
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
    visibility,
    added_at,
    s3_key: file.key,
  };
}
