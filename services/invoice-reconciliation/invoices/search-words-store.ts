import { isDeepStrictEqual } from 'node:util';
import { eachBatch, type MigrationContext } from '@app/migrations';
import type { mongo } from 'mongoose';
import { type InvoiceRecord, invoiceCollection } from './invoice-collection.ts';
import { wordsOf } from './invoice-words.ts';

/** Computes the search words of invoices, and writes those that differ. */
export async function writeWordsOfInvoices(context: MigrationContext, filter: mongo.Filter<InvoiceRecord>) {
  const invoices = invoiceCollection(context.connection);
  const options = { projection: { 'canonical.number': 1, 'canonical.supplier': 1, version: 1, words: 1 } };
  // Tombstones have no state.
  await eachBatch(context, { collection: invoices, filter: { ...filter, state: { $exists: true } } }, async (ids) => {
    const found = await invoices.find({ _id: { $in: ids } }, options).toArray();
    // The projection leaves out what is null.
    const writes = found.flatMap(({ _id, canonical = null, version, words: stored }) => {
      const words = wordsOf({ canonical });
      if (version === undefined || isDeepStrictEqual(stored, words)) return [];
      return [{ updateOne: { filter: { _id, version }, update: { $set: { words } } } }];
    });
    if (writes.length > 0) await invoices.bulkWrite(writes, { ordered: false });
  });
}
