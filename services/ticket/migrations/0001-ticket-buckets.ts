import { eachBatch, type Migration } from '@app/migrations';
import { bucketIn, ticketCollection } from '../tickets/stores/ticket-collection.ts';

const setBuckets = [{ $set: { updated_bucket: bucketIn('$updated_at'), assigned_bucket: bucketIn('$assigned_at') } }];
const isStale = {
  $expr: {
    $or: [
      { $ne: ['$updated_bucket', bucketIn('$updated_at')] },
      { $ne: [{ $ifNull: ['$assigned_bucket', null] }, bucketIn('$assigned_at')] },
    ],
  },
};

/**
 * Gives tickets that early versions stored or changed their place in the lists by time
 * (docs/decisions/0088-lists-by-time.md).
 */
export const ticketBuckets: Migration = {
  id: '0001-ticket-buckets',
  async up(context) {
    const collection = ticketCollection(context.connection);
    await eachBatch(context, { collection, filter: isStale }, (ids) =>
      // Computed from what the ticket holds at this moment: a change in between gives its own.
      collection.updateMany({ _id: { $in: ids } }, setBuckets),
    );
  },
};
