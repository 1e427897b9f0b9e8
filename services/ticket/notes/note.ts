import { type Caller, type NewEvent, notification, ticketMessageAdded, type Visibility } from '@app/contracts';
import type { NoteDraft, Ticket, UserRef } from '../tickets/ticket.ts';
import { ticketRef } from '../tickets/ticket.ts';
import { sharedWith } from '../tickets/visibility.ts';
import { mentionedIn, plainText } from './mention.ts';

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

/** The event of a note: a public one for the companies that its author shares with, others for its own company only. */
export function noteAdded(ticket: Ticket, { text, type, author }: NoteDraft, now: Date): NewEvent {
  const audience = type === 'public' ? sharedWith(ticket, author.company_id) : [author.company_id];
  const message = {
    text: plainText(text),
    visibility: visibilities[type],
    author: { id: author._id, firstName: author.firstName, lastName: author.lastName, company_id: author.company_id },
    created_at: now.toISOString(),
  };
  return ticketMessageAdded({ audience, payload: { ticket: ticketRef(ticket), message } }, now, ticket._id);
}

/** Tells those whom a note mentions. That they may read it was checked before it was written. */
export function mentionsRaised(ticket: Ticket, { _id, company_id, note, type, author, created_at }: Note): NewEvent[] {
  const user_ids = [...mentionedIn(note).keys()];
  if (user_ids.length === 0) return [];
  const raised = {
    company_id,
    kind: 'mention',
    key: `ticket:${ticket._id}:note:${_id}`,
    to: { user_ids, place_ids: null },
    ticket: ticketRef(ticket),
    actor: { id: author._id, firstName: author.firstName, lastName: author.lastName },
    text: plainText(note),
    visibility: visibilities[type],
  } as const;
  return [notification(raised, created_at)];
}

/**
 * Whether the caller reads a note. Public: the companies that its author shares with. Internal: the author's company.
 * Managers: there, the ticket's managers and admins. A token reads what its user reads.
 */
export function isReadable(note: Note, ticket: Ticket, caller: Caller): boolean {
  if (note.company_id !== caller.companyId)
    return note.type === 'public' && sharedWith(ticket, note.company_id).includes(caller.companyId);
  return isForColleague(note.type, ticket, caller);
}

/** Whether a user of the author's company who sees the ticket reads notes of this type. */
export function isForColleague(
  type: NoteType,
  ticket: Pick<Ticket, 'manager_ids'>,
  { userId, permissions }: Pick<Caller, 'userId' | 'permissions'>,
): boolean {
  return type !== 'managers' || permissions.includes('admin') || ticket.manager_ids.includes(userId);
}

/** A note in a reply. */
export function noteResponse({ _id, note, type, author, created_at }: Note) {
  const { _id: authorId, firstName, lastName, company_id } = author;
  return { _id, note, type, author: { _id: authorId, firstName, lastName, company_id }, created_at };
}
