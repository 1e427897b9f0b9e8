import type { NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { createOutboxWriter, type Relay } from '@app/messaging';
import { collectionOf, conflict, retryOnConflict } from '@app/runtime';
import {
  type ProtectedWrite,
  resultWrite,
  type SaveResult,
  type TransactionalWrite,
  writeOnce,
} from '@app/runtime/idempotency';
import type { ClientSession, Connection } from 'mongoose';
import { entriesPerTicket, historyEntries, type LogDraft } from '../history.ts';
import { type ClockRulesOf, hasSameRules, needsClocks, withClock } from '../lifecycle/ticket-clocks.ts';
import {
  hasOtherReaders,
  notificationEvents,
  type PlacesAbove,
  readersChanged,
  toldOfChange,
} from '../lifecycle/ticket-notifications.ts';
import { untoldBy, warningsOf } from '../lifecycle/warnings.ts';
import { facetsOf, searchKeys } from '../lists/list-keys.ts';
import { changedSortKeys } from '../lists/ticket-list.ts';
import { bucketsOf } from '../lists/ticket-list-plan.ts';
import { type Decision, type NoteDraft, nextTime, type Ticket, type UserRef, type View } from '../ticket.ts';
import { snapshotEvents } from '../ticket-snapshot.ts';
import type { Viewer } from '../visibility.ts';
import { companiesOf, storedForm, ticketModel, withoutKeys } from './ticket-collection.ts';
import { createTicketLoader } from './ticket-loader-store.ts';
import { createTicketQueries, type TicketQueries } from './ticket-queries-store.ts';

/** See `TicketStore.change`. */
type Decide = (ticket: Ticket, at: Date) => Decision;
/** `write`: of the request. `alongside` is written in the same transaction, the entry of `log` with the change. */
export type ChangeOptions = { write: ProtectedWrite | null; alongside?: TransactionalWrite | null; log?: LogDraft };

/** Writes the notes that a change of a ticket brings with it. */
export type NoteWriter = {
  /** Within the transaction that changes the ticket. */
  insert(ticket: Ticket, drafts: NoteDraft[], session: ClientSession): Promise<void>;
  events(ticket: Ticket, drafts: NoteDraft[]): Promise<NewEvent[]>;
};

export type TicketStore = TicketQueries & {
  /** Saves a new ticket with its snapshot event. @returns the ticket as saved, by an earlier attempt at this request or now */
  add(ticket: Ticket, write: ProtectedWrite | null): Promise<Ticket>;
  /** The ticket, if this company sees it. */
  find(id: string, viewer: Viewer): Promise<Ticket | null>;
  /**
   * Decides on the given ticket (loaded first if only its id is given) and saves it with its events and notes. If another
   * write came between, `decide` runs again on the current ticket, so it must be pure. `at` is the time of the change, later
   * than that of any earlier change.
   * @returns the ticket as saved
   * @throws AppError not_found `ticket_not_found`, overloaded `ticket_busy`, and what `decide` throws
   */
  change(start: Ticket | string, decide: Decide, options: ChangeOptions): Promise<Ticket>;
  /**
   * Decides on tickets that were read in this transaction, in which a change by somebody else is a conflict, and saves them at once.
   * @returns what is to be called after the commit
   */
  changeAllWithin(changes: readonly Change[], log: LogDraft, session: ClientSession): Promise<() => void>;
  /**
   * Tells the warnings of a ticket whose time has come. That is no change of the ticket: its version and its time stay.
   * @throws AppError overloaded `ticket_busy`
   */
  warn(id: string): Promise<void>;
};

const { told: _, ...withTold } = withoutKeys;
/** Of one ticket: the oldest are forgotten. */
const maxTold = 1_000;
const busy = { code: 'ticket_busy', what: 'this ticket' };

type Change = { before: Ticket; decide: Decide };
type Beside = Omit<ChangeOptions, 'write'>;
type Deps = {
  connection: Connection;
  relay: Relay;
  notes: NoteWriter;
  now?: () => Date;
  /** By default no ticket has a policy. */
  clockRulesOf?: ClockRulesOf;
  /** By default a ticket has no places. */
  placesAbove?: PlacesAbove;
};

export function createTicketStore({
  connection,
  relay,
  notes,
  now = () => new Date(),
  clockRulesOf = async () => null,
  placesAbove = async () => [],
}: Deps): TicketStore {
  const model = ticketModel(connection);
  const loader = createTicketLoader<Ticket>(connection, withoutKeys);
  const writes = createOutboxWriter<ReturnType<typeof storedForm>>({ model, relay, service: 'ticket' });
  const eventsBeside = eventsBesideOf({ notes, placesAbove });
  relay.watch(model);

  async function load(id: string): Promise<Ticket> {
    const ticket = await loader.load(id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }

  async function save(before: Ticket, decision: Decision, { alongside, log }: Beside): Promise<boolean> {
    const { ticket, notes: drafts = [] } = decision;
    const change = changeOf(before, decision, log);
    if (drafts.length === 0 && !alongside) return writes.update(change);
    return writes.updateInTransaction(change, async (session) => {
      if (drafts.length > 0) await notes.insert(ticket, drafts, session);
      await alongside?.(session);
    });
  }

  return {
    async add(given, write) {
      const { ticket } = await clocked(null, given, clockRulesOf);
      const beside = await eventsBeside(null, ticket, ticket.created_by);
      return writes.insert(storedForm(ticket), [...snapshotEvents(null, ticket), ...beside], write);
    },
    find: loader.load,
    ...createTicketQueries({ connection, now }),
    change(start, decide, { write, ...options }) {
      const attempt = async (number: number, saveResult: SaveResult<Ticket> | null) => {
        const given = number === 0 ? start : ticketId(start);
        const before = typeof given === 'string' ? await load(given) : given;
        const at = nextTime(before, now());
        const decision = decide(before, at);
        if (decision.ticket === before) return before;
        const decided = { ...decision.ticket, updated_at: at };
        const { ticket, untold } = await clocked(before, decided, clockRulesOf, options.log);
        const after = { ...ticket, version: before.version + 1 };
        const told = await eventsBeside(before, ticket, options.log?.by ?? null, decision.notes);
        const events = [...decision.events, ...told];
        const beside = { ...options, alongside: resultWrite(saveResult, after, options.alongside) };
        return (await save(before, { ...decision, ticket, events, untold }, beside)) ? after : conflict;
      };
      return writeOnce(write, (saveResult) => retryOnConflict((number) => attempt(number, saveResult), busy));
    },
    async changeAllWithin(changes, log, session) {
      const all: ReturnType<typeof changeOf>[] = [];
      for (const { before, decide } of changes) {
        const at = nextTime(before, now());
        const decision = decide(before, at);
        const ticket = { ...decision.ticket, updated_at: at };
        const events = [...decision.events, ...(await eventsBeside(before, ticket, log.by, decision.notes))];
        all.push(changeOf(before, { ...decision, ticket, events }, log));
      }
      return writes.updateAllWithin(all, session);
    },
    // By the driver: what was told is no part of a ticket.
    warn: (_id) =>
      retryOnConflict(async () => {
        const found = await collectionOf(model).findOne({ _id }, { projection: withTold });
        if (!found) return;
        const { told = [], warn_at, ...ticket } = found;
        // Another process has told it.
        if (!warn_at || warn_at > now()) return;
        const { told: nowTold, events, next } = warningsOf(ticket, told, await placesAbove(ticket), now());
        const { version, updated_at } = ticket;
        // A change moves the first two, who told a warning the last.
        const filter = { _id, version, updated_at, warn_at };
        const update = { $set: { warn_at: next }, $push: toldWith(nowTold) };
        return (await writes.update({ filter, update, events })) ? undefined : conflict;
      }, busy),
  };
}

async function clocked(before: Ticket | null, given: Ticket, clockRulesOf: ClockRulesOf, log?: LogDraft) {
  if (!needsClocks(before, given)) return { ticket: given };
  const rules = await clockRulesOf(given);
  const ticket = withClock(before, given, rules, log);
  if (!before) return { ticket };
  const formerRules = hasSameRules(before, given) ? rules : await clockRulesOf(before);
  return { ticket, untold: untoldBy(before, ticket, formerRules) };
}

/** The events of notes and notifications: those are no part of the rule, as it does not know the time or the places. */
function eventsBesideOf({ notes, placesAbove }: { notes: NoteWriter; placesAbove: PlacesAbove }) {
  return async (before: Ticket | null, after: Ticket, by: UserRef | null, drafts: NoteDraft[] = []) => {
    const told = toldOfChange(before, after, by);
    const isReadByOthers = hasOtherReaders(before, after);
    const placeIds = told.length > 0 || isReadByOthers ? await placesAbove(after) : [];
    const written = drafts.length === 0 ? [] : await notes.events(after, drafts);
    const raised = notificationEvents(after, told, { by, placeIds, at: after.updated_at });
    return [...written, ...(isReadByOthers ? [readersChanged(after, placeIds)] : []), ...raised];
  };
}

function toldWith(keys: string[]) {
  return { told: { $each: keys, $slice: -maxTold } };
}

function changeOf(before: Ticket, decision: Decision, log: LogDraft | undefined) {
  const { ticket, events, notes: drafts = [], untold = [] } = decision;
  const { _id, version, updated_at } = before;
  return {
    // `updated_at` as well, since `TicketTimes` moves it without a new version.
    filter: { _id, version, updated_at },
    update: {
      $set: changedFields(before, ticket),
      $inc: { version: 1, note_count: drafts.length },
      $push: {
        ...(log ? { history: { $each: historyEntries(before, ticket, log), $slice: -entriesPerTicket } } : {}),
        ...(untold.length > 0 ? toldWith(untold) : {}),
      },
    },
    events: [...events, ...snapshotEvents(before, { ...ticket, version: version + 1 })],
  };
}

function ticketId(ticket: Ticket | string): string {
  return typeof ticket === 'string' ? ticket : ticket._id;
}

/**
 * The fields that a rule replaced, the keys of lists that follow, and that it is to be counted: rules never change a value in place. If the views stayed in
 * number and order, only their changed fields are named: nearly every index of tickets is on views, and MongoDB checks each index
 * that a written path may touch.
 */
function changedFields(before: Ticket, after: Ticket): Record<string, unknown> {
  const names = Object.keys(after) as (keyof Ticket)[];
  const { views: _, ...changed } = Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  ) as Partial<Ticket>;
  const search =
    companiesOf(before).join() === companiesOf(after).join() && before.title === after.title
      ? {}
      : { search: searchKeys(after) };
  return {
    ...changed,
    ...bucketsOf(after),
    ...changedSortKeys(before, after),
    ...search,
    ...changedViews(before, after),
    uncounted: companiesOf(after),
  };
}

function changedViews(before: Ticket, after: Ticket): Record<string, unknown> {
  const same =
    before.views.length === after.views.length &&
    after.views.every(({ _id }, index) => before.views[index]?._id === _id);
  if (!same) return { views: storedForm(after).views };
  return Object.fromEntries(
    after.views.flatMap((view, index) => {
      const former = before.views[index] as View;
      const names = (Object.keys(view) as (keyof View)[]).filter((name) => view[name] !== former[name]);
      const changed: [string, unknown][] = names.map((name) => [`views.${index}.${name}`, view[name]]);
      const facets = facetsOf(after, view);
      const stay = facets.join() === facetsOf(before, former).join();
      return stay ? changed : [...changed, [`views.${index}.facets`, facets] as [string, unknown]];
    }),
  );
}
