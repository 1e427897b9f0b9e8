import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps } from '@app/http';
import { connectBroker } from '@app/messaging';
import { createInvoiceReader, providerOf } from '@app/providers';
import { connectMongo, createLogger, ensureIndexes, type Lifecycle, pingMongo, runService } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings, type Settings } from './config.ts';
import { retryDelaysMs } from './invoices/machine.ts';

const service = 'invoice-reconciliation';
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
  // Refused for now rather than to wait: a company whose documents take long would hold the places of all in the queue.
  const reader = createInvoiceReader({ slowMayWait: false });
  lifecycle.onStop('reader', () => reader.close());
  const broker = await connectBroker({ url: settings.AMQP_URL, namespace, service, logger, platform: platformQueues });
  lifecycle.onStop('broker', () => broker.close());

  const { handler, relay, sweep, subscribe } = createApp({
    connection,
    broker,
    storage,
    links: createUrlSigner({ keys: settings.DOWNLOAD_LINK_KEYS, baseUrl: settings.PUBLIC_DOWNLOAD_URL }),
    logger,
    verifyToken: internalTokenVerifier(settings.INTERNAL_TOKEN_PUBLIC_KEYS),
    providerOf,
    reader,
    cursorKeys: settings.DOWNLOAD_LINK_KEYS,
    ticketUrl: settings.TICKET_URL,
    connectionUrl: settings.CONNECTION_URL,
    settings: workOf(settings),
  });
  await ensureIndexes(connection);
  await subscribe();
  relay.start();
  lifecycle.onStop('relay', () => relay.stop());
  sweep.start();
  lifecycle.onStop('sweep', () => sweep.stop());

  const http = await listen(handler, { host, port: settings.PORT });
  lifecycle.onStop('HTTP', () => http.close());
  const ready = () => Promise.all([pingMongo(connection), broker.ready(), storage.ready()]);
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready });
  lifecycle.onStop('operations', () => ops.close());
  logger.info('ready', { port: http.port });
}

function workOf(settings: Settings) {
  return {
    matching: {
      autoScore: settings.MATCH_AUTO_SCORE,
      autoMargin: settings.MATCH_AUTO_MARGIN,
      suggestScore: settings.MATCH_SUGGEST_SCORE,
    },
    rematchDelayMs: settings.REMATCH_DELAY,
    retryDelaysMs,
    sweepEveryMs: settings.SWEEP_INTERVAL,
    concurrency: settings.INVOICE_CONCURRENCY,
  };
}
