import type { Logger } from '@app/runtime';
import type { Connection, mongo } from 'mongoose';
import { markEmptyDatabase, refuseUnreleased } from './first-release.ts';
import { type LeaseTimes, withLease } from './lease.ts';
import { compare, type Migration, type MigrationContext } from './migration.ts';

/** Absent `finishedAt`: it has begun, and `progress` says how far it came. */
type MigrationRecord = { _id: string; finishedAt?: Date; progress?: string };

type RunOptions = Partial<LeaseTimes> & {
  connection: Connection;
  migrations: readonly Migration[];
  logger: Logger;
  /** Called before each one. */
  onStart?(id: string): void;
};

/** The cause says what was wrong; the message names the migration, for an operator. */
class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed';

  constructor(id: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`migration ${id} failed: ${reason}. Nothing after it ran. It goes on where it stopped when run again`, {
      cause,
    });
  }
}

/**
 * Runs what has not run yet, in order, each once however many processes try; resolves when nothing
 * is pending.
 * @returns the ids of those that this process ran
 * @throws MigrationFailed; its cause is a LeaseLost if another process may have taken over. UnreleasedData
 */
export async function runMigrations(options: RunOptions): Promise<string[]> {
  const { connection, migrations, logger, leaseMs = 30_000, askEveryMs = 500 } = options;
  const database = databaseOf(connection);
  await markEmptyDatabase(database);
  const { pending, unknown } = compare(migrations, await finished(connection));
  if (unknown.length > 0) logger.warn('a newer version has migrated this database', { migrations: unknown });
  if (pending.length === 0) return [];
  return withLease({ database, name: 'migrations', leaseMs, askEveryMs, logger }, async (signal) => {
    // Another process may have run some while this one waited.
    const { pending: left } = compare(migrations, await finished(connection));
    for (const migration of left) await runOne(options, migration, signal);
    return left.map(({ id }) => id);
  });
}

/** The ids of what has not run yet, and of what only a newer version knows. @throws UnreleasedData */
export async function pendingMigrations(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<{ pending: string[]; unknown: string[] }> {
  await refuseUnreleased(databaseOf(connection));
  const { pending, unknown } = compare(migrations, await finished(connection));
  return { pending: pending.map(({ id }) => id), unknown };
}

async function runOne(options: RunOptions, { id, up }: Migration, signal: AbortSignal): Promise<void> {
  const { connection, logger, onStart } = options;
  onStart?.(id);
  const startedAt = performance.now();
  try {
    await up({ connection, logger, signal, progress: progressOf(connection, id) });
    // A process that stood still meanwhile must not record what another one is still at.
    signal.throwIfAborted();
    await recordsOf(connection).updateOne({ _id: id }, [{ $set: { finishedAt: '$$NOW' } }, { $unset: 'progress' }], {
      upsert: true,
    });
  } catch (error) {
    throw new MigrationFailed(id, error);
  }
  logger.info('migration applied', { migration: id, durationMs: Math.round(performance.now() - startedAt) });
}

function progressOf(connection: Connection, id: string): MigrationContext['progress'] {
  const records = recordsOf(connection);
  return {
    read: async () => (await records.findOne({ _id: id }))?.progress ?? null,
    async save(position) {
      await records.updateOne({ _id: id }, { $set: { progress: position } }, { upsert: true });
    },
  };
}

async function finished(connection: Connection): Promise<Set<string>> {
  const found = recordsOf(connection).find({ finishedAt: { $gt: new Date(0) } }, { projection: { _id: 1 } });
  return new Set((await found.toArray()).map(({ _id }) => _id));
}

function recordsOf(connection: Connection): mongo.Collection<MigrationRecord> {
  return databaseOf(connection).collection<MigrationRecord>('migrations');
}

/** By the driver: with its writes acknowledged by a majority, and without a model that others could declare too. */
function databaseOf(connection: Connection): mongo.Db {
  return connection.getClient().db(connection.name);
}
