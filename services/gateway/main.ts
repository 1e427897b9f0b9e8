import { internalTokenSigner, listenOps } from '@app/http';
import { createLineLog, createLogger, type Lifecycle, runService } from '@app/runtime';
import { createGateway } from './app.ts';
import { loadSettings, portsOf, publicUrlsOf, servicesOf } from './config.ts';
import { hostsByPort } from './hosts.ts';

const service = 'gateway';
let logger = createLogger({ service, level: 'info', production: process.env['NODE_ENV'] === 'production' });

runService(() => logger, start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const settings = loadSettings();
  const { HOST: host } = settings;
  const logging = { service, level: settings.LOG_LEVEL, production: settings.NODE_ENV === 'production' };
  logger = createLogger(logging);
  const line = createLineLog(logging);

  const gateway = createGateway({
    services: servicesOf(settings),
    publicUrls: publicUrlsOf(settings),
    sign: internalTokenSigner(settings.INTERNAL_TOKEN_PRIVATE_KEY),
    logger,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    maxInFlight: settings.MAX_IN_FLIGHT,
    maxInFlightPerAddress: settings.MAX_IN_FLIGHT_PER_ADDRESS,
    maxInFlightPerCredential: settings.MAX_IN_FLIGHT_PER_CREDENTIAL,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT,
    trustedProxies: settings.TRUSTED_PROXIES,
    logAccess: (access) => line('request', access),
    accessLogSampleRate: settings.ACCESS_LOG_SAMPLE_RATE,
    allowedOrigins: settings.ALLOWED_ORIGINS,
  });
  lifecycle.onStop('HTTP', () => gateway.close());
  for (const [port, served] of hostsByPort(portsOf(settings))) await gateway.listen(served, { host, port });
  // It keeps nothing and asks each service anew: it is ready as soon as it listens.
  const ops = await listenOps({ host, port: settings.OPS_PORT, ready: async () => undefined });
  lifecycle.onStop('operations', () => ops.close());
  logger.info('ready', portsOf(settings));
}
