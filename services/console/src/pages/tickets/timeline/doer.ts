import type { Ticket } from '../list/views.ts';
import type { HistoryItem } from '../tickets.ts';

type Doer = NonNullable<HistoryItem['by']>;

/** By name, else the company. */
export function doerOf({ firstName, lastName, company_id }: Doer, { client, views }: Ticket): string {
  const company = company_id === client._id ? client.name : views.find((view) => view.company_id === company_id)?.name;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  if (!name) return company ?? '';
  return company ? `${name} (${company})` : name;
}
