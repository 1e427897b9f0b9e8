import { documentSchema, localRead } from '@app/runtime';
import type { Connection } from 'mongoose';
import { accountKey, lockedForS, type ThrottleKey, throttleWindowMs } from './login-throttle.ts';

type AttemptDocument = { _id: string; failures: Date[]; expires_at: Date };

/** Failed logins, shared by all replicas. */
export type LoginThrottleStore = ReturnType<typeof createLoginThrottleStore>;

const attemptSchema = documentSchema<AttemptDocument>('attempts');
attemptSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createLoginThrottleStore({ connection }: { connection: Connection }) {
  const model = connection.model<AttemptDocument>('Attempt', attemptSchema);

  async function record({ key, limit }: ThrottleKey, at: Date): Promise<number> {
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
    /** Seconds until a login is allowed under all of these keys; 0 if it is allowed now. */
    async lockedForS(keys: ThrottleKey[], at: Date): Promise<number> {
      // Failures that no majority has yet count, too, or parallel guesses would gain from slow replication.
      const filter = { _id: { $in: keys.map(({ key }) => key) } };
      const found = await model.find(filter, null, localRead).lean<AttemptDocument[]>();
      const failures = new Map(found.map((attempt) => [attempt._id, attempt.failures]));
      return Math.max(...keys.map(({ key, limit }) => lockedForS(failures.get(key) ?? [], limit, at)));
    },
    /**
     * Counts a failure under each key, and returns the seconds of `lockedForS` as they were before
     * it: of any number of parallel failures, no more than the limit get 0.
     */
    async recordFailure(keys: ThrottleKey[], at: Date): Promise<number> {
      return Math.max(...(await Promise.all(keys.map((key) => record(key, at)))));
    },
    /** How many logins of an account failed within the window, at most its limit; without those from known devices. */
    async failuresOf(email: string, at: Date): Promise<number> {
      const found = await model.findById(accountKey(email)).lean<AttemptDocument>();
      return (found?.failures ?? []).filter((failure) => failure.getTime() > at.getTime() - throttleWindowMs).length;
    },
  };
}

/** Drops what left the window and adds one failure, unless the limit is reached: trying again does not prolong a lock. */
function countFailure(limit: number, at: Date) {
  const since = new Date(at.getTime() - throttleWindowMs);
  const recent = { $filter: { input: { $ifNull: ['$failures', []] }, cond: { $gt: ['$$this', since] } } };
  const added = { $cond: [{ $lt: [{ $size: recent }, limit] }, { $concatArrays: [recent, [at]] }, recent] };
  return [{ $set: { failures: added, expires_at: new Date(at.getTime() + throttleWindowMs) } }];
}
