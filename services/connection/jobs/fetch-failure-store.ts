import type { TimePosition } from '@app/kernel';
import type { Connection as Database } from 'mongoose';
import type { FetchFailure } from './fetch-failure.ts';
import { fetchJobId } from './job.ts';
import { type JobRecord, jobRecords } from './job-collection.ts';

/** Fetches of a connection that were given up. */
export type FetchFailureStore = ReturnType<typeof createFetchFailureStore>;

const hint = 'failures';
const projection = { externalId: 1, reason: 1, givenUpAt: 1, dueAt: 1 } as const;
const epoch = new Date(0);

export function createFetchFailureStore(database: Database) {
  const records = jobRecords(database);
  return {
    /** The oldest first, after a position: when it was given up, and the provider's id. */
    async list(
      connectionId: string,
      { after, limit }: { after: TimePosition | null; limit: number },
    ): Promise<FetchFailure[]> {
      const all = { connectionId, givenUpAt: { $gt: epoch } };
      const filter = after ? { $or: rangesAfter(connectionId, after) } : all;
      const found = records.find(filter, { projection, hint }).sort({ givenUpAt: 1, _id: 1 });
      return (await found.limit(limit).toArray()).map(toFailure);
    },
    async find(connectionId: string, externalId: string): Promise<FetchFailure | null> {
      const filter = { _id: fetchJobId(connectionId, externalId), givenUpAt: { $gt: epoch } };
      const found = await records.findOne(filter, { projection });
      return found && toFailure(found);
    },
    /**
     * Requests again what was given up after its last attempt, because the connection works, each time later (`returnTime`). What the
     * provider refused, or what crashed the process, is left to people. Returns the number of jobs.
     */
    async requeueExhausted(connectionId: string, at: Date): Promise<number> {
      const exhausted = { connectionId, givenUpAt: { $gt: epoch }, returnsAt: { $lte: at }, dueAt: { $exists: false } };
      const { modifiedCount } = await records.updateMany(
        exhausted,
        { $set: { dueAt: at, failures: 0 }, $inc: { requests: 1 }, $unset: { returnsAt: 1, expiresAt: 1 } },
        { hint },
      );
      return modifiedCount;
    },
  };
}

/** Two ranges, so that MongoDB reads the index in order. */
function rangesAfter(connectionId: string, { at, id }: TimePosition) {
  return [
    { connectionId, givenUpAt: at, _id: { $gt: fetchJobId(connectionId, id) } },
    { connectionId, givenUpAt: { $gt: at } },
  ];
}

function toFailure({ externalId = '', reason = '', givenUpAt = epoch, dueAt }: JobRecord): FetchFailure {
  return { externalId, reason, failedAt: givenUpAt, retrying: dueAt !== undefined };
}
