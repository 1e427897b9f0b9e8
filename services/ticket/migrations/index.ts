import type { Migration } from '@app/migrations';
import { ticketBuckets } from './0001-ticket-buckets.ts';
import { ticketListKeys } from './0002-ticket-list-keys.ts';
import { ticketListKeysAgain } from './0003-ticket-list-keys-again.ts';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [ticketBuckets, ticketListKeys, ticketListKeysAgain];
