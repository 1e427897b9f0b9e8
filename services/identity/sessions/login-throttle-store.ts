import { type Connection, Schema } from 'mongoose';
import { type AttemptKey, attemptWindowMs, lockedForS } from './attempt.ts';

type AttemptDocument = { _id: string; failures: Date[]; expires_at: Date };

/** Failed logins, shared by every replica of this service. */
export type AttemptStore = {
  /** Seconds until another attempt is allowed under these keys; 0 while it is allowed now. */
  lockedForS(keys: AttemptKey[], at: Date): Promise<number>;
  /**
   * Counts a failure under each key. Answers as above for the moment before it: of any number of failures in parallel,
   * no more than the limit hear 0.
   */
  recordFailure(keys: AttemptKey[], at: Date): Promise<number>;
};

const attemptSchema = new Schema<AttemptDocument>(
  {
    _id: { type: String, required: true },
    failures: { type: [Date], required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'attempts' },
);
attemptSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createAttemptStore({ connection }: { connection: Connection }): AttemptStore {
  const model = connection.model<AttemptDocument>('Attempt', attemptSchema);

  async function record({ key, limit }: AttemptKey, at: Date): Promise<number> {
    const before = await model
      .findOneAndUpdate({ _id: key }, countFailure(limit, at), {
        upsert: true,
        returnDocument: 'before',
        updatePipeline: true,
      })
      .lean<AttemptDocument>();
    return lockedForS(before?.failures ?? [], limit, at);
  }

  return {
    async lockedForS(keys, at) {
      const found = await model.find({ _id: { $in: keys.map(({ key }) => key) } }).lean<AttemptDocument[]>();
      const failures = new Map(found.map((attempt) => [attempt._id, attempt.failures]));
      return Math.max(...keys.map(({ key, limit }) => lockedForS(failures.get(key) ?? [], limit, at)));
    },
    async recordFailure(keys, at) {
      return Math.max(...(await Promise.all(keys.map((key) => record(key, at)))));
    },
  };
}

/** Forgets what left the window and adds one, unless the limit is reached: a lock is not prolonged by knocking at it. */
function countFailure(limit: number, at: Date) {
  const since = new Date(at.getTime() - attemptWindowMs);
  const recent = { $filter: { input: { $ifNull: ['$failures', []] }, cond: { $gt: ['$$this', since] } } };
  const added = { $cond: [{ $lt: [{ $size: recent }, limit] }, { $concatArrays: [recent, [at]] }, recent] };
  return [{ $set: { failures: added, expires_at: new Date(at.getTime() + attemptWindowMs) } }];
}
