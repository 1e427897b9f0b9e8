import { testEvent } from '@app/contracts';
import { writeOnceIn } from '@app/idempotency';
import type { Connection } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import { type Endpoint, subscribableEvents } from '../endpoints/endpoint.ts';
import { type Delivery, type DeliveryStatus, deliveryStatuses } from './delivery.ts';
import type { LogPosition } from './delivery-cursor.ts';
import { attemptPush, deliveryCollection, earliestDuePerEndpoint, toDelivery } from './delivery-store.ts';

/** Of deliveries that were created at or after `since` and before `until`. `ticket` is its id. */
export type LogFilter = { status?: DeliveryStatus; event?: string; ticket?: string; since?: Date; until?: Date };
/** `after`: the last of the page before. */
export type LogPage = LogFilter & { limit: number; after?: LogPosition | null };
export type DuplicateAttempt = { id: string; attempt: Attempt };
export type LoggedDelivery = Omit<Delivery, 'body'>;

/** The delivery log as people read it, and what they may do about it. */
export type DeliveryLogStore = {
  /** The newest first, without their bodies. */
  list(endpointId: string, page: LogPage): Promise<LoggedDelivery[]>;
  find(endpointId: string, id: string): Promise<Delivery | null>;
  /**
   * Starts a delivery again if it has ended or waits for its retry, not while it is attempted.
   * @returns the delivery as it was started, by an earlier attempt at this request or now; null if it was not
   */
  redeliver(endpoint: Endpoint, id: string, at: Date): Promise<Delivery | null>;
  /** Starts all exhausted and canceled deliveries since then again; gives their number. */
  recover(endpoint: Endpoint, since: Date, at: Date): Promise<number>;
  /** Adds attempts that change nothing of the state of their deliveries. */
  appendAttempts(sent: DuplicateAttempt[]): Promise<void>;
  /** Deliveries of all endpoints that are due at `at` and that no process has taken up; at most 10,000. */
  countDue(at: Date): Promise<number>;
  /** Since when the longest of them is due; null: none is. */
  oldestDue(at: Date): Promise<Date | null>;
};

const countedAtMost = 10_000;
const epoch = new Date(0);

const loggedEvents = [...subscribableEvents, testEvent];
const ended: DeliveryStatus[] = ['succeeded', 'exhausted', 'canceled'];

export function createDeliveryLogStore(connection: Connection): DeliveryLogStore {
  const collection = deliveryCollection(connection);

  return {
    async list(endpointId, { limit, ...page }) {
      const options = { projection: { body: 0 }, hint: page.ticket === undefined ? 'log' : 'logOfTicket' };
      const found = collection.find(logFilter(endpointId, page), options).sort({ createdAt: -1, _id: -1 });
      return (await found.limit(limit).toArray()).map(toDelivery);
    },
    async find(endpointId, id) {
      const found = await collection.findOne({ _id: id, endpointId });
      return found && toDelivery(found);
    },
    redeliver(endpoint, id, at) {
      const waiting = { status: 'failed' as const, lease: { $exists: false } };
      const filter = { _id: id, endpointId: endpoint.id, $or: [{ status: { $in: ended } }, waiting] };
      return writeOnceIn(connection, async (within) => {
        const options = { ...within, returnDocument: 'after' as const };
        const restarted = await collection.findOneAndUpdate(filter, restart(endpoint, at), options);
        return restarted && toDelivery(restarted);
      });
    },
    async recover(endpoint, since, at) {
      const filter = {
        endpointId: endpoint.id,
        status: { $in: ['exhausted', 'canceled'] as DeliveryStatus[] },
        event: { $in: [...subscribableEvents] },
        createdAt: { $gte: since },
      };
      const { modifiedCount } = await collection.updateMany(filter, restart(endpoint, at));
      return modifiedCount;
    },
    async appendAttempts(sent) {
      const updates = sent.map(({ id, attempt }) => {
        const { $push } = attemptPush(attempt);
        return { updateOne: { filter: { _id: id }, update: { $push } } };
      });
      await collection.bulkWrite(updates, { ordered: false });
    },
    // With bounds on both fields MongoDB skips, at each endpoint, what is not due yet.
    countDue: (at) =>
      collection.countDocuments(
        { endpointId: { $gt: '' }, dueAt: { $lte: at } },
        { hint: 'due', limit: countedAtMost },
      ),
    async oldestDue(at) {
      const [oldest] = await collection
        .aggregate<{ dueAt: Date }>([...earliestDuePerEndpoint('', at), { $sort: { dueAt: 1 } }, { $limit: 1 }])
        .toArray();
      return oldest?.dueAt ?? null;
    },
  };
}

/** Each field of the index has a value or all values, so that a page is read in order whatever it is filtered by. */
function logFilter(endpointId: string, { status, event, ticket, since = epoch, until, after }: Omit<LogPage, 'limit'>) {
  return {
    endpointId,
    ...(ticket === undefined ? {} : { 'ticket.id': ticket }),
    status: status ?? { $in: [...deliveryStatuses] },
    event: event ?? { $in: loggedEvents },
    createdAt: { $gte: since, ...(until ? { $lt: until } : {}), ...(after ? { $lte: after.createdAt } : {}) },
    // What the page before gave of its last millisecond. An $or of two ranges would be exact, but MongoDB merges at most 200.
    ...(after ? { $nor: [{ createdAt: after.createdAt, _id: { $gte: after.id } }] } : {}),
  };
}

/** The whole retry schedule again, with the first attempt at once. */
function restart({ enablings }: Endpoint, at: Date) {
  const enabling = enablings === undefined ? {} : { enabling: enablings };
  return {
    $set: { status: 'pending' as const, tries: 0, nextAttemptAt: at, dueAt: at, begunAnewAt: at, ...enabling },
    $unset: { lease: 1 as const },
  };
}
