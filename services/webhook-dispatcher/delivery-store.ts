import { duplicateIndexes } from '@app/runtime';
import { type Connection, type mongo, Schema } from 'mongoose';
import { type Attempt, type Delivery, deliveryStatuses, type Outcome } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import type { Session } from './endpoint-store.ts';

/** The right to attempt a delivery until then; whoever holds another one cannot record a result. */
export type Lease = { id: string; until: Date };

export type RecordedAttempt = { id: string; lease: Lease; attempt: Attempt; outcome: Outcome };

/** What the work on deliveries needs; delivery-log-store.ts is for people. */
export type DeliveryStore = {
  /** Stores those that are not there yet, and gives their ids. One without lease is due at its `nextAttemptAt`, if any. */
  add(entries: { delivery: Delivery; lease: Lease | null }[]): Promise<Set<string>>;
  /** Takes up to `limit` due deliveries of an endpoint, the longest due first. */
  claim(endpointId: string, limit: number, lease: Lease): Promise<Delivery[]>;
  /** The same for many at once, without telling them apart. */
  recordAll(recorded: RecordedAttempt[]): Promise<void>;
  /** False where the lease was lost meanwhile (nothing is kept), or the delivery canceled (the attempt is). */
  record(recorded: RecordedAttempt, session?: Session): Promise<boolean>;
  /** Makes claimed deliveries due at once again. */
  giveBack(leased: { id: string; lease: Lease }[], at: Date): Promise<void>;
  /** Endpoints after `after`, in order, that have a delivery due. */
  dueEndpoints(after: string, limit: number, at: Date): Promise<string[]>;
  /**
   * Cancels what is not done of an endpoint that was inactive (`stopped`: as it was then) or deleted (null). However late this
   * comes, it leaves alone what waits since the endpoint was made active again.
   */
  cancelWaiting(endpointId: string, stopped: Pick<Endpoint, 'enablings'> | null): Promise<void>;
};

/**
 * `dueAt` is when somebody must take the delivery up: the time of its attempt or, while one is being made, the end of
 * the lease. Absent, and so not in its index, where nothing is to be done any more.
 * `begunAnewAt` is when it was last sent again by hand: from then on the 90 days count.
 */
export type DeliveryRecord = Omit<Delivery, 'id'> & { _id: string; dueAt?: Date; lease?: string; begunAnewAt?: Date };
export type Deliveries = mongo.Collection<DeliveryRecord>;

/** Two full schedules; more would let redeliveries grow a record without end. */
const keptAttempts = 12;
const keptSeconds = 90 * 24 * 3600;

const deliverySchema = new Schema<DeliveryRecord>(
  {
    _id: { type: String, required: true },
    endpointId: { type: String, required: true },
    event: { type: String, required: true },
    origin: { type: Schema.Types.Mixed as never },
    body: { type: String, required: true },
    status: { type: String, enum: deliveryStatuses, required: true },
    tries: { type: Number, required: true },
    attempts: { type: [Schema.Types.Mixed], required: true } as never,
    createdAt: { type: Date, required: true },
    nextAttemptAt: { type: Date, default: null },
    dueAt: { type: Date },
    lease: { type: String },
    enabling: { type: Number },
    begunAnewAt: { type: Date },
  },
  { versionKey: false, collection: 'deliveries' },
);
const formerIndex = 'kept90Days';
deliverySchema.index(
  { createdAt: 1 },
  { expireAfterSeconds: keptSeconds, partialFilterExpression: { begunAnewAt: null }, name: 'keptFromMaking' },
);
deliverySchema.index(
  { begunAnewAt: 1 },
  {
    expireAfterSeconds: keptSeconds,
    partialFilterExpression: { begunAnewAt: { $exists: true } },
    name: 'keptFromBeginningAnew',
  },
);
deliverySchema.index(
  { endpointId: 1, dueAt: 1 },
  { partialFilterExpression: { dueAt: { $exists: true } }, name: 'due' },
);
/** One index for the log with and without filters: what is not asked for is given whole, as a list of values to merge. */
deliverySchema.index({ endpointId: 1, status: 1, event: 1, createdAt: -1, _id: -1 }, { name: 'log' });

/** The collection, with its model registered so that its indexes are made at the start. */
export function deliveriesOf(connection: Connection): Deliveries {
  const { collection } = connection.models['Delivery'] ?? connection.model('Delivery', deliverySchema);
  return connection.collection<DeliveryRecord>(collection.collectionName) as unknown as Deliveries;
}

/** Takes away the index of earlier versions, by which a delivery went 90 days after its making even while it waited. */
export async function dropFormerIndex(connection: Connection): Promise<void> {
  const deliveries = deliveriesOf(connection);
  const indexes = await deliveries.indexes();
  if (indexes.some(({ name }) => name === formerIndex)) await deliveries.dropIndex(formerIndex);
}

