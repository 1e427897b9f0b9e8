import { platformQueues } from '@app/contracts';
import { internalTokenVerifier, listen, listenOps } from '@app/http';
import { connectBroker } from '@app/messaging';
import { connectMongo, createLogger, type Lifecycle, type Logger, runService } from '@app/runtime';
import { createResolve } from '@app/ssrf-guard';
import { createApp } from './app.ts';
import { type Config, readConfig } from './config.ts';

const service = 'webhook-dispatcher';
let logger: Logger = createLogger({ service, level: 'info', production: process.env['NODE_ENV'] === 'production' });

async function start({ onStop }: Lifecycle): Promise<void> {
  const config = readConfig();
  logger = createLogger({ service, level: config.LOG_LEVEL, production: config.NODE_ENV === 'production' });
  const { HOST: host, NAMESPACE: namespace } = config;

  const connection = await connectMongo({ url: config.MONGODB_URL, database: `${namespace}${service}`, logger });
  onStop('mongodb', () => connection.close());
  const broker = await connectBroker({ url: config.AMQP_URL, namespace, service, logger, platform: platformQueues });
  const app = createApp({
    connection,
    broker,
    logger,
    verifyToken: internalTokenVerifier(config.INTERNAL_TOKEN_PUBLIC_KEYS),
    resolve: createResolve(),
    credentialsKeys: config.CREDENTIALS_KEYS,
    settings: settingsOf(config),
    mail: mailOf(config),
  });
  await app.prepare();
  onStop('sender', () => app.stop());
  onStop('broker', () => broker.close());
  const ops = await listenOps({ host, port: config.OPS_PORT, ready: app.ready });
  onStop('ops', () => ops.close());
  const http = await listen(app.http, { host, port: config.PORT });
  onStop('http', () => http.close());
  await app.start();
  logger.info('ready', { port: http.port });
}

function settingsOf(config: Config) {
  return {
    timeoutMs: config.WEBHOOK_TIMEOUT,
    retryDelaysMs: config.WEBHOOK_RETRY_DELAYS,
    endpointConcurrency: config.WEBHOOK_ENDPOINT_CONCURRENCY,
    totalConcurrency: config.WEBHOOK_TOTAL_CONCURRENCY,
    allowNetworks: config.WEBHOOK_ALLOW_NETWORKS,
  };
}

function mailOf({ SMTP_URL: url, SMTP_FROM, PUBLIC_TS_API_URL: api }: Config) {
  if (!url) return null;
  const from = SMTP_FROM ?? `webhooks@${api ? new URL(api).hostname : 'localhost'}`;
  return { url, from, docsUrl: api ? `${api.replace(/\/$/, '')}/docs` : null };
}

runService(() => logger, start);
