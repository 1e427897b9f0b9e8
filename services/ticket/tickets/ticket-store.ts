import { AppError } from '@app/kernel';
import { createOutboxWriter, type Relay, type TransactionalWrite } from '@app/messaging';
import type { Connection } from 'mongoose';
import type { NoteStore } from '../notes/note-store.ts';
import type { Decision, Ticket, View } from './ticket.ts';
import { type Buckets, bucketsOf } from './ticket-buckets.ts';
import { type ListQuery, listPlan, type Plan, type Viewer, visibleTo, windowPlan } from './ticket-list-plan.ts';
import { createTicketLoader } from './ticket-loader.ts';
import { epoch, ticketModel } from './ticket-model-store.ts';
import { snapshotEvents, snapshotFields } from './ticket-snapshot.ts';
import { nextTime } from './ticket-time.ts';

/** See `TicketStore.change`. */
export type Decide = (ticket: Ticket, at: Date) => Decision;
export type ChangeOptions = { alongside?: TransactionalWrite | null };

export type TicketStore = {
  /** Saves a new ticket and tells those who keep copies. */
  add(ticket: Ticket): Promise<void>;
  /** The ticket, if this company sees it. */
  find(id: string, viewer: Viewer): Promise<Ticket | null>;
  /** Ascending by id, from after `query.cursor` on; `query.limit` at most. */
  list(query: ListQuery, viewer: Viewer): Promise<Ticket[]>;
  /** The newest ticket of that number that this company sees. */
  idOfNumber(number: string, viewer: Viewer): Promise<string | null>;
  /**
   * Decides on the ticket given (loaded first where only its id is), saves with its events and notes; `decide` runs again
   * on the ticket as it is by then where another write came between, so it is pure. `at` is the time of the change, later
   * than that of any change before. `alongside` is written in the same transaction.
   * @throws AppError not_found `ticket_not_found`, and what `decide` throws
   */
  change(start: Ticket | string, decide: Decide, options?: ChangeOptions): Promise<Ticket>;
  /** Tickets for which a timer has something to do, soonest first. */
  due(now: Date): AsyncIterable<string>;
  /** Tickets on which this contractor still lacks its company (it was linked later). */
  withUnlinkedContractor(contractorId: string, limit: number): Promise<string[]>;
  /** Tickets of every client as far as their facts go, ascending by id. */
  snapshotsAfter(id: string | null, limit: number): Promise<Ticket[]>;
};

type Deps = { connection: Connection; relay: Relay; notes: NoteStore; now?: () => Date };

const changeAttempts = 20;
const dueAtOnce = 100;
const queryTimeMs = 20_000;

const unsent = { outbox: 0 } as const;

export function createTicketStore({ connection, relay, notes, now = () => new Date() }: Deps): TicketStore {
  const model = ticketModel(connection);
  // The driver's own collection: these are the hottest reads and writes, and what goes in is typed and validated already.
  const tickets = model.collection;
  const reads = createTicketLoader<Ticket>(connection, unsent);
  const writes = createOutboxWriter<Ticket & Buckets>({ model, relay, service: 'ticket' });
  relay.watch(model);

  async function load(id: string): Promise<Ticket> {
    const ticket = await reads.load(id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }

  const listed = ({ filter, hint }: Plan) =>
    tickets.find(filter as never, { projection: unsent, hint, maxTimeMS: queryTimeMs });

  async function save(before: Ticket, decision: Decision, alongside?: TransactionalWrite | null): Promise<boolean> {
    const { ticket, events, notes: drafts = [] } = decision;
    const { _id, version, updated_at } = before;
    const facts = snapshotEvents(before, { ...ticket, version: version + 1 });
    const change = {
      // By its time too, which moves with what is written beside it.
      filter: { _id, version, updated_at },
      update: { $set: changes(before, ticket), $inc: { version: 1, note_count: drafts.length } },
      events: [...events, ...notes.events(ticket, drafts), ...facts],
    };
    if (drafts.length === 0 && !alongside) return writes.update(change);
    return writes.updateInTransaction(change, async (session) => {
      if (drafts.length > 0) await notes.insert(ticket, drafts, session);
      await alongside?.(session);
    });
  }

  return {
    add: (ticket) => writes.insert({ ...ticket, ...bucketsOf(ticket) }, snapshotEvents(null, ticket)),
    find: reads.load,
    async list(query, viewer) {
      const { limit } = query;
      const window = windowPlan(query, viewer);
      if (window) {
        const all = (await listed(window).limit(limit).toArray()) as unknown as Ticket[];
        if (all.length < limit) return all.sort((one, other) => (one._id < other._id ? -1 : 1));
      }
      const inOrder = listed(listPlan(query, viewer, now())).sort({ _id: 1 });
      return (await inOrder.limit(limit).toArray()) as unknown as Ticket[];
    },
    async idOfNumber(number, viewer) {
      const filter = { ...visibleTo(viewer), number };
      const found = await tickets.findOne(filter as never, {
        projection: { _id: 1 },
        sort: { _id: -1 },
        hint: 'number',
      });
      return found ? String(found._id) : null;
    },
    async change(start, decide, { alongside } = {}) {
      const first = typeof start === 'string' ? await load(start) : start;
      for (let attempt = 0; attempt < changeAttempts; attempt++) {
        const before = attempt === 0 ? first : await load(first._id);
        const at = nextTime(before, now());
        const decision = decide(before, at);
        if (decision.ticket === before) return before;
        const changed = { ...decision.ticket, updated_at: at };
        const ticket = { ...changed, ...bucketsOf(changed) };
        if (await save(before, { ...decision, ticket }, alongside)) return { ...ticket, version: before.version + 1 };
      }
      throw new AppError('overloaded', 'ticket_busy', 'this ticket is being changed by many requests; try again');
    },
    async *due(now) {
      const filter = { due_at: { $gt: epoch, $lte: now } };
      const found = tickets.find(filter as never, { projection: { _id: 1 }, hint: 'due', batchSize: dueAtOnce });
      for await (const { _id } of found.sort({ due_at: 1 })) yield String(_id);
    },
    async withUnlinkedContractor(contractorId, limit) {
      const views = { $elemMatch: { contractor_id: contractorId, company_id: null } };
      const found = tickets.find({ views } as never, { projection: { _id: 1 }, hint: 'contractor' });
      return (await found.limit(limit).toArray()).map(({ _id }) => String(_id));
    },
    async snapshotsAfter(id, limit) {
      const projection = Object.fromEntries(snapshotFields.map((field) => [field, 1]));
      const found = tickets.find((id === null ? {} : { _id: { $gt: id } }) as never, { projection });
      return (await found.sort({ _id: 1 }).limit(limit).toArray()) as unknown as Ticket[];
    },
  };
}

/**
 * The fields that a rule replaced: rules never change a value in place. Of views that stayed in number and order each is
 * named with the fields that differ: every index of tickets is about views, and MongoDB looks anew at each index that a
 * written path may touch.
 */
function changes(before: Ticket, after: Ticket): Record<string, unknown> {
  const names = Object.keys(after) as (keyof Ticket)[];
  const { views, ...changed } = Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  ) as Partial<Ticket>;
  return { ...changed, ...(views ? changesOfViews(before.views, views) : {}) };
}

function changesOfViews(before: View[], after: View[]): Record<string, unknown> {
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
