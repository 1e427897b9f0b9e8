import type { Caller } from '@app/contracts';
import { type NewEvent, ticketMessageAdded, type Visibility } from '@app/contracts';
import { sharedWith } from '../tickets/audience.ts';
import { ticketRef } from '../tickets/decision.ts';
import type { NoteDraft, Ticket, UserRef } from '../tickets/ticket.ts';

export const noteTypes = ['internal', 'managers', 'public'] as const;
export type NoteType = (typeof noteTypes)[number];

/** A note as it is stored. `company_id` is the author's. */
export type Note = {
  _id: string;
  ticket_id: string;
  company_id: string;
  note: string;
  type: NoteType;
  author: UserRef;
  created_at: Date;
};

export const notesPerTicket = 1_000;

const visibilities: Record<NoteType, Visibility> = { public: 'shared', internal: 'internal', managers: 'managers' };

/** The event of a note: a shared one for whom its author shares with, the others for its own company alone (spec section 6.1). */
export function noteAdded(ticket: Ticket, { text, type, author }: NoteDraft, now: Date): NewEvent {
  const audience = type === 'public' ? sharedWith(ticket, author.company_id) : [author.company_id];
  const message = {
    text,
    visibility: visibilities[type],
    author: { id: author._id, firstName: author.firstName, lastName: author.lastName, company_id: author.company_id },
    created_at: now.toISOString(),
  };
  return ticketMessageAdded({ audience, payload: { ticket: ticketRef(ticket), message } }, now, ticket._id);
}

/**
 * Who reads a note (design section 6): a public one whoever its author shares with; the others the author's company, and
 * managers notes there only those who manage the ticket or are `admin`, and its API tokens.
 */
export function isReadable(note: Note, ticket: Ticket, caller: Caller): boolean {
  if (note.company_id !== caller.companyId)
    return note.type === 'public' && sharedWith(ticket, note.company_id).includes(caller.companyId);
  if (note.type !== 'managers') return true;
  return caller.via === 'token' || caller.permissions.includes('admin') || ticket.manager_ids.includes(caller.userId);
}

/** As it is answered. */
export function noteView({ _id, note, type, author, created_at }: Note) {
  const { _id: authorId, firstName, lastName, company_id } = author;
  return { _id, note, type, author: { _id: authorId, firstName, lastName, company_id }, created_at };
}
