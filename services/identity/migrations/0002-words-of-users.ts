import type { Migration } from '@app/migrations';
import { wordsOfUser } from '../users/user.ts';
import { writeWords } from '../word-search-store.ts';

/** Gives users of early versions the words that they are found by (docs/decisions/0147-words-as-an-index.md). */
export const wordsOfUsers: Migration = {
  id: '0002-words-of-users',
  up: (context) => writeWords(context, 'users', wordsOfUser),
};
