import type { Migration } from '@app/migrations';
import { wordsOfCompany } from '../companies/company.ts';
import { wordsOfUser } from '../users/user.ts';
import { writeWords } from '../word-search-store.ts';

/**
 * Once more for all: while 0001 and 0002 were rolled out, replicas of the release before them
 * created documents without words, and renamed some without changing their words.
 */
export const wordsAgain: Migration = {
  id: '0003-words-again',
  async up(context) {
    await writeWords(context, 'companies', wordsOfCompany);
    await writeWords(context, 'users', wordsOfUser);
  },
};
