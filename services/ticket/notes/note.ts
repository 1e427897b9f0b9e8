import { type Caller, type NewEvent, ticketMessageAdded, type Visibility } from '@app/contracts';
import type { NoteDraft, Ticket, UserRef } from '../tickets/ticket.ts';
import { ticketRef } from '../tickets/ticket.ts';
import { sharedWith } from '../tickets/visibility.ts';
import { plainText } from './mention.ts';

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

export const visibilities: Record<NoteType, Visibility> = {
  public: 'shared',
  internal: 'internal',
  managers: 'managers',
};

/** The companies that read a note: public, those that its author shares with; otherwise its own. */
export function audienceOf(ticket: Ticket, { type, author }: NoteDraft): string[] {
  return type === 'public' ? sharedWith(ticket, author.company_id) : [author.company_id];
}

/** The event of a note, for the companies that read it. */
export function noteAdded(ticket: Ticket, draft: NoteDraft, now: Date): NewEvent {
  const { text, type, author } = draft;
  const message = {
    text: plainText(text),
    visibility: visibilities[type],
    author: { id: author._id, firstName: author.firstName, lastName: author.lastName, company_id: author.company_id },
    created_at: now.toISOString(),
  };
  return ticketMessageAdded(
    { audience: audienceOf(ticket, draft), payload: { ticket: ticketRef(ticket), message } },
    now,
    ticket._id,
  );
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
