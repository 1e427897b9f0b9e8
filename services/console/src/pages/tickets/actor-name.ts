import type { Ticket } from './list-query.ts';
import type { HistoryItem } from './tickets.ts';

type Actor = NonNullable<HistoryItem['by']>;

/** The user's name with the company, or the company alone if the name is not known. */
export function actorName({ firstName, lastName, company_id }: Actor, { client, views }: Ticket): string {
  const company = company_id === client._id ? client.name : views.find((view) => view.company_id === company_id)?.name;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  if (!name) return company ?? '';
  return company ? `${name} (${company})` : name;
}
