import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Lease } from './work-queue.ts';

/** `dueAt`: when the job is to be claimed, the end of its lease if it has one; absent once it has ended. */
type DueJob = { _id: string; dueAt?: Date; lease?: string };

/**
 * Claims the job that is due for longest, under the lease; null if none is due. For jobs that one process at a time works on, a page
 * each: `WorkQueue` claims many at once, in fair turns. The collection has an index on `dueAt`.
 */
export function claimNextDue<Job extends DueJob>(
  jobs: Model<Job>,
  lease: Lease,
  options: { projection?: Record<string, 0 | 1> } = {},
): Promise<Job | null> {
  const due = { dueAt: { $lte: lease.from } } as QueryFilter<Job>;
  const claim = { $set: { dueAt: lease.until, lease: lease.id } } as UpdateQuery<Job>;
  return jobs.findOneAndUpdate(due, claim, options).sort({ dueAt: 1 }).lean<Job>().exec();
}
