import { createBatcher, findManyRaw, findOneRaw, type majorityRead } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Ticket } from './ticket.ts';
import { sees, type Viewer } from './ticket-list-plan.ts';
import { ticketModel } from './ticket-model-store.ts';

/** Reads of single tickets, as far as the projection goes. */
export type TicketLoader<Part> = {
  /** The ticket, where this company sees it; without a viewer: the ticket, whoever sees it. */
  load(id: string, viewer?: Viewer): Promise<Part | null>;
};

type Asked = { id: string; viewer: Viewer | undefined };
/** By what `sees` tells who sees a ticket; every projection has it. */
type Seen = Pick<Ticket, '_id' | 'views'>;

const readAtOnce = 100;
/** A read waits hardly longer for company than its way to the database takes. */
const pauseMs = 2;
const hint = '_id_';

/**
 * What is asked for at once is one query, which costs the database, and this process even more, a fraction of one for
 * each. Who asks twice gets the same object: tickets are never changed in place.
 */
export function createTicketLoader<Part extends Seen>(
  connection: Connection,
  projection: object,
  concern: Partial<typeof majorityRead> = {},
): TicketLoader<Part> {
  const tickets = ticketModel(connection).collection;

  async function read(asked: Asked[]): Promise<(Part | null)[]> {
    const found = await all([...new Set(asked.map(({ id }) => id))], asked);
    return asked.map(({ id, viewer }) => {
      const ticket = found.get(id);
      return ticket && (!viewer || sees(viewer, ticket)) ? ticket : null;
    });
  }

  async function all(ids: string[], asked: Asked[]): Promise<Map<string, Part>> {
    const mine = { ...companyFilter(asked), _id: ids.length === 1 ? ids[0] : { $in: ids } };
    if (ids.length === 1) {
      const ticket = await findOneRaw<Part>(tickets, { filter: mine, projection, hint, ...concern });
      return new Map(ticket ? [[ticket._id, ticket]] : []);
    }
    const found = await findManyRaw<Part>(tickets, { filter: mine, projection, hint, ...concern });
    return new Map(found.map((ticket) => [ticket._id, ticket]));
  }

  const batches = createBatcher({ maxBatch: readAtOnce, maxDelayMs: pauseMs, run: read });
  return { load: (id, viewer) => batches.add({ id, viewer }) };
}

/** No ticket leaves the database that none of those who ask could see. */
function companyFilter(asked: Asked[]): object {
  const companies = new Set(asked.map(({ viewer }) => viewer?.companyId));
  return companies.has(undefined) ? {} : { 'views.company_id': { $in: [...companies] } };
}
