import { indexFields } from '@app/kernel';
import { collectionOf, documentSchema, duplicateIndexes, modelOf } from '@app/runtime';
import { claimBatch, findDueKeys, type Lease } from '@app/work-queue';
import type { Connection, mongo } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Session } from '../endpoints/endpoint-store.ts';
import type { Delivery, Outcome } from './delivery.ts';
import { deliveryList } from './delivery-list.ts';

/** A new delivery. Without a lease it is due at its `nextAttemptAt`, if it has one. */
export type NewDelivery = { delivery: Delivery; lease: Lease | null };

export type AttemptResult = { id: string; lease: Lease; attempt: Attempt; outcome: Outcome };

/** What sending needs of deliveries; delivery-log-store.ts has what people ask for. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/**
 * `dueAt`: when the delivery is to be claimed, which is the time of its next attempt or, during an attempt, the end
 * of the lease. Absent, and so not in its index, if nothing is to be done any more.
 * `begunAnewAt`: when it was last redelivered or recovered; its 90 days count from then.
 */
export type DeliveryRecord = Omit<Delivery, 'id'> & { _id: string; dueAt?: Date; lease?: string; begunAnewAt?: Date };
export type DeliveryCollection = mongo.Collection<DeliveryRecord>;

/**
 * Attempts kept in the record, newest last: redeliveries would otherwise grow it without end. Twice the attempts of the default
 * schedule: if WEBHOOK_RETRY_DELAYS gets more delays by default, raise it.
 */
const maxAttemptsKept = 12;
const retentionSeconds = 90 * 24 * 3600;

const deliverySchema = documentSchema<DeliveryRecord>('deliveries');
deliverySchema.index(
  { createdAt: 1 },
  { expireAfterSeconds: retentionSeconds, partialFilterExpression: { begunAnewAt: null }, name: 'keptFromMaking' },
);
deliverySchema.index(
  { begunAnewAt: 1 },
  {
    expireAfterSeconds: retentionSeconds,
    partialFilterExpression: { begunAnewAt: { $exists: true } },
    name: 'keptFromBeginningAnew',
  },
);
deliverySchema.index(
  { endpointId: 1, dueAt: 1 },
  { partialFilterExpression: { dueAt: { $exists: true } }, name: 'due' },
);
for (const { name, fields } of indexFields(deliveryList)) {
  const ofTicket = { partialFilterExpression: { 'ticket.id': { $exists: true } } };
  deliverySchema.index(fields, { name, ...(name === 'logOfTicket' ? ofTicket : {}) });
}

/** By the driver: deliveries are written and claimed thousands of times a second. The model declares the indexes. */
export function deliveryCollection(connection: Connection): DeliveryCollection {
  return collectionOf(modelOf(connection, 'Delivery', deliverySchema));
}

export function createDeliveryStore(connection: Connection) {
  const collection = deliveryCollection(connection);

  return {
    /** Stores those that are not stored yet, and gives their ids. */
    insert: (entries: NewDelivery[]): Promise<Set<string>> => insertNew(collection, entries),
    /**
     * Takes up to `limit` due deliveries of an endpoint under the lease, the longest due first,
     * without their earlier attempts.
     */
    claim: (endpointId: string, limit: number, lease: Lease): Promise<Delivery[]> =>
      claimDeliveries(collection, { endpointId, limit, lease }),
    /** False if the lease was lost (nothing is stored) or the delivery canceled (the attempt is stored). */
    async record(result: AttemptResult, session?: Session): Promise<boolean> {
      const options = session ? { session } : {};
      const { filter, update } = resultUpdate(result);
      const { matchedCount } = await collection.updateOne(filter, update, options);
      if (matchedCount === 1) return true;
      const attemptOnly = attemptOnlyUpdate(result);
      await collection.updateOne(attemptOnly.filter, attemptOnly.update, options);
      return false;
    },
    /** The same for many at once. */
    async recordAll(results: AttemptResult[]): Promise<void> {
      const updates = results.map((one) => ({ updateOne: resultUpdate(one) }));
      const { matchedCount } = await collection.bulkWrite(updates, { ordered: false });
      if (matchedCount < results.length) {
        // What was recorded has no lease any more: these filters match the others alone.
        const rest = results.map((one) => ({ updateOne: attemptOnlyUpdate(one) }));
        await collection.bulkWrite(rest, { ordered: false });
      }
    },
    /** Cancels a claimed delivery. */
    async cancel(id: string, lease: Lease): Promise<void> {
      const canceled = { status: 'canceled' as const, nextAttemptAt: null };
      await collection.updateOne({ _id: id, lease: lease.id }, { $set: canceled, $unset: { lease: 1, dueAt: 1 } });
    },
    /** Makes claimed deliveries due at `at`. */
    async release(leased: { id: string; lease: Lease }[], at: Date): Promise<void> {
      if (leased.length === 0) return;
      const operations = leased.map(({ id, lease }) => ({
        updateOne: {
          filter: { _id: id, lease: lease.id, dueAt: { $exists: true } },
          update: { $set: { dueAt: at }, $unset: { lease: 1 as const } },
        },
      }));
      await collection.bulkWrite(operations, { ordered: false });
    },
    /** Up to `limit` ids of endpoints that have a delivery due at `at`, ascending, after `after`. */
    dueEndpoints: (after: string, limit: number, at: Date): Promise<string[]> =>
      findDueKeys(collection, 'endpointId', { after, limit, at }),
    /**
     * Cancels what is pending or failed of an endpoint that was deactivated (`stopped`: as it was then) or deleted (null).
     * However late this runs, it spares what waits since the endpoint was made active again.
     */
    async cancelWaiting(endpointId: string, stopped: Pick<Endpoint, 'enablings'> | null): Promise<void> {
      // Compared by a counter, since the clocks of two replicas may disagree on what came first.
      const before = stopped ? { enabling: { $not: { $gt: stopped.enablings ?? 0 } } } : {};
      await collection.updateMany(
        { endpointId, status: { $in: ['pending', 'failed'] }, ...before },
        { $set: { status: 'canceled', nextAttemptAt: null }, $unset: { dueAt: 1 } },
      );
    },
  };
}

