import type { Migration } from '@app/migrations';
import { ticketBuckets } from './0001-ticket-buckets.ts';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [ticketBuckets];
