import type { TicketSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import { createCompanyList, createListReader, pageById } from '@app/runtime';
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { HistoryEntry } from '../history.ts';
import { accrualList } from '../lists/accrual-list.ts';
import { type AgendaFilter, agendaKey, type Period, weeksOf } from '../lists/agenda-keys.ts';
import { placeKey } from '../lists/list-keys.ts';
import { ticketList } from '../lists/ticket-list.ts';
import {
  conditionsOf,
  type ListQuery,
  listPlan,
  maxRead,
  type Plan,
  statusesSeen,
  windowPlan,
} from '../lists/ticket-list-plan.ts';
import { type Status, statuses, type Ticket } from '../ticket.ts';
import { snapshotFields, ticketSnapshot } from '../ticket-snapshot.ts';
import { type Viewer, visibleTo } from '../visibility.ts';
import { epoch, type StoredTicket, ticketCollection, withoutKeys } from './ticket-collection.ts';

/** A page of tickets, and where the next one goes on; null: there is none. */
type TicketPage = { items: Ticket[]; cursor: string | null };

export type TicketQueries = ReturnType<typeof createTicketQueries>;

/** The limit of a count, since it reads all that it counts. */
export const countedAtMost = 1_000;
const maxOfClient = 10_000;

/** Many are due at one moment, such as what came in while places were closed: their writes are sent together. A process has 50 connections. */
const dueBatchSize = 10;
const queryTimeoutMs = 20_000;

type Tickets = mongo.Collection<StoredTicket>;
type Order = 1 | -1;

export function createTicketQueries({ connection, now }: { connection: Connection; now: () => Date }) {
  const tickets = ticketCollection(connection);
  const reader = createListReader<StoredTicket, Ticket>(tickets, withoutKeys);

  const sorted = createCompanyList(ticketList, reader);
  const accruals = createCompanyList(accrualList, reader);

  function sortedQuery(query: ListQuery, by: string, viewer: Viewer) {
    const sort = { by, descending: query.order === 'desc' };
    return { given: query, sort, conditions: conditionsOf(query, viewer, now()) };
  }

  async function sortedPage(query: ListQuery, by: string, viewer: Viewer): Promise<TicketPage> {
    const { items, nextCursor: cursor } = await sorted.page(viewer.companyId, sortedQuery(query, by, viewer), query);
    return { items, cursor };
  }

  return {
    /**
     * How many tickets a list has, counted up to `limit`; for a viewer limited to places those that are looked through for it.
     * @throws AppError unprocessable `list_too_broad`
     */
    count(query: ListQuery, viewer: Viewer, limit: number): Promise<number> {
      const { filter, hint, rest } = listPlan(query, viewer, now());
      const all = rest && !viewer.placeIds ? { $and: [filter, rest] } : filter;
      return reader.count({ filter: all, hint, sort: {}, others: [] }, limit);
    },
    /**
     * After `query.cursor`; at most `query.limit`. A page in order of ids may be short, or empty, and yet have a cursor.
     * @throws AppError unprocessable `invalid_cursor`, `list_too_broad`
     */
    async list(query: ListQuery, viewer: Viewer): Promise<TicketPage> {
      if (query.sort !== undefined) return sortedPage(query, query.sort, viewer);
      const limit = query.limit + 1;
      const order = query.order === 'desc' ? -1 : 1;
      const window = windowPlan(query, viewer);
      if (window) {
        const all = await findPlanned(tickets, window).limit(limit).toArray();
        if (all.length < limit) return { items: all.sort((a, b) => (a._id < b._id ? -order : order)), cursor: null };
      }
      const { end, ...plan } = await bounded(tickets, listPlan(query, viewer, now()), order);
      const found = await findPlanned(tickets, plan).sort({ _id: order }).limit(limit).toArray();
      const items = found.slice(0, query.limit);
      return { items, cursor: found.length === limit ? (items.at(-1)?._id ?? null) : end };
    },
    /** How many tickets the viewer sees in each status that has any, and how many are overdue, each up to `countedAtMost`. */
    async counts(viewer: Viewer): Promise<{ status: Partial<Record<Status, number>>; overdue: number | null }> {
      const { companyId: company_id, placeIds } = viewer;
      const counted = statusesSeen(statuses, viewer).map(async (status) => {
        const atPlaces = placeIds ? { facets: { $in: placeIds.map(placeKey) } } : {};
        const filter = { views: { $elemMatch: { company_id, status, ...atPlaces } } };
        const options = { hint: placeIds ? 'facet' : 'status', limit: countedAtMost, maxTimeMS: queryTimeoutMs };
        return [status, await tickets.countDocuments(filter, options)] as const;
      });
      const late = sortedQuery({ limit: 0, overdue: true }, 'due_date', viewer);
      const lateOnes = unlessTooBroad(sorted.count(company_id, late, countedAtMost));
      const [overdue, ...found] = await Promise.all([lateOnes, ...counted]);
      return { status: Object.fromEntries(found.filter(([, count]) => count > 0)), overdue };
    },
    /** Tickets that have dates with a part in the period, in no order, at most `limit`. */
    agenda(period: Period, filter: AgendaFilter, viewer: Viewer, limit: number): Promise<Ticket[]> {
      const { client_id, contractor_id, manager_id, place_ids } = filter;
      const keys = weeksOf(period).map((week) => agendaKey(viewer.companyId, week));
      const wanted = [
        visibleTo(viewer),
        { dates: { $elemMatch: partIn(period) } },
        ...(client_id ? [{ client_id }] : []),
        ...(contractor_id ? [{ views: { $elemMatch: { contractor_id, state: 'active' } } }] : []),
        ...(manager_id ? [{ manager_ids: manager_id }] : []),
        ...(place_ids ? [{ location_ids: { $in: place_ids } }] : []),
      ];
      const plan = { filter: { agenda: { $in: keys }, $and: wanted }, hint: 'agenda' };
      return findPlanned(tickets, plan).limit(limit).toArray();
    },
    accruals,
    ...beyondLists(tickets),
  };
}

/** Null if there is too much to look through: of a viewer who is limited to places, also what is elsewhere. */
async function unlessTooBroad<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === 'list_too_broad') return null;
    throw error;
  }
}

