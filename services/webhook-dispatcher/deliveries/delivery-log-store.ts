import { subscribableEvents, testEvent } from '@app/contracts';
import type { TimePosition } from '@app/kernel';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import { earliestDueByKey } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Delivery, type DeliveryStatus, deliveryStatuses, type LogFilter } from './delivery.ts';
import { attemptPush, type DeliveryCollection, deliveryCollection, toDelivery } from './delivery-store.ts';

/** `after`: the last of the page before. */
export type LogPage = LogFilter & { limit: number; after?: TimePosition | null };
type RedeliveredPage = { found: number; queued: number; last: TimePosition | null };
export type DuplicateAttempt = { id: string; attempt: Attempt };
export type LoggedDelivery = Omit<Delivery, 'body'>;

/** Created at or after `since` and before `until`. */
type MadeIn = { since: Date; until?: Date };

/** The delivery log as people read it, and what they may do about it. */
export type DeliveryLogStore = ReturnType<typeof createDeliveryLogStore>;

const countedAtMost = 10_000;
const epoch = new Date(0);
/** More than a lease lasts, with a WEBHOOK_TIMEOUT of up to 80 s. */
const longestLeaseMs = 180_000;

const loggedEvents = [...subscribableEvents, testEvent];
const ended: DeliveryStatus[] = ['succeeded', 'exhausted', 'canceled'];
/** Ended, or waiting for a retry. */
const restartable = {
  $or: [{ status: { $in: ended } }, { status: 'failed' as const, lease: { $exists: false } }],
};
export const newestFirst = { createdAt: -1, _id: -1 } as const;

export function createDeliveryLogStore(connection: Connection) {
  const collection = deliveryCollection(connection);

  return {
    /** The newest first, without their bodies. */
    async list(endpointId: string, { limit, ...page }: LogPage): Promise<LoggedDelivery[]> {
      const options = { projection: { body: 0 }, hint: hintOf(page) };
      const found = collection.find(logFilter(endpointId, page), options).sort(newestFirst);
      return (await found.limit(limit).toArray()).map(toDelivery);
    },
    /** The number of deliveries, counted up to `limit`. */
    count: (endpointId: string, filter: LogFilter, limit: number): Promise<number> =>
      collection.countDocuments(logFilter(endpointId, filter), { hint: hintOf(filter), limit }),
    async find(endpointId: string, id: string): Promise<Delivery | null> {
      const found = await collection.findOne({ _id: id, endpointId });
      return found && toDelivery(found);
    },
    /**
     * Starts a delivery again if it has ended or waits for its retry, not while it is attempted.
     * @returns the delivery as it was started, by an earlier attempt at this request or now; null if it was not
     */
    redeliver(
      endpoint: Endpoint,
      id: string,
      { at, write }: { at: Date; write: ProtectedWrite | null },
    ): Promise<Delivery | null> {
      const filter = { _id: id, endpointId: endpoint.id, ...restartable };
      return writeOnceIn(write, connection, async (within) => {
        const options = { ...within, returnDocument: 'after' as const };
        const restarted = await collection.findOneAndUpdate(filter, restart(endpoint, at), options);
        return restarted && toDelivery(restarted);
      });
    },
    /** Starts all exhausted and canceled deliveries of that time again. @returns their number */
    async recover(endpoint: Endpoint, made: MadeIn, at: Date): Promise<number> {
      const { modifiedCount } = await collection.updateMany(recoverable(endpoint.id, made), restart(endpoint, at));
      return modifiedCount;
    },
    /** How many `recover` would start again, counted up to `limit`. */
    countRecoverable: (endpointId: string, made: MadeIn, limit: number): Promise<number> =>
      collection.countDocuments(recoverable(endpointId, made), { hint: 'log', limit }),
    /**
     * Starts the deliveries of a page of the log again as `redeliver` does, except tests and those that were started again since
     * `unlessSince`. `last` is null if the page was not full.
     */
    redeliverPage: (
      endpoint: Endpoint,
      page: LogPage,
      when: { at: Date; unlessSince: Date },
    ): Promise<RedeliveredPage> => redeliverPage(collection, endpoint, { ...page, ...when }),
    /** Adds attempts that change nothing of the state of their deliveries. */
    async appendAttempts(sent: DuplicateAttempt[]): Promise<void> {
      const updates = sent.map(({ id, attempt }) => {
        const { $push } = attemptPush(attempt);
        return { updateOne: { filter: { _id: id }, update: { $push } } };
      });
      await collection.bulkWrite(updates, { ordered: false });
    },
    /** How many deliveries of an endpoint are due at `at` and claimed by no process, counted up to `limit`. */
    countDueOf: (endpointId: string, at: Date, limit: number): Promise<number> =>
      collection.countDocuments({ endpointId, dueAt: { $lte: at } }, { hint: 'due', limit }),
    /** How many deliveries of all endpoints are due at `at` and claimed by no process, counted up to 10,000. */
    // Bounds on both fields let MongoDB skip what is not due yet, endpoint by endpoint.
    countDue: (at: Date): Promise<number> =>
      collection.countDocuments(
        { endpointId: { $gt: '' }, dueAt: { $lte: at } },
        { hint: 'due', limit: countedAtMost },
      ),
    /**
     * Since when the longest overdue delivery has been due, among the endpoints to which no process
     * is sending; null if none is. An endpoint to which a process is sending is left out: its other
     * deliveries wait for their turn, which takes long if the receiver hangs, and is no fault of this
     * service.
     */
    async oldestDue(at: Date): Promise<Date | null> {
      const [oldest] = await collection
        .aggregate<{ dueAt: Date }>([
          ...earliestDueByKey('endpointId', '', at),
          { $sort: { dueAt: 1 } },
          // One endpoint after the other, until one is found.
          { $lookup: { from: collection.collectionName, ...claimedOfEndpoint(at), as: 'claimed' } },
          { $match: { claimed: [] } },
          { $limit: 1 },
        ])
        .toArray();
      return oldest?.dueAt ?? null;
    },
  };
}

