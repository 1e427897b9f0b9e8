import type { Connection as Database } from 'mongoose';
import type { FailurePosition, FetchFailure } from './failure.ts';
import { fetchJobId } from './job.ts';
import { type JobRecord, jobRecords } from './job-record-store.ts';

/** Invoices whose fetch was given up, by connection. */
export type FailureStore = {
  /** Given up first, first; from after a position on. */
  list(connectionId: string, page: { after: FailurePosition | null; limit: number }): Promise<FetchFailure[]>;
  find(connectionId: string, externalId: string): Promise<FetchFailure | null>;
  /**
   * The connection works again: what was given up after all of its tries is wanted once more. What the provider refused for
   * good, or what ended its process, is left to people. Gives how many there are.
   */
  wantAgain(connectionId: string, at: Date): Promise<number>;
};

const hint = 'failures';
const projection = { externalId: 1, reason: 1, givenUpAt: 1, dueAt: 1 } as const;
const epoch = new Date(0);

export function createFailureStore(database: Database): FailureStore {
  const records = jobRecords(database);
  return {
    async list(connectionId, { after, limit }) {
      const base = { connectionId, givenUpAt: { $gt: epoch } };
      const filter = after ? { $or: beyond(connectionId, after) } : base;
      const found = records.find(filter, { projection, hint }).sort({ givenUpAt: 1, _id: 1 });
      return (await found.limit(limit).toArray()).map(toFailure);
    },
    async find(connectionId, externalId) {
      const filter = { _id: fetchJobId(connectionId, externalId), givenUpAt: { $gt: epoch } };
      const found = await records.findOne(filter, { projection });
      return found && toFailure(found);
    },
    async wantAgain(connectionId, at) {
      const given = { connectionId, givenUpAt: { $gt: epoch }, returns: true, dueAt: { $exists: false } };
      const again = { $set: { dueAt: at, failures: 0 }, $inc: { wanted: 1 }, $unset: { returns: 1, expiresAt: 1 } };
      const { modifiedCount } = await records.updateMany(given, again as object, { hint });
      return modifiedCount;
    },
  };
}

/** Two ranges of the index, each in its order. */
function beyond(connectionId: string, { failedAt, externalId }: FailurePosition) {
  return [
    { connectionId, givenUpAt: failedAt, _id: { $gt: fetchJobId(connectionId, externalId) } },
    { connectionId, givenUpAt: { $gt: failedAt } },
  ];
}

function toFailure({ externalId = '', reason = '', givenUpAt = epoch, dueAt }: JobRecord): FetchFailure {
  return { externalId, reason, failedAt: givenUpAt, retrying: dueAt !== undefined };
}
