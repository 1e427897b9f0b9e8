import type { Migration } from '@app/migrations';
import { wordsOfCompany } from '../companies/company.ts';
import { writeWords } from '../word-search-store.ts';

/** Gives companies of early versions the words that they are found by (docs/decisions/0147-words-as-an-index.md). */
export const wordsOfCompanies: Migration = {
  id: '0001-words-of-companies',
  up: (context) => writeWords(context, 'companies', wordsOfCompany),
};
