import { isDeepStrictEqual } from 'node:util';
import { searchWords } from '@app/kernel';
import { eachBatch, type MigrationContext } from '@app/migrations';
import type { mongo } from 'mongoose';
import { ticketCollections } from './ticket-collections.ts';
import { parseProjection, type StoredTicket } from './ticket-projection.ts';

/**
 * Computes the search words of tickets, and writes those that differ. Tickets that are not known
 * yet have none.
 */
export async function writeWordsOfTickets(context: MigrationContext, filter: mongo.Filter<StoredTicket>) {
  const { tickets } = ticketCollections(context.connection);
  const known = { ...filter, packed: { $exists: true } };
  await eachBatch(context, { collection: tickets, filter: known, size: 200 }, async (ids) => {
    const found = await tickets.find({ _id: { $in: ids } }, { projection: { packed: 1, words: 1 } }).toArray();
    const writes = found.flatMap(({ _id, packed = '', words: stored }) => {
      const projection = parseProjection(packed);
      if (projection === null) return [];
      const words = searchWords(projection.ticket.number, projection.ticket.title);
      if (isDeepStrictEqual(stored, words)) return [];
      // Only if it is unchanged: any change of a ticket writes its words itself.
      return [{ updateOne: { filter: { _id, packed }, update: { $set: { words } } } }];
    });
    if (writes.length > 0) await tickets.bulkWrite(writes, { ordered: false });
  });
}
