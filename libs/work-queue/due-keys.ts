import { localRead } from '@app/runtime';
import type { mongo } from 'mongoose';

/**
 * Stages of an aggregation: the keys after `after` that have a job due at `at`, each as `_id` with the `dueAt` of its earliest job,
 * which is in the field `dueAt`. The collection needs an index on `key` and that field.
 */
export function earliestDueByKey(key: string, after: string, at: Date, dueAt = 'dueAt'): mongo.Document[] {
  return [
    // Both ranges together let MongoDB hop from key to key (DISTINCT_SCAN), however many jobs each has.
    { $match: { [key]: { $gt: after }, [dueAt]: { $gt: new Date(0) } } },
    { $sort: { [key]: 1, [dueAt]: 1 } },
    { $group: { _id: `$${key}`, dueAt: { $first: `$${dueAt}` } } },
    { $match: { dueAt: { $lte: at } } },
  ];
}

/** Up to `limit` of these keys, in order. */
export async function findDueKeys(
  jobs: Pick<mongo.Collection, 'aggregate'>,
  key: string,
  { after, limit, at, dueAt }: { after: string; limit: number; at: Date; dueAt?: string },
): Promise<string[]> {
  const stages = [...earliestDueByKey(key, after, at, dueAt), { $sort: { _id: 1 } }, { $limit: limit }];
  return (await jobs.aggregate<{ _id: string }>(stages, localRead).toArray()).map(({ _id }) => _id);
}
