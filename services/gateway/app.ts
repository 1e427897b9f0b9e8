import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Principal } from '@app/contracts';
import { closeServer, createReplicas, type Lookup } from '@app/http';
import type { Logger } from '@app/runtime';
import { Gauge } from 'prom-client';
import { CredentialCache } from './auth/credential-cache.ts';
import { createIdentityClient } from './auth/identity-client.ts';
import { ownOrigins } from './auth/origin.ts';
import { type AdaptiveLimit, createAdaptiveLimit } from './limits/adaptive-limit.ts';
import { limitConnections } from './limits/connection-limit.ts';
import { createBodyReader } from './limits/read-body.ts';
import { createProxy, type Target } from './proxy/proxy.ts';
import { RequestHandler, type RequestHandlerDeps } from './request-handler.ts';
import { type Access, createAccessLog } from './responses/access-log.ts';
import { clientErrorResponder } from './responses/client-error.ts';
import { createErrorResponder } from './responses/error-response.ts';
import { probeServices } from './routing/probe-services.ts';
import { audienceOf, type HostName, type ServiceName } from './routing/routes.ts';

export type Deps = Pick<RequestHandlerDeps, PassedOn> & {
  /** Where the services listen; paths of a service that is missing are 404. */
  services: ReadonlyMap<ServiceName, string>;
  sign: (principal: Principal, audience: string[]) => Promise<string>;
  logger: Logger;
  maxConnectionsPerAddress: number;
  /** How long a body other than an upload may take to arrive, 15 s. */
  bodyTimeoutMs?: number;
  upstreamTimeoutMs: number;
  /** By default `upstreamTimeoutMs`. */
  identityTimeoutMs?: number;
  /** Writes the log line of a request. */
  logAccess: (access: Access) => void;
  accessLogSampleRate: number;
  /** Origins besides the second API's own, separated by commas. */
  allowedOrigins: string;
  /** Milliseconds of a clock that nobody sets. */
  now?: () => number;
  /** Finds the replicas of a service, by default the system's DNS. */
  lookup?: Lookup | undefined;
};

type PassedOn =
  | 'publicUrls'
  | 'rateLimit'
  | 'companyRateLimit'
  | 'maxInFlight'
  | 'maxInFlightPerAddress'
  | 'maxInFlightPerCredential'
  | 'trustedProxies';

const bodyTimeoutMs = 15_000;

const concurrencyLimits = new Gauge({
  name: 'gateway_concurrency_limit',
  help: 'How many requests a service is sent at once now; it falls while the service is slow',
  labelNames: ['service'] as const,
});

/** Builds the gateway; it serves nothing before `listen`. */
export function createGateway(deps: Deps) {
  const { services, publicUrls, sign, logger, upstreamTimeoutMs, now = () => performance.now() } = deps;
  const identityUrl = services.get('identity');
  if (!identityUrl) throw new Error('the gateway needs the identity service');
  const introspect = createIdentityClient({
    baseUrl: identityUrl,
    timeoutMs: deps.identityTimeoutMs ?? upstreamTimeoutMs,
    sign,
    lookup: deps.lookup,
  });
  const proxy = createProxy({ timeoutMs: upstreamTimeoutMs });
  // Behind trusted proxies every connection is theirs: they have to limit those of their clients.
  const connectionLimit = deps.trustedProxies === 0 ? limitConnections(deps.maxConnectionsPerAddress) : null;
  const serviceLimits = new Map([...services.keys()].map((name) => [name, limitOf(name, deps.maxInFlight)]));
  const servers: Server[] = [];
  let draining = false;
  const handler = new RequestHandler({
    ...deps,
    credentials: new CredentialCache({ introspect, sign: (who, service) => sign(who, audienceOf(service)), now }),
    ownOrigins: ownOrigins(publicUrls.ts, deps.allowedOrigins),
    secureCookie: publicUrls.ts.startsWith('https:'),
    targets: new Map([...services].map(([name, url]) => [name, targetOf(name, url, deps.lookup)])),
    serviceLimits,
    proxy,
    readBody: createBodyReader({ timeoutMs: deps.bodyTimeoutMs ?? bodyTimeoutMs }),
    respondWithError: createErrorResponder(logger, publicUrls),
    accessLog: createAccessLog({ write: deps.logAccess, sampleRate: deps.accessLogSampleRate }),
    draining: () => draining,
  });

  return {
    /** Serves these hosts on a port (0: any free one); resolves to the port. */
    async listen(served: HostName[], at: { host: string; port: number }): Promise<number> {
      // Before a request is read, nobody knows for which of the hosts of this port it is.
      const { origin } = new URL(publicUrls[served[0] ?? 'ticket']);
      const server = serverOf(handler.listener(served), origin);
      if (connectionLimit) server.on('connection', (socket) => connectionLimit(socket, origin));
      await listening(server, at);
      servers.push(server);
      return (server.address() as AddressInfo).port;
    },
    /** From now on each response ends its connection, so that clients and balancers move to another replica. */
    drain(): void {
      draining = true;
      handler.endStreams();
    },
    /** Rejects if no service answers: this replica is cut off, another may not be. */
    ready: (): Promise<void> => probeServices([...services.values()]),
    /** Accepts no more connections, waits for running requests for at most 10 s, then cuts them. */
    async close(): Promise<void> {
      draining = true;
      handler.endStreams();
      await Promise.all(servers.map(closeServer));
      proxy.close();
    },
  };
}

function limitOf(service: ServiceName, max: number): AdaptiveLimit {
  return createAdaptiveLimit({ max, onChange: (limit) => concurrencyLimits.set({ service }, Math.floor(limit)) });
}

function targetOf(name: ServiceName, url: string, lookup: Lookup | undefined): Target {
  const { hostname, port, host } = new URL(url);
  const codes =
    name === 'purchase'
      ? { unavailable: 'purchase_unavailable', timeout: 'purchase_timeout' }
      : { unavailable: 'service_unavailable', timeout: 'service_timeout' };
  // A URL has an IPv6 address in brackets, a socket takes it without.
  const replicas = createReplicas(hostname.replace(/^\[|\]$/g, ''), { lookup });
  return { replicas, port: Number(port || 80), authority: host, codes };
}

const serverOptions = {
  // Longer than the 60 s of most load balancers, so that none reuses a connection that was just closed here.
  keepAliveTimeout: 65_000,
  requestTimeout: 300_000,
  noDelay: true,
  // The request handler rejects a request without `Host`, with a documented error response.
  requireHostHeader: false,
};

function serverOf(listener: RequestListener, origin: string): Server {
  const server = createServer(serverOptions, listener);
  // Without this, Node sends 100 Continue before the request has been checked.
  server.on('checkContinue', listener);
  server.on('clientError', clientErrorResponder(origin));
  return server;
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
