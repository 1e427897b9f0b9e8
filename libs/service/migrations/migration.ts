// Why it is so: docs/decisions/migrations.md
import type { Logger } from '@app/runtime';
import type { Connection } from 'mongoose';

/** What a migration gets: the database of its service, no settings and no keys. */
export type MigrationContext = {
  connection: Connection;
  logger: Logger;
  /** Aborted once another process may have taken over; to be looked at between two writes. */
  signal: AbortSignal;
  /** How far this migration has come, kept over crashes: the last thing saved, null before. */
  progress: { read(): Promise<string | null>; save(position: string): Promise<void> };
};

/**
 * One step from the data of the previous version to that of this one. Running it again from any
 * point must be safe, and the previous version must still work on what it leaves
 * (docs/contributing/add-a-migration.md).
 */
export type Migration = {
  /** `0001-what-it-does`: the name of its file, and its place in the order. */
  id: string;
  up(context: MigrationContext): Promise<void>;
};

/** What has not run yet, and what a newer version has run here. @throws Error if the list is not in order */
export function compare(
  migrations: readonly Migration[],
  done: ReadonlySet<string>,
): { pending: Migration[]; unknown: string[] } {
  const ids = migrations.map(({ id }) => id);
  const wrong = ids.find((id, index) => !/^\d{4}-[a-z0-9-]+$/.test(id) || id.slice(0, 4) !== placeOf(index));
  if (wrong) throw new Error(`the migration ${wrong} is not in its place: ids are 0001-…, 0002-… without a gap`);
  return {
    pending: migrations.filter(({ id }) => !done.has(id)),
    unknown: [...done].filter((id) => !ids.includes(id)).sort(),
  };
}

function placeOf(index: number): string {
  return String(index + 1).padStart(4, '0');
}
