export { eachBatch } from './each-batch.ts';
export { markEmptyDatabase, UnreleasedData } from './first-release.ts';
export {
  buildIndexes,
  createCollections,
  dropIndex,
  type Index,
  isUrgent,
  missingIndexes,
  undeclaredIndexes,
} from './indexes.ts';
export { LeaseLost } from './lease.ts';
export type { Migration, MigrationContext } from './migration.ts';
export { MigrationFailed, pendingMigrations, runMigrations } from './run-migrations.ts';
