import type { Migration } from '@app/migrations';
import { writeWordsOfInvoices } from '../invoices/search-words-store.ts';

/**
 * Once more for all: while 0002 was rolled out, replicas of the release before it stored new
 * invoices without words.
 */
export const wordsOfInvoicesAgain: Migration = {
  id: '0004-words-of-invoices-again',
  up: (context) => writeWordsOfInvoices(context, {}),
};
