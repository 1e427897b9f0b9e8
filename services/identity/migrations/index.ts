import type { Migration } from '@app/migrations';
import { wordsOfCompanies } from './0001-words-of-companies.ts';
import { wordsOfUsers } from './0002-words-of-users.ts';
import { wordsAgain } from './0003-words-again.ts';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [wordsOfCompanies, wordsOfUsers, wordsAgain];
