import { eachBatch, type Migration } from '@app/migrations';
import { searchWords } from '../invoices/search-words.ts';
import { ticketCollections } from '../projections/projection-collections-store.ts';
import { parseProjection } from '../projections/ticket-projection.ts';

/**
 * Gives tickets their search words. A ticket that a replica of the release before writes first has none: it is still
 * found by its number, and its next change adds them.
 */
export const wordsOfTickets: Migration = {
  id: '0001-words-of-tickets',
  async up(context) {
    const { tickets } = ticketCollections(context.connection);
    const missing = { words: { $exists: false }, packed: { $exists: true } };
    await eachBatch(context, { collection: tickets, filter: missing, size: 200 }, async (ids) => {
      const found = await tickets.find({ _id: { $in: ids }, ...missing }, { projection: { packed: 1 } }).toArray();
      const writes = found.flatMap(({ _id, packed = '' }) => {
        const projection = parseProjection(packed);
        if (projection === null) return [];
        const words = searchWords(projection.ticket.number, projection.ticket.title);
        // Only if it is unchanged: the words of a ticket that changed meanwhile may differ.
        const filter = { _id, words: { $exists: false }, packed };
        return [{ updateOne: { filter, update: { $set: { words } } } }];
      });
      if (writes.length > 0) await tickets.bulkWrite(writes, { ordered: false });
    });
  },
};