/** The rule of `agendaDates` as a MongoDB filter of a date. */
function partIn({ from, to }: Period) {
  return { start: { $lt: to }, $or: [{ end: { $gt: from } }, { start: { $gte: from } }] };
}

/** What is read of tickets but lists of a viewer. */
function beyondLists(tickets: Tickets) {
  return {
    /** The stored history of a ticket, oldest first. */
    async history(id: string): Promise<HistoryEntry[]> {
      return (await tickets.findOne({ _id: id }, { projection: { history: 1 } }))?.history ?? [];
    },
    /** The newest ticket with that number that this company sees. */
    async idOfNumber(number: string, viewer: Viewer): Promise<string | null> {
      const options = { projection: { _id: 1 }, sort: { _id: -1 }, hint: 'number' } as const;
      return (await tickets.findOne({ ...visibleTo(viewer), number }, options))?._id ?? null;
    },
    /**
     * The client's own tickets with one of these ids or numbers, which several may share.
     * @throws AppError conflict `too_many_entries` if they are more than 10,000
     */
    async ofClient(
      client_id: string,
      { ids, numbers }: { ids: string[]; numbers: string[] },
      session: ClientSession | null,
    ): Promise<Ticket[]> {
      const find = (named: object, hint: string) => {
        const options = { projection: withoutKeys, hint, limit: maxOfClient + 1, ...(session && { session }) };
        return tickets.find<Ticket>({ client_id, 'views.company_id': client_id, ...named }, options).toArray();
      };
      const found = [
        ...(await find({ _id: { $in: ids } }, '_id_')),
        ...(await find({ number: { $in: numbers } }, 'number')),
      ];
      if (found.length > maxOfClient)
        throw new AppError('conflict', 'too_many_entries', `more than ${maxOfClient} tickets have these numbers`);
      return [...new Map(found.map((ticket) => [ticket._id, ticket])).values()];
    },
    /** Ids of tickets for which this timer has something to do, soonest first, some at a time. */
    async *due(timer: 'due_at' | 'warn_at', now: Date): AsyncIterable<string[]> {
      const filter = { [timer]: { $gt: epoch, $lte: now } };
      const options = { projection: { _id: 1 }, hint: timer, batchSize: dueBatchSize, sort: { [timer]: 1 } } as const;
      const found = tickets.find(filter, options);
      while (await found.hasNext()) yield found.readBufferedDocuments().map(({ _id }) => _id);
    },
    /** Ids of tickets with a view of this contractor that has no company yet. */
    async withUnlinkedContractor(contractorId: string, limit: number): Promise<string[]> {
      const views = { $elemMatch: { contractor_id: contractorId, company_id: null } };
      const found = tickets.find({ views }, { projection: { _id: 1 }, hint: 'contractor' });
      return (await found.limit(limit).toArray()).map(({ _id }) => _id);
    },
    /** Snapshots of all clients' tickets, ascending by id. */
    async snapshotsAfter(id: string | null): Promise<{ found: TicketSnapshot[]; next: string | null }> {
      const projection = Object.fromEntries(snapshotFields.map((field) => [field, 1]));
      const { found, next } = await pageById(tickets, id, { projection });
      return { found: found.map(ticketSnapshot), next };
    },
  };
}

function findPlanned(tickets: Tickets, { filter, hint }: Plan) {
  return tickets.find<Ticket>(filter, { projection: withoutKeys, hint, maxTimeMS: queryTimeoutMs });
}

/**
 * A plan with a rest, limited to the first `maxRead` tickets that its index gives. `end` is the
 * last of them; null if there are fewer than `maxRead`.
 */
async function bounded(tickets: Tickets, { filter, hint, rest }: Plan, order: Order) {
  if (!rest) return { filter, hint, end: null };
  const options = { projection: { _id: 1 }, hint, maxTimeMS: queryTimeoutMs } as const;
  const found = tickets.find<{ _id: string }>(filter, options).sort({ _id: order });
  const [last] = await found
    .skip(maxRead - 1)
    .limit(1)
    .toArray();
  const within = last ? [{ _id: order === 1 ? { $lte: last._id } : { $gte: last._id } }] : [];
  return { filter: { $and: [filter, rest, ...within] }, hint, end: last?._id ?? null };
}
