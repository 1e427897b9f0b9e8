import { subscribableEvents } from '@app/contracts';
import { createCompanyList, createListReader } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import { earliestDueByKey } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Delivery, DeliveryStatus, LogFilter } from './delivery.ts';
import { deliveryList, loggedBy } from './delivery-list.ts';
import {
  attemptPush,
  type DeliveryCollection,
  type DeliveryRecord,
  deliveryCollection,
  toDelivery,
} from './delivery-store.ts';

/** `cursor`: the `next` of the page before. */
type LogPage = { filter: LogFilter; limit: number; cursor: string | null };
type RedeliveredPage = { found: number; queued: number; next: string | null };
export type DuplicateAttempt = { id: string; attempt: Attempt };
export type LoggedDelivery = Omit<Delivery, 'body'>;

/** Created at or after `since` and before `until`. */
type MadeIn = { since: Date; until?: Date };

/** The delivery log as people read it, and what they may do about it. */
export type DeliveryLogStore = ReturnType<typeof createDeliveryLogStore>;

const countedAtMost = 10_000;
/** More than a lease lasts, with a WEBHOOK_TIMEOUT of up to 80 s. */
const longestLeaseMs = 180_000;

const ended: DeliveryStatus[] = ['succeeded', 'exhausted', 'canceled'];
/** Ended, or waiting for a retry. */
const restartable = {
  $or: [{ status: { $in: ended } }, { status: 'failed' as const, lease: { $exists: false } }],
};

export function createDeliveryLogStore(connection: Connection) {
  const collection = deliveryCollection(connection);

  return {
    /** Without their bodies. */
    read: createCompanyList<Omit<DeliveryRecord, 'body'>>(deliveryList, createListReader(collection, { body: 0 })),
    withBodies: createCompanyList<DeliveryRecord>(deliveryList, createListReader(collection, {})),
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
     * `unlessSince`. `next` is null on the last page.
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
    oldestDue: (at: Date): Promise<Date | null> => oldestDue(collection, at),
  };
}

async function oldestDue(collection: DeliveryCollection, at: Date): Promise<Date | null> {
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
  { filter, limit, cursor, at, unlessSince }: Redelivered,
): Promise<RedeliveredPage> {
  const log = createCompanyList(
    deliveryList,
    createListReader<DeliveryRecord, DeliveryRecord>(collection, { createdAt: 1 }),
  );
  const page = { limit, cursor: cursor ?? undefined };
  const { items, nextCursor: next } = await log.page(endpoint.id, loggedBy(filter), page);
  if (items.length === 0) return { found: 0, queued: 0, next };
  const { modifiedCount: queued } = await collection.updateMany(
    {
      _id: { $in: items.map(({ _id }) => _id) },
      endpointId: endpoint.id,
      ...restartable,
      event: { $in: [...subscribableEvents] },
      begunAnewAt: { $not: { $gte: unlessSince } },
    },
    restart(endpoint, at),
    { hint: '_id_' },
  );
  return { found: items.length, queued, next };
}

/** Begins the whole retry schedule again, with the first attempt at once. */
function restart({ enablings }: Endpoint, at: Date) {
  const enabling = enablings === undefined ? {} : { enabling: enablings };
  return {
    $set: { status: 'pending' as const, tries: 0, nextAttemptAt: at, dueAt: at, begunAnewAt: at, ...enabling },
    $unset: { lease: 1 as const },
  };
}