/** For `$lookup`: a delivery of the endpoint `_id` under a lease at `at`. */
function claimedOfEndpoint(at: Date) {
  // A lease ends soon: later than that are only retries, of which an endpoint may have very many.
  const dueAt = { $gt: at, $lte: new Date(at.getTime() + longestLeaseMs) };
  return {
    localField: '_id',
    foreignField: 'endpointId',
    pipeline: [{ $match: { dueAt, lease: { $exists: true } } }, { $limit: 1 }, { $project: { _id: 1 } }],
  };
}

function recoverable(endpointId: string, { since, until }: MadeIn) {
  return {
    endpointId,
    status: { $in: ['exhausted', 'canceled'] as DeliveryStatus[] },
    event: { $in: [...subscribableEvents] },
    createdAt: { $gte: since, ...(until ? { $lt: until } : {}) },
  };
}

type Redelivered = LogPage & { at: Date; unlessSince: Date };

async function redeliverPage(
  collection: DeliveryCollection,
  endpoint: Endpoint,
  { limit, at, unlessSince, ...page }: Redelivered,
): Promise<RedeliveredPage> {
  const options = { projection: { createdAt: 1 }, hint: hintOf(page), limit };
  const found = await collection.find(logFilter(endpoint.id, page), options).sort(newestFirst).toArray();
  const last = found.at(-1);
  if (!last) return { found: 0, queued: 0, last: null };
  const { modifiedCount: queued } = await collection.updateMany(
    {
      _id: { $in: found.map(({ _id }) => _id) },
      endpointId: endpoint.id,
      ...restartable,
      event: { $in: [...subscribableEvents] },
      begunAnewAt: { $not: { $gte: unlessSince } },
    },
    restart(endpoint, at),
    { hint: '_id_' },
  );
  const isFull = found.length === limit;
  return { found: found.length, queued, last: isFull ? { at: last.createdAt, id: last._id } : null };
}

/** The index, always named: while it is being built, a list fails instead of scanning. */
function hintOf({ ticket }: LogFilter): string {
  return ticket === undefined ? 'log' : 'logOfTicket';
}

/** Gives every field of the index a value, or all values, so that MongoDB returns the page in the order of the index. */
export function logFilter(
  endpointId: string,
  { status, event, ticket, since = epoch, until, after }: Omit<LogPage, 'limit'>,
) {
  return {
    endpointId,
    ...(ticket === undefined ? {} : { 'ticket.id': ticket }),
    status: status ?? { $in: [...deliveryStatuses] },
    event: event ?? { $in: loggedEvents },
    createdAt: { $gte: since, ...(until ? { $lt: until } : {}), ...(after ? { $lte: after.at } : {}) },
    // Without the deliveries of that millisecond that the previous page has. An $or of two ranges
    // would be exact, but MongoDB merges at most 200.
    ...(after ? { $nor: [{ createdAt: after.at, _id: { $gte: after.id } }] } : {}),
  };
}

/** Begins the whole retry schedule again, with the first attempt at once. */
function restart({ enablings }: Endpoint, at: Date) {
  const enabling = enablings === undefined ? {} : { enabling: enablings };
  return {
    $set: { status: 'pending' as const, tries: 0, nextAttemptAt: at, dueAt: at, begunAnewAt: at, ...enabling },
    $unset: { lease: 1 as const },
  };
}
