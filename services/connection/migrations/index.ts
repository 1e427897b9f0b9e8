import type { Migration } from '@app/migrations';

/** In order. docs/contributing/add-a-migration.md says how to add one. */
export const migrations: readonly Migration[] = [];
