export { eachBatch } from './each-batch.ts';
export { markEmptyDatabase } from './first-release.ts';
export {
  buildIndexes,
  createCollections,
  dropIndex,
  type Index,
  isUrgent,
  missingIndexes,
  undeclaredIndexes,
} from './indexes.ts';
export type { Migration, MigrationContext } from './migration.ts';
export { pendingMigrations, runMigrations } from './run-migrations.ts';
