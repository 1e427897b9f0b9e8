import type { Migration } from '@app/migrations';
import { writeWordsOfTickets } from '../projections/search-words-store.ts';

/**
 * Once more for all: while 0001 was rolled out, replicas of the release before it stored new
 * tickets without words, and changed others without changing their words.
 */
export const wordsOfTicketsAgain: Migration = {
  id: '0003-words-of-tickets-again',
  up: (context) => writeWordsOfTickets(context, {}),
};
