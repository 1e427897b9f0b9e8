import type { RequestListener } from 'node:http';
import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps, type ReadyCheck, type VerifyToken } from '@app/http';
import { type Broker, connectBroker } from '@app/messaging';
import { connectMongo, ensureIndexes, type Process, pingMongo, runProcess } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { ServiceSettings } from './settings.ts';

/** What a service builds its app from. */
export type Service<Settings> = Process<Settings> & {
  connection: Connection;
  broker: Broker;
  verifyToken: VerifyToken;
  /** Adds a check to `/readyz`; it rejects while what the service needs does not answer. */
  onReadyCheck(check: ReadyCheck): void;
};

/** Work beside requests and events: a relay, a poller, a dispatcher. */
export type Worker = { start(): void | Promise<void>; stop(): Promise<void> };

export type ServiceApp = {
  handler: RequestListener;
  /** Starts to consume events. */
  subscribe(): Promise<void>;
  /** Started in this order, stopped in reverse. */
  workers: Record<string, Worker>;
  /** Migrations, once the indexes are there and before anything is started. */
  prepare?(): Promise<void>;
};

type ServiceOptions<Settings> = {
  /** Also the name of its database and the prefix of its queues. */
  name: string;
  /** @throws ConfigError */
  loadSettings: () => Settings;
  createApp: (service: Service<Settings>) => ServiceApp;
};

/**
 * Runs a service with a database, events and an API: connects, creates the app and the indexes, starts workers, consumers, API
 * and operations port, and stops all of it in reverse order. A service is ready once it listens on its operations port.
 */
export function runService<Settings extends ServiceSettings>(options: ServiceOptions<Settings>): void {
  const { name, loadSettings } = options;
  runProcess({ name, loadSettings, start: (process) => startService(options, process) });
}

async function startService<Settings extends ServiceSettings>(
  { name, createApp }: ServiceOptions<Settings>,
  process: Process<Settings>,
): Promise<void> {
  const { settings, logger, onStop } = process;
  const { NAMESPACE: namespace, HOST: host } = settings;
  const connection = await connectMongo({ url: settings.MONGODB_URL, database: `${namespace}${name}`, logger });
  onStop('MongoDB', () => connection.close());
  const broker = await connectBroker({
    ...{ url: settings.AMQP_URL, namespace, logger },
    service: name,
    platform: platformQueues,
  });
  onStop('broker', () => broker.close());

  const checks: ReadyCheck[] = [() => pingMongo(connection), () => broker.ready()];
  const app = createApp({
    ...process,
    ...{ connection, broker },
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS),
    onReadyCheck: (check) => checks.push(check),
  });
  await ensureIndexes(connection);
  await app.prepare?.();
  for (const [workerName, worker] of Object.entries(app.workers)) {
    onStop(workerName, () => worker.stop());
    await worker.start();
  }
  // Before the workers are stopped: handlers that are running may need them.
  onStop('consumers', () => broker.stopConsuming());
  await app.subscribe();

  const http = await listen(app.handler, { host, port: settings.PORT });
  onStop('HTTP', () => http.close());
  const ready = () => Promise.all(checks.map((check) => check()));
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready });
  onStop('operations', () => ops.close());
  logger.info('ready', { port: http.port });
}
