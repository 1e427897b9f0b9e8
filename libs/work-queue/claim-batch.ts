import { localRead } from '@app/runtime';
import type { mongo } from 'mongoose';

type Claim<Job> = {
  /** Which jobs, and until when they must be due. */
  due: mongo.Filter<Job>;
  sort: mongo.Sort;
  limit: number;
  hint?: string;
  /** Marks a job with this claim, and makes it due again at the end of its lease. */
  update: mongo.UpdateFilter<Job> | mongo.Document[];
  options?: mongo.UpdateOptions;
  /** Matches what this claim marked, and no other. */
  marked: mongo.Filter<Job>;
  projection?: object;
};

/**
 * Claims up to `limit` due jobs by three commands: it finds the ids of due jobs, marks those that are still due, and reads those
 * that bear its mark. If processes claim at the same time, each job goes to the one that marked it first.
 */
export async function claimBatch<Job extends { _id: string }>(
  jobs: mongo.Collection<Job>,
  { due, sort, limit, hint, update, options, marked, projection }: Claim<Job>,
): Promise<mongo.WithId<Job>[]> {
  const query = { projection: { _id: 1 }, sort, limit, ...(hint ? { hint } : {}), ...localRead };
  const found = jobs.find<{ _id: string }>(due, query);
  const ids = (await found.toArray()).map(({ _id }) => _id);
  if (ids.length === 0) return [];
  const among = { _id: { $in: ids } };
  await jobs.updateMany({ ...among, ...due } as mongo.Filter<Job>, update, options);
  return jobs
    .find({ ...among, ...marked } as mongo.Filter<Job>, { ...(projection ? { projection } : {}), ...localRead })
    .toArray();
}
