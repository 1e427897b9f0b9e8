import type { Told } from '../tickets/lifecycle/ticket-notifications.ts';
import { clientView, type NoteDraft, type Ticket } from '../tickets/ticket.ts';
import { sharedWith } from '../tickets/visibility.ts';
import { mentionedIn, plainText } from './mention.ts';
import { audienceOf, type Note, visibilities } from './note.ts';

export type Writer = { company_id: string; user_id: string };

/**
 * Who is told of a note: those whom it mentions; the ticket's managers and who wrote there before, in the companies that read it. A
 * note for managers is for these alone, one for both parties in the other company for everybody who works on tickets, if there is
 * nobody else to read it.
 */
export function toldOfNote(
  ticket: Ticket,
  draft: NoteDraft,
  at: Note['created_at'],
  writers: readonly Writer[],
): Told[] {
  const { text, type, author } = draft;
  const given = { text: plainText(text), visibility: visibilities[type] };
  const mentioned = [...mentionedIn(text).keys()];
  const mention: Told = {
    ...given,
    company_id: author.company_id,
    kind: 'mention',
    what: `mention:${at.toISOString()}`,
    users: mentioned,
  };
  const audience = audienceOf(ticket, draft);
  const readers = audience.map((company_id): Told => {
    // An answer for both parties would also reach companies that don't read this note.
    const isShared = type === 'public' && sharedWith(ticket, company_id).some((id) => !audience.includes(id));
    const visibility = isShared ? 'internal' : given.visibility;
    const managers = company_id === clientView(ticket).company_id ? ticket.manager_ids : [];
    const wrote = type === 'managers' ? [] : writers.filter((writer) => writer.company_id === company_id);
    const people = [...new Set([...managers, ...wrote.map(({ user_id }) => user_id)])];
    const others = people.filter((id) => !mentioned.includes(id));
    const to = company_id === author.company_id ? { users: others } : { managers: others };
    return { ...given, visibility, company_id, kind: 'note', what: `note:${at.toISOString()}`, ...to };
  });
  return [mention, ...readers].filter(({ users }) => users?.length !== 0);
}
