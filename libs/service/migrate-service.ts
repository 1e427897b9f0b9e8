import { parseArgs } from 'node:util';
import { AppError } from '@app/kernel';
import type { Broker } from '@app/messaging';
import { connectMongo, createLogger, type Logger } from '@app/runtime';
import type { Connection } from 'mongoose';
import {
  buildIndexes,
  createCollections,
  dropIndex,
  missingIndexes,
  pendingMigrations,
  runMigrations,
  undeclaredIndexes,
} from './migrations/index.ts';
import type { ServiceOptions } from './service.ts';
import type { ServiceSettings } from './settings.ts';

type Opened = { connection: Connection; logger: Logger };
type Work = Opened & Pick<ServiceOptions<unknown>, 'migrations'> & { say(line: string): void };

/**
 * Migrates the database of one service and builds its indexes, beside whatever version is running. `--list` only says what is
 * pending; `--drop-index <collection>.<name>` drops an index that this version does not use. Ends with exit code 1 if it fails.
 */
export async function migrateService<Settings extends ServiceSettings>(
  options: ServiceOptions<Settings>,
  args: string[],
): Promise<void> {
  const hooks: (() => unknown)[] = [];
  try {
    const { values } = parseArgs({
      args,
      options: { list: { type: 'boolean' }, 'drop-index': { type: 'string', multiple: true } },
    });
    const settings = options.loadSettings();
    const opened = await openDatabase(options, settings, hooks);
    const { migrations } = options;
    const work: Work = { ...opened, migrations, say: (line) => void process.stdout.write(`${line}\n`) };
    if (values.list) await list(work);
    else if (values['drop-index']) await drop(work, values['drop-index']);
    else await migrate(work);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  } finally {
    for (const hook of hooks.reverse()) await Promise.resolve(hook()).catch(() => undefined);
  }
  // An app that is made and not started may hold timers.
  process.exit();
}

/** The database, with the models that the service declares. Its app is made and never started. */
async function openDatabase<Settings extends ServiceSettings>(
  { name, createApp }: ServiceOptions<Settings>,
  settings: Settings,
  hooks: (() => unknown)[],
): Promise<Opened> {
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, NODE_ENV } = settings;
  const logger = createLogger({ service: name, level, production: NODE_ENV === 'production' });
  const connection = await connectMongo({ url, database: `${namespace}${name}`, logger });
  hooks.push(() => connection.close());
  createApp({
    settings,
    logger,
    connection,
    broker: unconnected,
    draining: new AbortController().signal,
    now: () => new Date(),
    onStop: (_name, hook) => hooks.push(hook),
    onReadyCheck: () => undefined,
    verifyToken: noBroker,
  });
  return { connection, logger };
}

const noBroker = () => Promise.reject(new AppError('unavailable', 'broker_unavailable', 'a migration has no broker'));
const unconnected: Broker = {
  publish: noBroker,
  subscribe: noBroker,
  ready: noBroker,
  stopConsuming: noBroker,
  close: noBroker,
};

async function list({ migrations, connection, say }: Work): Promise<void> {
  const { pending, unknown } = await pendingMigrations(connection, migrations);
  const missing = await missingIndexes(connection);
  for (const id of pending) say(`pending: migration ${id}`);
  for (const index of missing) say(`pending: index ${index.collection}.${index.name}`);
  for (const id of unknown) say(`of a newer version: migration ${id}`);
  await listUndeclared({ connection, say });
  if (pending.length + missing.length === 0) say('nothing is pending');
}

async function migrate({ migrations, connection, logger, say }: Work): Promise<void> {
  const ran = await runMigrations({ connection, migrations, logger });
  for (const id of ran) say(`done: migration ${id}`);
  await createCollections(connection);
  const missing = await missingIndexes(connection);
  for (const index of missing) say(`building: index ${index.collection}.${index.name}`);
  // All declared indexes, not only the missing ones: one that exists with other fields is an error.
  await buildIndexes(connection);
  await listUndeclared({ connection, say });
  say(`${ran.length} migrations and ${missing.length} indexes done, nothing is pending`);
}

async function drop({ connection, say }: Work, indexes: string[]): Promise<void> {
  for (const index of indexes) {
    await dropIndex(connection, index);
    say(`dropped: index ${index}`);
  }
}

async function listUndeclared({ connection, say }: Pick<Work, 'connection' | 'say'>): Promise<void> {
  for (const index of await undeclaredIndexes(connection)) say(`not used by this version: index ${index}`);
}
