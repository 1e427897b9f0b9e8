import type { Logger } from '@app/runtime';
import type { Connection } from 'mongoose';
import {
  buildIndexes,
  createCollections,
  type Index,
  isUrgent,
  type Migration,
  missingIndexes,
  runMigrations,
} from './migrations/index.ts';

type Options = {
  connection: Connection;
  migrations: readonly Migration[];
  logger: Logger;
  /** Called with what is waited for, in a sentence for `/readyz`. */
  onWait(what: string): void;
};

/**
 * Makes the database ready to serve: runs what is pending of the migrations, and builds the unique indexes and those of small
 * collections. Others are built in the background: until then a list that names one answers 503.
 * @returns the builds that go on, for tests; they never reject
 */
export async function prepareDatabase(options: Options): Promise<{ background: Promise<void> }> {
  const { connection, migrations, logger, onWait } = options;
  onWait('migrating: it waits for another process');
  await runMigrations({ connection, migrations, logger, onStart: (id) => onWait(`migrating: ${id}`) });
  await createCollections(connection);
  const later: Index[] = [];
  for (const index of await missingIndexes(connection)) {
    onWait(`migrating: the index ${index.collection}.${index.name}`);
    if (await isUrgent(connection, index)) await buildIndexes(connection, [index]);
    else later.push(index);
  }
  onWait('it starts');
  return { background: buildLater(options, later) };
}

async function buildLater({ connection, logger }: Options, indexes: Index[]): Promise<void> {
  const built = { indexes: indexes.map(({ collection, name }) => `${collection}.${name}`) };
  if (indexes.length === 0) return;
  logger.warn('indexes are built in the background: npm run migrate before a start builds them beforehand', built);
  try {
    await buildIndexes(connection, indexes);
    logger.info('indexes built', built);
  } catch (error) {
    // The next start tries again.
    logger.error('indexes are missing', { ...built, error });
  }
}
