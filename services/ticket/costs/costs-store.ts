import type { Connection } from 'mongoose';
import { type ListQuery, listPlan } from '../tickets/lists/ticket-list-plan.ts';
import { ticketCollection } from '../tickets/stores/ticket-collection.ts';
import type { Viewer } from '../tickets/visibility.ts';
import type { CostedTicket } from './costs.ts';

/** The newest `limit` tickets that name one of these places, or this equipment, those that the viewer sees. */
export type CostedTickets = (
  of: Pick<ListQuery, 'equipment_id' | 'location_ids'>,
  viewer: Viewer,
  limit: number,
) => Promise<CostedTicket[]>;

/** By the driver, as lists of tickets are read. */
export function createCostedTickets({ connection, now }: { connection: Connection; now: () => Date }): CostedTickets {
  const tickets = ticketCollection(connection);
  const projection = { quotes: 1, has_purchases: 1, has_invoices: 1 } as const;
  return async (of, viewer, limit) => {
    const { filter, hint, rest = {} } = listPlan({ ...of, limit }, viewer, now());
    const found = tickets.find<CostedTicket>({ $and: [filter, rest] }, { projection, hint, maxTimeMS: 20_000 });
    return found.sort({ _id: -1 }).limit(limit).toArray();
  };
}
