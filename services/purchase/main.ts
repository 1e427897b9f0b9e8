import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps } from '@app/http';
import { connectBroker } from '@app/messaging';
import { connectMongo, createLogger, ensureIndexes, type Lifecycle, pingMongo, runService } from '@app/runtime';
import { createStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';

const service = 'purchase';
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

  const {
    handler,
    relay,
    uploads,
    supplierAssignment: addressing,
    subscribe,
  } = createApp({
    connection,
    broker,
    storage,
    logger,
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS),
    ticketUrl: settings.TICKET_URL,
  });
  await ensureIndexes(connection);
  await subscribe();
  relay.start();
  lifecycle.onStop('relay', () => relay.stop());
  addressing.start();
  lifecycle.onStop('addressing', () => addressing.stop());
  uploads.start();
  lifecycle.onStop('uploads', () => uploads.stop());

  const http = await listen(handler, { host, port: settings.PORT });
  lifecycle.onStop('HTTP', () => http.close());
  const ready = () => Promise.all([pingMongo(connection), broker.ready(), storage.ready()]);
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready });
  lifecycle.onStop('operations', () => ops.close());
  logger.info('ready', { port: http.port });
}
