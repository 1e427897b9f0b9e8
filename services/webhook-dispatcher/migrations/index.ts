import type { Migration } from '@app/migrations';

/** In order. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [];