async function insertNew(collection: DeliveryCollection, entries: NewDelivery[]): Promise<Set<string>> {
  const records = entries.map(toRecord);
  const inserted = new Set(records.map(({ _id }) => _id));
  try {
    await collection.insertMany(records, { ordered: false });
  } catch (error) {
    for (const index of duplicateIndexes(error)) inserted.delete(records[index]?._id ?? '');
  }
  return inserted;
}

type Claim = { endpointId: string; limit: number; lease: Lease };

async function claimDeliveries(
  collection: DeliveryCollection,
  { endpointId, limit, lease }: Claim,
): Promise<Delivery[]> {
  const claimed = await claimBatch(collection, {
    due: { endpointId, dueAt: { $lte: lease.from } },
    sort: { dueAt: 1 },
    limit,
    update: { $set: { lease: lease.id, dueAt: lease.until } },
    // Without waiting for the journal: if a crash loses a claim, the delivery is claimed again.
    options: { writeConcern: { w: 1, journal: false } },
    marked: { lease: lease.id },
    // The earlier attempts are not needed, and would only use memory.
    projection: { attempts: 0 },
  });
  return claimed.map((record) => toDelivery({ ...record, attempts: [] }));
}

/** The result of an attempt, by the holder of the lease. What was canceled during the attempt stays so, unless it succeeded. */
function resultUpdate({ id, lease, attempt, outcome: { status, nextAttemptAt } }: AttemptResult) {
  const leased = { _id: id, lease: lease.id };
  const next = nextAttemptAt
    ? { $set: { status, nextAttemptAt, dueAt: nextAttemptAt }, $unset: { lease: 1 as const } }
    : { $set: { status, nextAttemptAt }, $unset: { lease: 1 as const, dueAt: 1 as const } };
  return {
    filter: status === 'succeeded' ? leased : { ...leased, status: { $ne: 'canceled' as const } },
    update: { ...attemptPush(attempt), ...next },
  };
}

/** The attempt without its result, of a delivery that was canceled meanwhile. */
function attemptOnlyUpdate({ id, lease, attempt }: AttemptResult) {
  return { filter: { _id: id, lease: lease.id }, update: { ...attemptPush(attempt), $unset: { lease: 1 as const } } };
}

export function attemptPush(attempt: Attempt) {
  return { $inc: { tries: 1 }, $push: { attempts: { $each: [attempt], $slice: -maxAttemptsKept } } };
}

function toRecord({ delivery: { id, ...delivery }, lease }: NewDelivery): DeliveryRecord {
  const dueAt = lease?.until ?? delivery.nextAttemptAt;
  return { _id: id, ...delivery, ...(dueAt ? { dueAt } : {}), ...(lease ? { lease: lease.id } : {}) };
}

type Bookkeeping = '_id' | 'dueAt' | 'lease' | 'begunAnewAt';

/** Also of records that were read without their bodies. */
export function toDelivery<Read extends Pick<DeliveryRecord, Bookkeeping>>({
  _id,
  dueAt: _dueAt,
  lease: _lease,
  begunAnewAt: _begunAnewAt,
  ...delivery
}: Read): Omit<Read, Bookkeeping> & { id: string } {
  return { id: _id, ...delivery };
}
