import type { Ticket } from '../list-query.ts';
import type { Note } from '../tickets.ts';

/** The companies that read a note of this type; null: only the managers of the ticket. */
export function noteReaders(
  type: Note['type'],
  ticket: Pick<Ticket, 'client' | 'views'>,
  own: string,
): string[] | null {
  if (type === 'managers') return null;
  if (type === 'internal') return [own];
  const asked = ticket.views.filter(
    ({ role, state }) => role === 'contractor' && (state === 'active' || state === 'pending'),
  );
  const names = [ticket.client.name, ...asked.map(({ name }) => name)].flatMap((name) => name ?? []);
  return [...new Set(names)];
}
