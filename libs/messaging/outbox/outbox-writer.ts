import type { DomainEvent, NewEvent } from '@app/contracts';
import { createBatchedInsert, createBatcher, isUnserializable, writeErrorsByIndex } from '@app/runtime';
import { type ProtectedWrite, type TransactionalWrite, writeOnceIn } from '@app/runtime/idempotency';
import type { ClientSession, Model, mongo } from 'mongoose';
import { toCloudEvents, type WithOutbox } from './outbox.ts';
import type { Relay } from './relay.ts';

type OutboxUpdate = {
  /** The id and the conditions of the compare-and-set. */
  filter: { _id: string } & Record<string, unknown>;
  /** Update operators: `$set` and the like. */
  update: Record<string, object>;
  events: NewEvent[];
};

/** Writes documents together with their events, in one write each, and notifies the relay. */
export type OutboxWriter<Document> = {
  /**
   * Rejects as `insertOne` does.
   * @returns the document; in a request that is repeated after a crash, the one that was inserted then
   */
  insert(document: Document, events: NewEvent[], write: ProtectedWrite | null): Promise<Document>;
  /** False if no document matches the filter. Rejects as `updateOne` does. */
  update(change: OutboxUpdate): Promise<boolean>;
  /**
   * Changes of different documents, in a transaction of the caller, which ends if one of them does not match.
   * @returns what is to be called after the commit
   */
  updateAllWithin(changes: readonly OutboxUpdate[], session: ClientSession): Promise<() => void>;
  /** The same, with `alongside` in one transaction. */
  updateInTransaction(change: OutboxUpdate, alongside: TransactionalWrite): Promise<boolean>;
};

type Deps = { model: unknown; relay: Pick<Relay, 'committed'>; service: string };
type PreparedUpdate = OutboxUpdate & { outbox: DomainEvent[] };
/** Whether the document matched, or why its update failed. */
type Outcome = boolean | Error;

const maxBatch = 100;
const maxDelayMs = 8;
/** MongoDB's error code for a change of an immutable field. */
const immutableField = 66;

/** Concurrent writes are sent as one command. Each of them succeeds or fails by itself. */
export function createOutboxWriter<Document extends object>({ model, relay, service }: Deps): OutboxWriter<Document> {
  const { collection, db } = model as Model<WithOutbox>;
  const insert = createBatchedInsert<Document & WithOutbox>(collection);
  const updates = createBatcher({
    name: 'update documents',
    maxBatch,
    maxDelayMs,
    run: (batch: PreparedUpdate[]) => writeAll(collection, batch),
    once: true,
  });
  const prepare = (change: OutboxUpdate) => ({ ...change, outbox: toCloudEvents(service, change.events) });

  return {
    async insert(given, events, write) {
      const { document, outbox } = await writeOnceIn(write, db, async (within) => {
        const outbox = toCloudEvents(service, events);
        const stored = { ...given, ...(outbox.length > 0 ? { outbox } : {}) };
        await (within.session ? collection.insertOne(stored, within) : insert(stored));
        return { document: given, outbox };
      });
      relay.committed(model, (document as Document & { _id: string })._id, outbox);
      return document;
    },
    async update(change) {
      const prepared = prepare(change);
      const outcome = await updates.add(prepared);
      if (outcome instanceof Error) throw outcome;
      if (outcome) relay.committed(model, change.filter._id, prepared.outbox);
      return outcome;
    },
    async updateAllWithin(changes, session) {
      const all = changes.map(prepare);
      if (all.length === 0) return () => undefined;
      const operations = all.map((one) => ({ updateOne: operationOf(one) }));
      const { matchedCount } = await collection.bulkWrite(operations, { session });
      if (matchedCount < all.length)
        throw new Error(`${all.length - matchedCount} documents are not as they were read`);
      return () => {
        for (const { filter, outbox } of all) relay.committed(model, filter._id, outbox);
      };
    },
    async updateInTransaction(change, alongside) {
      const prepared = prepare(change);
      const matched = await db.transaction(async (session) => {
        const found = await writeOne(collection, prepared, session);
        if (found) await alongside(session);
        return found;
      });
      if (matched) relay.committed(model, change.filter._id, prepared.outbox);
      return matched;
    },
  };
}

type Collection = Model<WithOutbox>['collection'];

async function writeAll(collection: Collection, updates: PreparedUpdate[]): Promise<Outcome[]> {
  const [first] = updates;
  if (first && updates.length === 1) return [await writeOne(collection, first)];
  try {
    await collection.bulkWrite(updates.map(toBulkWrite), { ordered: false });
    return updates.map(() => true);
  } catch (error) {
    if (isUnserializable(error)) {
      // Nothing was sent. One by one, only the update at fault fails.
      return Promise.all(updates.map((update) => writeOne(collection, update).catch((own: Error) => own)));
    }
    const errors = writeErrorsByIndex(error);
    return updates.map((_update, index) => {
      const failure = errors.get(index);
      return failure === undefined || (isNotFound(failure) ? false : failure);
    });
  }
}

async function writeOne(collection: Collection, prepared: PreparedUpdate, session?: ClientSession): Promise<boolean> {
  const { filter, update } = operationOf(prepared);
  const { matchedCount } = await collection.updateOne(filter, update, session ? { session } : {});
  return matchedCount === 1;
}

/** For the driver, which does not know what the documents are. */
type Operation = { filter: mongo.Document; update: mongo.Document };

function operationOf({ filter, update, outbox }: PreparedUpdate): Operation {
  if (outbox.length === 0) return { filter, update };
  return { filter, update: { ...update, $push: { ...update['$push'], outbox: { $each: outbox } } } };
}

/**
 * A bulk reports how many of its updates matched, but not which. So each is an upsert of an invalid `_id`: an update that matches
 * nothing fails with an error of its own, and nothing is written for it.
 */
function toBulkWrite(prepared: PreparedUpdate): mongo.AnyBulkWriteOperation {
  const { filter, update } = operationOf(prepared);
  const upsert: mongo.Document = { ...update, $setOnInsert: { _id: null } };
  return { updateOne: { filter, update: upsert, upsert: true } };
}

function isNotFound(error: Error): boolean {
  return 'code' in error && error.code === immutableField;
}
