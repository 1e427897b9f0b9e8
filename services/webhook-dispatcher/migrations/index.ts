import type { Migration } from '@app/migrations';
import { drop90DayExpiry } from './0001-drop-90-day-expiry.ts';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [drop90DayExpiry];
