import type { Migration } from '@app/migrations';
import { writeWordsOfInvoices } from '../invoices/search-words-store.ts';

/** Gives invoices of early versions the words that people find them by (docs/decisions/0147-words-as-an-index.md). */
export const wordsOfInvoices: Migration = {
  id: '0002-words-of-invoices',
  up: (context) => writeWordsOfInvoices(context, { words: { $exists: false } }),
};
