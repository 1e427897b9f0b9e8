import type { Connection } from 'mongoose';
import { bucketMs } from './ticket-buckets.ts';
import { epoch, ticketModel } from './ticket-model-store.ts';

/** `bucketOf`, as MongoDB computes it of a field; null where that is. */
export function bucketIn(field: string): object {
  return { $floor: { $divide: [{ $toLong: field }, bucketMs] } };
}

const filledAtOnce = 1_000;
/** Longer than a roll-out takes, in which the previous version changes tickets and leaves their buckets as they were. */
const recentMs = 2 * 86_400_000;

const fill = [{ $set: { updated_bucket: bucketIn('$updated_at'), assigned_bucket: bucketIn('$assigned_at') } }];
const isStale = {
  $or: [
    { $ne: ['$updated_bucket', bucketIn('$updated_at')] },
    { $ne: [{ $ifNull: ['$assigned_bucket', null] }, bucketIn('$assigned_at')] },
  ],
};

/**
 * Gives tickets their buckets that the previous version saved: those without any, and those that it changed of late. Both
 * are found by an index in which MongoDB leaps from company to company. Done before the service listens, and as a rule
 * nothing. @returns how many tickets were given theirs
 */
export async function fillBuckets(connection: Connection, now: Date): Promise<number> {
  const tickets = ticketModel(connection).collection;
  const everyCompany = { 'views.company_id': { $gt: '' } };
  const recent = { updated_at: { $gt: new Date(now.getTime() - recentMs) }, $expr: isStale };
  const passes = [
    { filter: { ...everyCompany, updated_bucket: null, updated_at: { $gt: epoch } }, hint: 'updated_in_order' },
    { filter: { ...everyCompany, ...recent }, hint: 'updated' },
  ];
  let filled = 0;
  for (const { filter, hint } of passes) {
    for (;;) {
      const found = tickets.find(filter as never, { projection: { _id: 1 }, hint }).limit(filledAtOnce);
      const ids = (await found.toArray()).map(({ _id }) => _id);
      if (ids.length === 0) break;
      await tickets.updateMany({ _id: { $in: ids } }, fill);
      filled += ids.length;
    }
  }
  return filled;
}
