import { fetchJobId, type Lease } from './job.ts';

export type Wanted = {
  connectionId: string;
  externalIds: string[];
  resync?: boolean;
  /** Nothing is wanted where the last good fetch began after that. */
  unlessFetchedSince?: Date | null;
  at: Date;
};

/** A lease that stands where there should be none was left by a crash: the files under its keys are to be removed. */
export const abandonedToo = {
  $concatArrays: [{ $ifNull: ['$abandoned', []] }, { $cond: [{ $gt: ['$lease', null] }, ['$lease'], []] }],
};

/**
 * One more with each claim, so that what was fetched later counts as newer. It begins at the database's time in
 * milliseconds: beyond what another connection, or a job that was forgotten, has counted for the same invoice.
 */
const nextSequence = { $max: [{ $add: [{ $ifNull: ['$sequence', 0] }, 1] }, { $toLong: '$$NOW' }] };

export function takeOver(lease: Lease): object[] {
  const crashed = { $cond: [{ $gt: ['$lease', null] }, 1, 0] };
  const failures = { $add: ['$failures', crashed] };
  const claimed = { lease: lease.id, dueAt: lease.until, sequence: nextSequence };
  return [{ $set: { abandoned: abandonedToo, failures, ...claimed } }];
}

/**
 * Makes the job or has it run once more. What is under way is left alone but for its count: who finishes it sees that it
 * is wanted again. One that waits for a retry, or was given up, begins anew: its provider says that there is something.
 */
export function wish(externalId: string, { connectionId, resync = false, unlessFetchedSince = null, at }: Wanted) {
  const text = (value: string) => ({ $literal: value });
  // Whose clock is ahead has nobody wait for it.
  const soonest = { $min: ['$dueAt', at, '$$NOW'] };
  const isLeased = { $gt: ['$lease', null] };
  const isIdle = { $eq: [{ $type: '$dueAt' }, 'missing'] };
  const isFetched = [{ $gte: ['$fetchedAt', unlessFetchedSince] }, { $lte: ['$fetchedAt', '$$NOW'] }];
  const fresh = unlessFetchedSince ? { $and: [isIdle, ...isFetched] } : false;
  const changed = {
    connectionId: text(connectionId),
    kind: 'fetch',
    externalId: text(externalId),
    wanted: { $add: [{ $ifNull: ['$wanted', 0] }, { $cond: [fresh, 0, 1] }] },
    resync: { $or: [{ $ifNull: ['$resync', false] }, resync] },
    failures: { $cond: [isLeased, '$failures', 0] },
    known: { $ifNull: ['$known', null] },
    dueAt: { $cond: [fresh, '$$REMOVE', { $cond: [isLeased, '$dueAt', soonest] }] },
    expiresAt: { $cond: [fresh, '$expiresAt', '$$REMOVE'] },
  };
  const filter = { _id: fetchJobId(connectionId, externalId) };
  return { updateOne: { filter, update: [{ $set: changed }], upsert: true } };
}
