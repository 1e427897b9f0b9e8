import type { Connection } from 'mongoose';
import type { HistoryEntry } from '../tickets/history.ts';
import { ticketCollection, withoutKeys } from '../tickets/stores/ticket-collection.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { type Viewer, visibleTo } from '../tickets/visibility.ts';

export type TicketWithHistory = Ticket & { history?: HistoryEntry[] };

/** Tickets that the viewer sees, ascending by id, after `after`, or from `from` on. */
export type TicketPages = (
  viewer: Viewer,
  start: { after: string | null } | { from: string | null },
  limit: number,
) => Promise<TicketWithHistory[]>;

export function createTicketPages(connection: Connection): TicketPages {
  const tickets = ticketCollection(connection);
  const { history: _, ...projection } = withoutKeys;
  return async (viewer, start, limit) => {
    const later = 'after' in start ? start.after && { $gt: start.after } : start.from && { $gte: start.from };
    // By the company too: the index is on it alone, and for a contractor the filter also leaves out
    // removed tickets.
    const filter = { 'views.company_id': viewer.companyId, ...visibleTo(viewer), ...(later ? { _id: later } : {}) };
    const found = tickets.find(filter, { projection, hint: 'view' }).sort({ _id: 1 }).limit(limit);
    return (await found.toArray()) as TicketWithHistory[];
  };
}
