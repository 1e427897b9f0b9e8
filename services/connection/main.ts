import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps } from '@app/http';
import { connectBroker } from '@app/messaging';
import { createInvoiceReader, providers } from '@app/providers';
import { connectMongo, createLogger, ensureIndexes, type Lifecycle, pingMongo, runService } from '@app/runtime';
import { createStorage } from '@app/storage';
import { createApp, type WorkLimits } from './app.ts';
import { loadSettings, type Settings } from './config.ts';

const service = 'connection';
const leaseMs = 30_000;
let logger = createLogger({ service, level: 'info', production: process.env['NODE_ENV'] === 'production' });

runService(() => logger, start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const settings = loadSettings();
  const known = providers(process.env);
  const { HOST: host, NAMESPACE: namespace } = settings;
  logger = createLogger({ service, level: settings.LOG_LEVEL, production: settings.NODE_ENV === 'production' });

  const database = await connectMongo({ url: settings.MONGODB_URL, database: `${namespace}${service}`, logger });
  lifecycle.onStop('MongoDB', () => database.close());
  const own = settings.STORAGE_URL
    ? { url: settings.STORAGE_URL }
    : { url: settings.MONGODB_URL, database: `${namespace}storage` };
  const storage = createStorage({ ...own, logger });
  lifecycle.onStop('storage', () => storage.close());
  const broker = await connectBroker({ url: settings.AMQP_URL, namespace, service, logger, platform: platformQueues });
  const reader = createInvoiceReader({ slowMayWait: true });
  lifecycle.onStop('reader', () => reader.close());
  const app = createApp({
    database,
    broker,
    storage,
    logger,
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS),
    providers: known,
    reader,
    credentialsKeys: settings.CREDENTIALS_KEYS,
    limits: limitsOf(settings),
  });
  await ensureIndexes(database);
  lifecycle.onStop('broker', () => broker.close());
  lifecycle.onStop('work', () => app.stop());
  app.start();
  await app.subscribe();

  const http = await listen(app.handler, { host, port: settings.PORT });
  lifecycle.onStop('HTTP', () => http.close());
  const ready = () => Promise.all([pingMongo(database), broker.ready(), storage.ready()]);
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready });
  lifecycle.onStop('operations', () => ops.close());
  logger.info('ready', { port: http.port, providers: [...known.keys()] });
}

function limitsOf(settings: Settings): WorkLimits {
  return {
    pollIntervalMs: settings.PROVIDER_POLL_INTERVAL,
    retryDelaysMs: settings.PROVIDER_RETRY_DELAYS,
    timeoutMs: settings.PROVIDER_TIMEOUT,
    probeAfterMs: settings.PROVIDER_PROBE_INTERVAL,
    concurrency: settings.PROVIDER_CONCURRENCY,
    totalConcurrency: settings.PROVIDER_TOTAL_CONCURRENCY,
    leaseMs,
  };
}
