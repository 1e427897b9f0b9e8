import type { Migration } from '@app/migrations';
import { wordsOfTickets } from './0001-words-of-tickets.ts';
import { wordsOfInvoices } from './0002-words-of-invoices.ts';
import { wordsOfTicketsAgain } from './0003-words-of-tickets-again.ts';
import { wordsOfInvoicesAgain } from './0004-words-of-invoices-again.ts';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [
  wordsOfTickets,
  wordsOfInvoices,
  wordsOfTicketsAgain,
  wordsOfInvoicesAgain,
];
