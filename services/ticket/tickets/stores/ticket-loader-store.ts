import { createBatcher } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Ticket } from '../ticket.ts';
import { sees, type Viewer } from '../visibility.ts';
import { ticketCollection } from './ticket-collection.ts';

/** Loads single tickets, as far as its projection goes. */
export type TicketLoader<Part> = {
  /** The ticket if this company sees it; without a viewer: the ticket. */
  load(id: string, viewer?: Viewer): Promise<Part | null>;
};

type Key = { id: string; viewer: Viewer | undefined };

const maxBatch = 100;

/**
 * Loads that come together, or while another query runs, are one query; nothing is cached. Two loads of one ticket may give the
 * same object, so tickets are never changed in place. The projection must include `views` and `location_ids`, by which
 * visibility is decided.
 */
export function createTicketLoader<Part extends Pick<Ticket, '_id' | 'views' | 'location_ids'>>(
  connection: Connection,
  projection: object,
): TicketLoader<Part> {
  const tickets = ticketCollection(connection);

  async function loadAll(keys: Key[]): Promise<(Part | null)[]> {
    const filter = { ...companyFilter(keys), _id: { $in: [...new Set(keys.map(({ id }) => id))] } };
    const found = await tickets.find<Part>(filter, { projection, hint: '_id_' }).toArray();
    const byId = new Map(found.map((ticket) => [ticket._id, ticket]));
    return keys.map(({ id, viewer }) => {
      const ticket = byId.get(id);
      return ticket && (!viewer || sees(viewer, ticket)) ? ticket : null;
    });
  }

  const loads = createBatcher({ name: 'load tickets', run: loadAll, maxBatch, maxDelayMs: 0 });
  return { load: (id, viewer) => loads.add({ id, viewer }) };
}

/** Tickets that none of the viewers can see do not leave the database. */
function companyFilter(keys: Key[]): object {
  const companies = new Set(keys.map(({ viewer }) => viewer?.companyId));
  return companies.has(undefined) ? {} : { 'views.company_id': { $in: [...companies] } };
}
