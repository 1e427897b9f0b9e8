import type { Migration } from '@app/migrations';
import { writeWordsOfTickets } from '../projections/search-words-store.ts';

/** Gives tickets of early versions the words that people find them by (docs/decisions/0147-words-as-an-index.md). */
export const wordsOfTickets: Migration = {
  id: '0001-words-of-tickets',
  up: (context) => writeWordsOfTickets(context, { words: { $exists: false } }),
};
