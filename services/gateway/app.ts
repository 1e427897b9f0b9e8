import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Principal } from '@app/contracts';
import { type Logger, metrics } from '@app/runtime';
import { Histogram } from 'prom-client';
import { type Access, createAccessLog } from './access-log.ts';
import { createCredentials } from './credentials.ts';
import { createDocs } from './docs-routes.ts';
import { createDoor } from './door.ts';
import type { PublicUrls } from './hosts.ts';
import { createIdentityClient } from './identity-client.ts';
import { limitConnections } from './limit-connections.ts';
import { answerUnparsable } from './malformed.ts';
import { ownOrigins } from './origin.ts';
import { createProxy, type Target } from './proxy.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRefuse } from './refuse.ts';
import { type HostName, routes, type ServiceName } from './routes.ts';
import { createTakeBody } from './take-body.ts';

export type Deps = {
  /** Where the services listen; what is not there is 404. */
  services: ReadonlyMap<ServiceName, string>;
  publicUrls: PublicUrls;
  sign: (principal: Principal) => Promise<string>;
  logger: Logger;
  rateLimitPerMinute: number;
  maxInFlight: number;
  maxInFlightPerAddress: number;
  maxInFlightPerCredential: number;
  maxConnectionsPerAddress: number;
  /** How long a body that is no upload may take to arrive, 15 s. */
  bodyTimeoutMs?: number;
  upstreamTimeoutMs: number;
  trustedProxies: number;
  /** Writes the line of a request. */
  logAccess: (access: Access) => void;
  accessLogSampleRate: number;
  /** Origins besides the second API's own, separated by commas. */
  allowedOrigins: string;
  now?: () => number;
};

export type Gateway = {
  /** Serves these hosts on a port (0: any free one), and says on which. */
  listen(served: HostName[], at: { host: string; port: number }): Promise<number>;
  /** Takes no new connection, lets running requests end for at most 10 s, then cuts them. */
  close(): Promise<void>;
};

const stopWithinMs = 10_000;
const bodyTimeoutMs = 15_000;

const durations = new Histogram({
  name: 'gateway_request_duration_seconds',
  help: 'Time to answer a request, by the service that answers and the status',
  labelNames: ['method', 'service', 'status'] as const,
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  registers: [metrics],
});

/** The gateway, as `main.ts` and every test run it. */
export function createGateway(deps: Deps): Gateway {
  const { services, publicUrls, sign, logger, upstreamTimeoutMs, now = Date.now } = deps;
  const identityUrl = services.get('identity');
  if (!identityUrl) throw new Error('the gateway needs the identity service');
  const recognise = createIdentityClient({ baseUrl: identityUrl, timeoutMs: upstreamTimeoutMs, sign });
  const proxy = createProxy({ timeoutMs: upstreamTimeoutMs });
  // Behind proxies of ours every connection is one of theirs: they bound those of their clients.
  const bound = deps.trustedProxies === 0 ? limitConnections(deps.maxConnectionsPerAddress) : null;
  const servers: Server[] = [];
  let stopping = false;
  const door = createDoor({
    credentials: createCredentials({ recognise, sign, now }),
    rateLimit: createRateLimit({ perMinute: deps.rateLimitPerMinute, now }),
    ownOrigins: ownOrigins(publicUrls.ts, deps.allowedOrigins),
    publicUrls,
    targets: new Map([...services].map(([name, url]) => [name, targetOf(name, url)])),
    proxy,
    docs: createDocs({ routes, services, publicUrls, logger, now }),
    takeBody: createTakeBody({ withinMs: deps.bodyTimeoutMs ?? bodyTimeoutMs }),
    maxInFlight: deps.maxInFlight,
    maxInFlightPerAddress: deps.maxInFlightPerAddress,
    maxInFlightPerCredential: deps.maxInFlightPerCredential,
    trustedProxies: deps.trustedProxies,
    refuse: createRefuse(logger),
    accessLog: createAccessLog({ write: deps.logAccess, sampleRate: deps.accessLogSampleRate }),
    observe,
    stopping: () => stopping,
  });

  return {
    async listen(served, at) {
      const server = serverOf(door(served));
      if (bound) server.on('connection', bound);
      await listening(server, at);
      servers.push(server);
      return (server.address() as AddressInfo).port;
    },
    async close() {
      stopping = true;
      await Promise.all(servers.map(closed));
      proxy.close();
    },
  };
}

function observe(res: ServerResponse, service: string): void {
  const started = performance.now();
  res.on('finish', () => {
    const method = res.req.method ?? '';
    durations.observe({ method, service, status: res.statusCode }, (performance.now() - started) / 1000);
  });
}

function targetOf(name: ServiceName, url: string): Target {
  const { hostname, port, host } = new URL(url);
  const codes =
    name === 'purchase'
      ? { unavailable: 'purchase_unavailable', timeout: 'purchase_timeout' }
      : { unavailable: 'service_unavailable', timeout: 'service_timeout' };
  // As a URL has it an IPv6 address stands in brackets, as a socket takes it not.
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), authority: host, codes };
}

const serverOptions = {
  // Longer than the minute that load balancers keep a connection for, so that none of them uses one that we just ended.
  keepAliveTimeout: 65_000,
  requestTimeout: 300_000,
  noDelay: true,
  // A request without `Host` is refused by the door, in the documented form.
  requireHostHeader: false,
};

function serverOf(listener: RequestListener): Server {
  const server = createServer(serverOptions, listener);
  // Without this Node tells a client to go on before the request was looked at.
  server.on('checkContinue', listener);
  server.on('clientError', answerUnparsable);
  return server;
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), stopWithinMs);
    // Node closes those that are idle now; one whose answer was on its way becomes idle a moment later.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}
