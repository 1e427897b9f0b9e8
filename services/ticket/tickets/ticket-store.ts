import type { NewEvent, TicketSnapshot } from '@app/contracts';
import { type Keep, keepAlongside, writeOnce } from '@app/idempotency';
import { AppError } from '@app/kernel';
import { createOutboxWriter, type Relay, type TransactionalWrite } from '@app/messaging';
import { conflict, retryOnConflict } from '@app/runtime';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { type Decision, type NoteDraft, nextTime, type Ticket, type View } from './ticket.ts';
import { type Buckets, bucketsOf, type ListQuery, listPlan, type Plan, windowPlan } from './ticket-list-plan.ts';
import { createTicketLoader } from './ticket-loader-store.ts';
import { epoch, type StoredTicket, ticketCollection, ticketModel } from './ticket-model-store.ts';
import { snapshotEvents, snapshotFields, ticketSnapshot } from './ticket-snapshot.ts';
import { type Viewer, visibleTo } from './visibility.ts';

/** See `TicketStore.change`. */
export type Decide = (ticket: Ticket, at: Date) => Decision;
/** `alongside` is written in the same transaction. */
export type ChangeOptions = { alongside?: TransactionalWrite | null };

/** Writes the notes that a change of a ticket brings with it. */
export type NoteWriter = {
  /** Within the transaction that changes the ticket. */
  insert(ticket: Ticket, drafts: NoteDraft[], session: ClientSession): Promise<void>;
  events(ticket: Ticket, drafts: NoteDraft[]): NewEvent[];
};

export type TicketStore = {
  /** Saves a new ticket with its snapshot event. @returns the ticket as saved, by an earlier attempt at this request or now */
  add(ticket: Ticket): Promise<Ticket>;
  /** The ticket, if this company sees it. */
  find(id: string, viewer: Viewer): Promise<Ticket | null>;
  /** Ascending by id, after `query.cursor`; at most `query.limit`. */
  list(query: ListQuery, viewer: Viewer): Promise<Ticket[]>;
  /** The newest ticket with that number that this company sees. */
  idOfNumber(number: string, viewer: Viewer): Promise<string | null>;
  /**
   * Decides on the given ticket (loaded first if only its id is given) and saves it with its events and notes. If another
   * write came between, `decide` runs again on the current ticket, so it must be pure. `at` is the time of the change, later
   * than that of any earlier change.
   * @returns the ticket as saved
   * @throws AppError not_found `ticket_not_found`, overloaded `ticket_busy`, and what `decide` throws
   */
  change(start: Ticket | string, decide: Decide, options?: ChangeOptions): Promise<Ticket>;
  /** Ids of tickets for which a timer has something to do, soonest first. */
  due(now: Date): AsyncIterable<string>;
  /** Ids of tickets with a view of this contractor that has no company yet. */
  withUnlinkedContractor(contractorId: string, limit: number): Promise<string[]>;
  /** Of tickets of every client, ascending by id. */
  snapshotsAfter(id: string | null, limit: number): Promise<TicketSnapshot[]>;
};

type Deps = { connection: Connection; relay: Relay; notes: NoteWriter; now?: () => Date };

const dueBatchSize = 100;
const queryTimeoutMs = 20_000;
const projection = { outbox: 0 } as const;

