import type { Migration } from '@app/service/migrations';

/** In order. docs/contributing/add-a-migration.md says how to add one. */
export const migrations: readonly Migration[] = [];
