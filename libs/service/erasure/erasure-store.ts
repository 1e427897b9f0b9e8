import type { UserErased } from '@app/contracts';
import { collectionOf, documentSchema, isDuplicateKey, pageById } from '@app/runtime';
import { claimNextDue, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';

/**
 * The job that erases a person from one service. It makes two passes over the data: the first one misses what is
 * written behind it while it runs. The record is kept, so that the name never comes back.
 */
export type Erasure = UserErased & { pass: 'first' | 'last' | 'done'; after: string | null };

/** `dueAt`: when the job is to be continued; absent once it is done. */
type ErasureRecord = Omit<Erasure, 'erased_at'> & { _id: string; erased_at: Date; dueAt?: Date; lease?: string };

const schema = documentSchema<ErasureRecord>('erasures');
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } }, name: 'due' });

/** Declares the collection `erasures` in the database of the service. */
export function createErasureStore(connection: Connection) {
  const erasures = connection.model<ErasureRecord>('Erasure', schema);
  return {
    /**
     * Starts the job. A finished job starts again: after a restore, identity publishes the erasure again and waits for
     * its end.
     */
    async begin({ user, erased_at }: UserErased, at: Date): Promise<void> {
      const fresh = { user, erased_at: new Date(erased_at), pass: 'first' as const, after: null, dueAt: at };
      try {
        await erasures.create({ _id: user.id, ...fresh });
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
        await erasures.updateOne({ _id: user.id, pass: 'done' }, { $set: fresh });
      }
    },
    /** Takes up the job that is due for longest, under the lease. */
    async claim(lease: Lease): Promise<Erasure | null> {
      const claimed = await claimNextDue(erasures, lease);
      return claimed && { ...erasedIn(claimed), pass: claimed.pass, after: claimed.after };
    },
    /** Saves the job's progress and releases it until its next due time. Does nothing if the lease was lost. */
    async save(
      userId: string,
      lease: Lease,
      { pass, after, dueAt }: Pick<Erasure, 'pass' | 'after'> & { dueAt: Date },
    ): Promise<void> {
      await erasures.updateOne(
        { _id: userId, lease: lease.id },
        { $set: { pass, after, dueAt }, $unset: { lease: 1 } },
      );
    },
    async finish(userId: string, lease: Lease): Promise<void> {
      const done = { pass: 'done' as const, after: null };
      await erasures.updateOne({ _id: userId, lease: lease.id }, { $set: done, $unset: { lease: 1, dueAt: 1 } });
    },
    /** Those of the ids that belong to erased users. */
    async erasedAmong(userIds: string[]): Promise<Set<string>> {
      return new Set(await erasures.distinct('_id', { _id: { $in: userIds } }));
    },
    /** A page of erasures, ascending by the id of the user, after `after`; `next` is null on the last one. */
    async page(after: string | null): Promise<{ erased: UserErased[]; next: string | null }> {
      // By the driver: it goes through the whole collection.
      const { found, next } = await pageById(collectionOf(erasures), after);
      return { erased: found.map(erasedIn), next };
    },
  };
}

function erasedIn({ user, erased_at }: ErasureRecord): UserErased {
  return { user, erased_at: erased_at.toISOString() };
}