export function createDeliveryStore(connection: Connection): DeliveryStore {
  const collection = deliveriesOf(connection);

  return {
    async add(entries) {
      const records = entries.map(toRecord);
      const added = new Set(records.map(({ _id }) => _id));
      try {
        await collection.insertMany(records, { ordered: false });
      } catch (error) {
        for (const index of duplicateIndexes(error)) added.delete(records[index]?._id ?? '');
      }
      return added;
    },
    async claim(endpointId, limit, lease) {
      const due = { endpointId, dueAt: { $lte: new Date() } };
      const found = await collection
        .find(due, { projection: { _id: 1 } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray();
      if (found.length === 0) return [];
      const ids = { $in: found.map(({ _id }) => _id) };
      // A claim lost in a crash costs nothing but the wait for its lease to end, so it need not reach the disk first.
      await collection.updateMany(
        { _id: ids, ...due },
        { $set: { lease: lease.id, dueAt: lease.until } },
        { writeConcern: { w: 1, journal: false } },
      );
      // What was attempted before stays there: it would only fill the memory.
      const mine = { _id: ids, lease: lease.id };
      const claimed = await collection.find(mine, { projection: { attempts: 0 } }).toArray();
      return claimed.map((record) => toDelivery({ ...record, attempts: [] }));
    },
    async record(recorded, session) {
      const options = session ? { session } : {};
      const { filter, update } = recording(recorded);
      const { matchedCount } = await collection.updateOne(filter, update, options);
      if (matchedCount === 1) return true;
      const kept = keeping(recorded);
      await collection.updateOne(kept.filter, kept.update, options);
      return false;
    },
    async recordAll(recorded) {
      const updates = recorded.map((one) => ({ updateOne: recording(one) }));
      const { matchedCount } = await collection.bulkWrite(updates, { ordered: false });
      if (matchedCount < recorded.length) {
        // Those that were recorded have no lease any more: this finds the others alone.
        const rest = recorded.map((one) => ({ updateOne: keeping(one) }));
        await collection.bulkWrite(rest, { ordered: false });
      }
    },
    async giveBack(leased, at) {
      if (leased.length === 0) return;
      const operations = leased.map(({ id, lease }) => ({
        updateOne: {
          filter: { _id: id, lease: lease.id, dueAt: { $exists: true } },
          update: { $set: { dueAt: at }, $unset: { lease: 1 as const } },
        },
      }));
      await collection.bulkWrite(operations, { ordered: false });
    },
    async dueEndpoints(after, limit, at) {
      // Both ranges together let MongoDB hop from endpoint to endpoint (DISTINCT_SCAN) however much waits at each.
      const found = await collection
        .aggregate<{ _id: string }>([
          { $match: { endpointId: { $gt: after }, dueAt: { $gt: new Date(0) } } },
          { $sort: { endpointId: 1, dueAt: 1 } },
          { $group: { _id: '$endpointId', dueAt: { $first: '$dueAt' } } },
          { $match: { dueAt: { $lte: at } } },
          { $sort: { _id: 1 } },
          { $limit: limit },
        ])
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async cancelWaiting(endpointId, stopped) {
      // Counted, because the clocks of two replicas do not agree on what came first.
      const before = stopped ? { enabling: { $not: { $gt: stopped.enablings ?? 0 } } } : {};
      await collection.updateMany(
        { endpointId, status: { $in: ['pending', 'failed'] }, ...before },
        { $set: { status: 'canceled', nextAttemptAt: null }, $unset: { dueAt: 1 } },
      );
    },
  };
}

/** A result by whoever holds the lease. What was canceled during the attempt stays so, unless it has arrived. */
function recording({ id, lease, attempt, outcome: { status, nextAttemptAt } }: RecordedAttempt) {
  const held = { _id: id, lease: lease.id };
  const next = nextAttemptAt
    ? { $set: { status, nextAttemptAt, dueAt: nextAttemptAt }, $unset: { lease: 1 as const } }
    : { $set: { status, nextAttemptAt }, $unset: { lease: 1 as const, dueAt: 1 as const } };
  return {
    filter: status === 'succeeded' ? held : { ...held, status: { $ne: 'canceled' as const } },
    update: { ...logOf(attempt), ...next },
  };
}

/** The attempt alone, of what was canceled meanwhile. */
function keeping({ id, lease, attempt }: RecordedAttempt) {
  return { filter: { _id: id, lease: lease.id }, update: { ...logOf(attempt), $unset: { lease: 1 as const } } };
}

export function logOf(attempt: Attempt) {
  return { $inc: { tries: 1 }, $push: { attempts: { $each: [attempt], $slice: -keptAttempts } } };
}

function toRecord({
  delivery: { id, ...delivery },
  lease,
}: {
  delivery: Delivery;
  lease: Lease | null;
}): DeliveryRecord {
  const dueAt = lease?.until ?? delivery.nextAttemptAt;
  return { _id: id, ...delivery, ...(dueAt ? { dueAt } : {}), ...(lease ? { lease: lease.id } : {}) };
}

export function toDelivery({
  _id,
  dueAt: _dueAt,
  lease: _lease,
  begunAnewAt: _begunAnewAt,
  ...delivery
}: DeliveryRecord): Delivery {
  return { id: _id, ...delivery };
}
