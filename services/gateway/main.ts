import { createRateLimit, internalTokenSigner, listenOps, Readiness } from '@app/http';
import { createLineLog, runProcess } from '@app/runtime';
import { createGateway } from './app.ts';
import { loadSettings, portsOf, publicUrlsOf, servicesOf } from './config.ts';
import { openSharedRateLimits } from './limits/shared-rate-limit-store.ts';
import { hostsByPort } from './routing/hosts.ts';

const name = 'gateway';

runProcess({
  name,
  loadSettings,
  async start({ settings, logger, onStop, draining }) {
    const { HOST: host, LOG_LEVEL: level, NODE_ENV } = settings;
    const readiness = new Readiness(draining);
    const ops = await listenOps({ host, port: settings.OPS_PORT, readiness });
    onStop('operations', () => ops.close());
    const accessLog = createLineLog({ service: name, level, production: NODE_ENV === 'production' });
    const perMinute = settings.RATE_LIMIT_PER_MINUTE;
    const url = settings.RATE_LIMIT_STORE_URL;
    const database = `${settings.NAMESPACE}gateway`;
    const shared = url ? await openSharedRateLimits({ url, database, logger }) : null;
    const limitOf = (perMinute: number) => {
      const fallback = createRateLimit({ perMinute });
      return shared?.limit({ perMinute, fallback }) ?? fallback;
    };
    if (shared) onStop('rate limits', () => shared.close());
    const gateway = createGateway({
      services: servicesOf(settings),
      publicUrls: publicUrlsOf(settings),
      sign: internalTokenSigner(settings.INTERNAL_TOKEN_PRIVATE_KEY),
      logger,
      rateLimit: limitOf(perMinute),
      companyRateLimit: limitOf(settings.RATE_LIMIT_PER_COMPANY ?? 10 * perMinute),
      maxInFlight: settings.MAX_IN_FLIGHT,
      maxInFlightPerAddress: settings.MAX_IN_FLIGHT_PER_ADDRESS,
      maxInFlightPerCredential: settings.MAX_IN_FLIGHT_PER_CREDENTIAL,
      maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
      upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT,
      trustedProxies: settings.TRUSTED_PROXIES,
      logAccess: (access) => accessLog('request', access),
      accessLogSampleRate: settings.ACCESS_LOG_SAMPLE_RATE,
      allowedOrigins: settings.ALLOWED_ORIGINS,
    });
    onStop('HTTP', () => gateway.close());
    draining.addEventListener('abort', () => gateway.drain());
    for (const [port, served] of hostsByPort(portsOf(settings))) await gateway.listen(served, { host, port });
    readiness.add({ services: () => gateway.ready() });
    readiness.waitFor(null);
    logger.info('ready', portsOf(settings));
  },
});
