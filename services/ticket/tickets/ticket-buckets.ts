import type { Ticket } from './ticket.ts';

/**
 * The bucket of a time: its two days, counted from 1970. Tickets that changed in one bucket stand in an index in order of
 * their ids, so that those of several buckets are merged, not sorted (docs/decisions.md).
 */
export type Buckets = { updated_bucket: number; assigned_bucket: number | null };

export const bucketMs = 2 * 86_400_000;

export function bucketOf(at: Date): number {
  return Math.floor(at.getTime() / bucketMs);
}

export function bucketsOf({ updated_at, assigned_at }: Pick<Ticket, 'updated_at' | 'assigned_at'>): Buckets {
  return { updated_bucket: bucketOf(updated_at), assigned_bucket: assigned_at && bucketOf(assigned_at) };
}

/** MongoDB merges so many branches of an index at most; more of them it sorts. */
const mergedAtMost = 190;
/** A clock may be ahead. */
const ahead = 5;

/**
 * The buckets of what happened after `time`; null where they are more than can be merged, which is a little over a year. What
 * was saved before there were buckets has none, and is looked through until it has one.
 */
export function bucketsAfter(time: Date, now: Date): (number | null)[] | null {
  const [first, last] = [bucketOf(time), bucketOf(now) + ahead];
  const wanted = Math.max(last - first + 1, 0);
  return wanted > mergedAtMost ? null : [null, ...Array.from({ length: wanted }, (_, index) => first + index)];
}
