import { eachBatch, type Migration } from '@app/migrations';
import { invoiceCollection } from '../invoices/invoice-collection-store.ts';
import { wordsOf } from '../invoices/search-words.ts';

/** Gives invoices their search words. An invoice that a replica of the release before takes in later has none. */
export const wordsOfInvoices: Migration = {
  id: '0002-words-of-invoices',
  async up(context) {
    const invoices = invoiceCollection(context.connection);
    // Tombstones have no state.
    const missing = { words: { $exists: false }, state: { $exists: true } };
    const options = { projection: { 'canonical.number': 1, 'canonical.supplier': 1, version: 1 } };
    await eachBatch(context, { collection: invoices, filter: missing }, async (ids) => {
      const found = await invoices.find({ _id: { $in: ids }, ...missing }, options).toArray();
      // The projection leaves out what is null.
      const writes = found.map(({ _id, canonical = null, version }) => {
        const filter = { _id, version, words: { $exists: false } };
        return { updateOne: { filter, update: { $set: { words: wordsOf({ canonical }) } } } };
      });
      if (writes.length > 0) await invoices.bulkWrite(writes, { ordered: false });
    });
  },
};