export function createTicketStore({ connection, relay, notes, now = () => new Date() }: Deps): TicketStore {
  const model = ticketModel(connection);
  const tickets = ticketCollection(connection);
  const loader = createTicketLoader<Ticket>(connection, projection);
  const writes = createOutboxWriter<Ticket & Buckets>({ model, relay, service: 'ticket' });
  relay.watch(model);

  async function load(id: string): Promise<Ticket> {
    const ticket = await loader.load(id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }

  async function save(before: Ticket, decision: Decision, alongside?: TransactionalWrite | null): Promise<boolean> {
    const { ticket, events, notes: drafts = [] } = decision;
    const { _id, version, updated_at } = before;
    const change = {
      // `updated_at` too: `TicketTimes` moves it without a new version.
      filter: { _id, version, updated_at },
      update: { $set: changedFields(before, ticket), $inc: { version: 1, note_count: drafts.length } },
      events: [
        ...events,
        ...notes.events(ticket, drafts),
        ...snapshotEvents(before, { ...ticket, version: version + 1 }),
      ],
    };
    if (drafts.length === 0 && !alongside) return writes.update(change);
    return writes.updateInTransaction(change, async (session) => {
      if (drafts.length > 0) await notes.insert(ticket, drafts, session);
      await alongside?.(session);
    });
  }

  return {
    add: (ticket) => writes.insert({ ...ticket, ...bucketsOf(ticket) }, snapshotEvents(null, ticket)),
    find: loader.load,
    ...ticketQueries(tickets, now),
    change(start, decide, { alongside } = {}) {
      const attempt = async (number: number, keep: Keep<Ticket> | null) => {
        const given = number === 0 ? start : ticketId(start);
        const before = typeof given === 'string' ? await load(given) : given;
        const at = nextTime(before, now());
        const decision = decide(before, at);
        if (decision.ticket === before) return before;
        const changed = { ...decision.ticket, updated_at: at };
        const ticket = { ...changed, ...bucketsOf(changed) };
        const after = { ...ticket, version: before.version + 1 };
        const isSaved = await save(before, { ...decision, ticket }, keepAlongside(keep, after, alongside));
        return isSaved ? after : conflict;
      };
      const limits = { code: 'ticket_busy', what: 'this ticket' };
      return writeOnce((keep) => retryOnConflict((number) => attempt(number, keep), limits));
    },
  };
}

type Queries = 'list' | 'idOfNumber' | 'due' | 'withUnlinkedContractor' | 'snapshotsAfter';

function ticketQueries(tickets: mongo.Collection<StoredTicket>, now: () => Date): Pick<TicketStore, Queries> {
  const findPlanned = ({ filter, hint }: Plan) => tickets.find(filter, { projection, hint, maxTimeMS: queryTimeoutMs });
  return {
    async list(query, viewer) {
      const { limit } = query;
      const window = windowPlan(query, viewer);
      if (window) {
        const all: Ticket[] = await findPlanned(window).limit(limit).toArray();
        if (all.length < limit) return all.sort((one, other) => (one._id < other._id ? -1 : 1));
      }
      return findPlanned(listPlan(query, viewer, now()))
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
    },
    async idOfNumber(number, viewer) {
      const options = { projection: { _id: 1 }, sort: { _id: -1 }, hint: 'number' } as const;
      return (await tickets.findOne({ ...visibleTo(viewer), number }, options))?._id ?? null;
    },
    async *due(now) {
      const filter = { due_at: { $gt: epoch, $lte: now } };
      const found = tickets.find(filter, { projection: { _id: 1 }, hint: 'due', batchSize: dueBatchSize });
      for await (const { _id } of found.sort({ due_at: 1 })) yield _id;
    },
    async withUnlinkedContractor(contractorId, limit) {
      const views = { $elemMatch: { contractor_id: contractorId, company_id: null } };
      const found = tickets.find({ views }, { projection: { _id: 1 }, hint: 'contractor' });
      return (await found.limit(limit).toArray()).map(({ _id }) => _id);
    },
    async snapshotsAfter(id, limit) {
      const fields = Object.fromEntries(snapshotFields.map((field) => [field, 1]));
      const found = tickets.find(id === null ? {} : { _id: { $gt: id } }, { projection: fields });
      return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(ticketSnapshot);
    },
  };
}

function ticketId(ticket: Ticket | string): string {
  return typeof ticket === 'string' ? ticket : ticket._id;
}

/**
 * The fields that a rule replaced: rules never change a value in place. If the views stayed in number and order, only their
 * changed fields are named: nearly every index of tickets is on views, and MongoDB checks each index that a written path may
 * touch.
 */
function changedFields(before: Ticket, after: Ticket): Record<string, unknown> {
  const names = Object.keys(after) as (keyof Ticket)[];
  const { views, ...changed } = Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  ) as Partial<Ticket>;
  return { ...changed, ...(views ? changedViews(before.views, views) : {}) };
}

function changedViews(before: View[], after: View[]): Record<string, unknown> {
  const same = before.length === after.length && after.every(({ _id }, index) => before[index]?._id === _id);
  if (!same) return { views: after };
  return Object.fromEntries(
    after.flatMap((view, index) => {
      const names = Object.keys(view) as (keyof View)[];
      const changed = names.filter((name) => view[name] !== before[index]?.[name]);
      return changed.map((name) => [`views.${index}.${name}`, view[name]]);
    }),
  );
}
