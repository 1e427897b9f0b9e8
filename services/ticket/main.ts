import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps } from '@app/http';
import { connectBroker } from '@app/messaging';
import { connectMongo, createLogger, ensureIndexes, type Lifecycle, pingMongo, runService } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';
import { fillBuckets } from './tickets/ticket-buckets-store.ts';

const service = 'ticket';
let logger = createLogger({ service, level: 'info', production: process.env['NODE_ENV'] === 'production' });

runService(() => logger, start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const settings = loadSettings();
  const { HOST: host, NAMESPACE: namespace } = settings;
  logger = createLogger({ service, level: settings.LOG_LEVEL, production: settings.NODE_ENV === 'production' });

  const connection = await connectMongo({ url: settings.MONGODB_URL, database: `${namespace}${service}`, logger });
  lifecycle.onStop('MongoDB', () => connection.close());
  const own = settings.STORAGE_URL
    ? { url: settings.STORAGE_URL }
    : { url: settings.MONGODB_URL, database: `${namespace}storage` };
  const storage = createStorage({ ...own, logger });
  lifecycle.onStop('storage', () => storage.close());
  const broker = await connectBroker({ url: settings.AMQP_URL, namespace, service, logger, platform: platformQueues });
  lifecycle.onStop('broker', () => broker.close());

  const { handler, relay, timers, uploads, subscribe } = createApp({
    connection,
    broker,
    storage,
    links: createUrlSigner({ keys: settings.DOWNLOAD_LINK_KEYS, baseUrl: settings.PUBLIC_DOWNLOAD_URL }),
    logger,
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS),
    identityUrl: settings.IDENTITY_URL,
    baseUrl: settings.PUBLIC_TICKET_API_URL.replace(/(?<!\/)\/+$/, ''),
    proposalLifetimeMs: settings.PROPOSAL_EXPIRES_AFTER ?? null,
    strictClose: settings.STRICT_CLOSE,
    timerIntervalMs: settings.TIMER_INTERVAL,
  });
  await ensureIndexes(connection);
  const filled = await fillBuckets(connection, new Date());
  if (filled > 0) logger.info('tickets of the previous version are in order of their time', { tickets: filled });
  await subscribe();
  relay.start();
  lifecycle.onStop('relay', () => relay.stop());
  timers.start();
  lifecycle.onStop('timers', () => timers.stop());
  uploads.start();
  lifecycle.onStop('uploads', () => uploads.stop());

  const http = await listen(handler, { host, port: settings.PORT });
  lifecycle.onStop('HTTP', () => http.close());
  const ready = () => Promise.all([pingMongo(connection), broker.ready(), storage.ready()]);
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready });
  lifecycle.onStop('operations', () => ops.close());
  logger.info('ready', { port: http.port });
}
