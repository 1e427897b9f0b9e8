import type { DomainEvent, NewEvent } from '@app/contracts';
import { createBatchedInsert, createBatcher, isUnserializable, writeErrorsByIndex } from '@app/runtime';
import type { ClientSession, Model } from 'mongoose';
import { toCloudEvents, type WithOutbox } from './outbox.ts';
import type { Relay } from './relay.ts';

export type OutboxUpdate = {
  /** By the id, and by what must still be so. */
  filter: { _id: string } & Record<string, unknown>;
  /** Of operators, `$set` and the like. */
  update: Record<string, object>;
  events: NewEvent[];
};

/** Documents with an outbox, written with their events in one write each, and the relay told of them. */
export type OutboxWriter<Document> = {
  /** Rejects as `insertOne` does, and for this document alone. */
  insert(document: Document, events: NewEvent[]): Promise<void>;
  /** False where no document is as the filter says: then nothing was written. Rejects as `updateOne` does. */
  update(change: OutboxUpdate): Promise<boolean>;
  /** The same, and `alongside` in the same transaction. */
  updateInTransaction(change: OutboxUpdate, alongside: TransactionalWrite): Promise<boolean>;
};

/** A write that stands or falls with another, in its transaction. */
export type TransactionalWrite = (session: ClientSession) => Promise<void>;

type Deps = { model: unknown; relay: Pick<Relay, 'committed'>; service: string };
type Sealed = OutboxUpdate & { outbox: DomainEvent[] };
type Outcome = boolean | Error;

const writtenAtOnce = 100;
/** Many that are at the same point come there together, so a batch need not wait long for company. */
const pauseMs = 8;
/** The code of MongoDB for a change of what cannot be changed. */
const immutableField = 66;

/** Writes that come at once are one command; each of them stands or fails for itself. */
export function createOutboxWriter<Document extends object>({ model, relay, service }: Deps): OutboxWriter<Document> {
  const { collection } = model as Model<WithOutbox>;
  const insert = createBatchedInsert<Document & WithOutbox>(collection);

  async function run(changes: Sealed[]): Promise<Outcome[]> {
    const [first] = changes;
    if (first && changes.length === 1) return [await alone(first)];
    try {
      await collection.bulkWrite(changes.map(bulkOf) as never, { ordered: false });
      return changes.map(() => true);
    } catch (error) {
      if (isUnserializable(error))
        return Promise.all(changes.map((change) => alone(change).catch((own: Error) => own)));
      const failed = failedIn(error);
      return changes.map((_change, index) => failed.get(index) ?? true);
    }
  }
  async function alone({ filter, ...change }: Sealed, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    const { matchedCount } = await collection.updateOne(filter as never, updateOf(change) as never, options);
    return matchedCount === 1;
  }

  const batches = createBatcher({ maxBatch: writtenAtOnce, maxDelayMs: pauseMs, run, once: true });

  return {
    async insert(document, events) {
      const outbox = toCloudEvents(service, events);
      await insert({ ...document, ...(outbox.length > 0 ? { outbox } : {}) });
      relay.committed(model, (document as Document & { _id: string })._id, outbox);
    },
    async update(change) {
      const outbox = toCloudEvents(service, change.events);
      const outcome = await batches.add({ ...change, outbox });
      if (outcome instanceof Error) throw outcome;
      if (outcome) relay.committed(model, change.filter._id, outbox);
      return outcome;
    },
    async updateInTransaction(change, alongside) {
      const sealed = { ...change, outbox: toCloudEvents(service, change.events) };
      const saved = await (model as Model<WithOutbox>).db.transaction(async (session) => {
        const matched = await alone(sealed, session);
        if (matched) await alongside(session);
        return matched;
      });
      if (saved) relay.committed(model, change.filter._id, sealed.outbox);
      return Boolean(saved);
    },
  };
}

function updateOf({ update, outbox }: Pick<Sealed, 'update' | 'outbox'>): object {
  return { ...update, ...(outbox.length > 0 ? { $push: { ...update['$push'], outbox: { $each: outbox } } } : {}) };
}

/**
 * A bulk tells how many of its updates found their document, not which. So each may insert, but something that cannot be:
 * whichever finds nothing fails with an error of its own, and nothing is written for it.
 */
function bulkOf(change: Sealed): object {
  return {
    updateOne: { filter: change.filter, update: { ...updateOf(change), $setOnInsert: { _id: null } }, upsert: true },
  };
}

/** What became of those that failed, by their places. */
function failedIn(error: unknown): Map<number, Outcome> {
  const refused = [...writeErrorsByIndex(error)];
  return new Map(refused.map(([index, reason]) => [index, isNotFound(reason) ? false : reason]));
}

function isNotFound(error: Error): boolean {
  return 'code' in error && error.code === immutableField;
}
