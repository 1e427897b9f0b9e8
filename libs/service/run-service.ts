import { platformQueues, publishedBy } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps, Readiness } from '@app/http';
import { connectBroker } from '@app/messaging';
import { connectMongo, openDatabaseClock, type Process, pingMongo, rereadSetting, runProcess } from '@app/runtime';
import { migrateService } from './migrate-service.ts';
import { prepareDatabase } from './prepare-database.ts';
import { restoredService } from './restored-service.ts';
import type { ServiceOptions } from './service.ts';
import type { ServiceSettings } from './settings.ts';

/**
 * Runs a service with a database, events and an API: connects, creates the app and the indexes, starts workers, API
 * and consumers, and stops all of it in reverse order. `/readyz` answers from the first moment, and is 503 until all is started.
 */
export function runService<Settings extends ServiceSettings>(options: ServiceOptions<Settings>): void {
  const { name, loadSettings } = options;
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'migrate') void migrateService(options, rest);
  else if (command === 'restored') void restoredService(options, rest);
  else runProcess({ name, loadSettings, start: (started) => startService(options, started) });
}

async function startService<Settings extends ServiceSettings>(
  { name, migrations, createApp }: ServiceOptions<Settings>,
  process: Process<Settings>,
): Promise<void> {
  const { settings, logger, onStop, draining } = process;
  const { NAMESPACE: namespace, HOST: host } = settings;
  // Before all else: an orchestrator then sees a process that starts, and its metrics until it has stopped.
  const readiness = new Readiness(draining);
  const ops = await listenOps({ host, port: settings.OPS_PORT, readiness });
  onStop('operations', () => ops.close());

  const connection = await connectMongo({ url: settings.MONGODB_URL, database: `${namespace}${name}`, logger });
  onStop('MongoDB', () => connection.close());
  const broker = await connectBroker({
    // A password that changed in its file is used from the next connection on.
    url: rereadSetting('AMQP_URL', settings.AMQP_URL),
    namespace,
    logger,
    service: name,
    platform: platformQueues,
    published: publishedBy(name),
  });
  onStop('broker', () => broker.close());

  readiness.add({ mongodb: () => pingMongo(connection) });
  const app = createApp({
    ...process,
    connection,
    broker,
    now: await openDatabaseClock(connection),
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS, { audience: name }),
    onReadyCheck: (name, check) => readiness.add({ [name]: check }),
  });
  await prepareDatabase({ connection, migrations, logger, onWait: (what) => readiness.waitFor(what) });
  for (const [workerName, worker] of Object.entries(app.workers)) {
    onStop(workerName, () => worker.stop());
    await worker.start();
  }
  const http = await listen(app.handler, { host, port: settings.PORT, draining });
  // Stopped together, as each may take 10 s; and before the workers, which running requests and
  // handlers may need.
  onStop('requests and consumers', async () => {
    await Promise.all([http.close(), broker.stopConsuming()]);
  });
  await app.subscribe();
  readiness.waitFor(null);
  logger.info('ready', { port: http.port });
}
