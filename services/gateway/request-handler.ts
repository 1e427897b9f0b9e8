import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { addressBlock, quotaHeaders } from '@app/http';
import { AppError } from '@app/kernel';
import { failSpan, type RequestSpan, startRequestSpan, traceHeaders } from '@app/runtime/tracing';
import {
  type AuthDeps,
  type AuthResult,
  authenticateRequest,
  type ClientInfo,
  rateLimited,
} from './auth/authenticate-request.ts';
import type { AdaptiveLimit } from './limits/adaptive-limit.ts';
import { type Body, bodyOf, concurrencyLimited } from './limits/body-limit.ts';
import { clientAddress } from './limits/client-address.ts';
import { createKeyedLimit } from './limits/keyed-limit.ts';
import type { ReadBody } from './limits/read-body.ts';
import { type RawHeaders, responseHeaders, routeIn } from './proxy/headers.ts';
import { type Forwarder, startServiceSpan, type Target } from './proxy/proxy.ts';
import { publicAddressOf, serviceHeaders } from './proxy/service-headers.ts';
import type { AccessLog } from './responses/access-log.ts';
import { type CrossOrigin, crossOriginFiles } from './responses/cross-origin.ts';
import { discardRest } from './responses/discard-rest.ts';
import type { ErrorResponder } from './responses/error-response.ts';
import { measureResponse } from './responses/response-metrics.ts';
import { defaultHeaders, eachHost } from './responses/security-headers.ts';
import { hostPicker, type PickHost, type PublicUrls } from './routing/hosts.ts';
import { type HostName, pathOf, type Route, routeFinder, routes, type ServiceName } from './routing/routes.ts';

export type RequestHandlerDeps = AuthDeps & {
  publicUrls: PublicUrls;
  targets: ReadonlyMap<ServiceName, Target>;
  /** The limit of concurrent requests to each service. */
  serviceLimits: ReadonlyMap<ServiceName, AdaptiveLimit>;
  proxy: Forwarder;
  readBody: ReadBody;
  maxInFlight: number;
  maxInFlightPerAddress: number;
  maxInFlightPerCredential: number;
  trustedProxies: number;
  respondWithError: ErrorResponder;
  accessLog: AccessLog;
  /** True once the gateway is about to stop: responses then close their connections. */
  draining: () => boolean;
};

type RequestContext = {
  req: IncomingMessage;
  res: ServerResponse;
  host: HostName;
  requestId: string;
  /** Headers of the response, whether the gateway or a service answers. */
  headers: RawHeaders;
  /** `from` is the address that services are given, `address` the one that limits count. */
  client: ClientInfo & { from: string };
  startedAt: number;
  span: RequestSpan;
  /** Counts towards `maxInFlight`. */
  inFlight: boolean;
  /** Counts towards the limit of its address. */
  admitted: boolean;
  /** The response is a stream that has begun. */
  isStream: boolean;
  /** Who answers: the gateway itself until a service is found. */
  service: ServiceName | 'gateway';
  /** The pattern of its path, as far as it is known. */
  route: string | null;
  companyId: string | null;
  /** The key of the credential whose limit it counts towards. */
  credentialKey: string | null;
};

/** Streams of this process, and how long one may be silent: longer than two heartbeats of the service. */
const maxStreams = 5_000;
const streamTimeoutMs = 60_000;

/**
 * Handles the requests of the three hosts. The checks, in this order: 400 (no `Host`), 404 (host),
 * 429 (requests at once, per address), 503 overloaded, 404 (path), 429 (per minute), 401, 403 (origin), 429 (requests at once, per credential), 413, 408 and 503 (body), 503
 * overloaded (limit of the service). Then the service answers.
 */
export class RequestHandler {
  readonly #deps: RequestHandlerDeps;
  readonly #findRoute = routeFinder(routes);
  readonly #defaults: ReturnType<typeof defaultHeaders>;
  readonly #publicAddress: Record<HostName, ReturnType<typeof publicAddressOf>>;
  readonly #crossOrigin: CrossOrigin;
  readonly #perAddress;
  readonly #perCredential;
  readonly #streams = new Set<ServerResponse>();
  #inFlight = 0;

  constructor(deps: RequestHandlerDeps) {
    this.#deps = deps;
    this.#defaults = defaultHeaders(deps.publicUrls);
    this.#publicAddress = eachHost((host) => publicAddressOf(deps.publicUrls[host]));
    this.#crossOrigin = crossOriginFiles(deps.publicUrls.ts);
    this.#perAddress = createKeyedLimit(deps.maxInFlightPerAddress);
    this.#perCredential = createKeyedLimit(deps.maxInFlightPerCredential);
  }

  /** The listener of a port that serves these hosts. */
  listener(served: HostName[]): RequestListener {
    const pickHost = hostPicker(served, this.#deps.publicUrls);
    return (req, res) => {
      // A connection that was refused as a whole is already closing: its requests are ignored.
      if (!req.socket.writableEnded) this.#handle(pickHost, req, res);
    };
  }

  #handle(pickHost: PickHost, req: IncomingMessage, res: ServerResponse): void {
    const host = pickHost(req.headers.host);
    const context = this.#contextOf(req, res, host);
    if (this.#deps.draining()) context.headers.push('Connection', 'close');
    context.admitted = this.#perAddress.tryAcquire(context.client.address);
    res.on('finish', () => {
      if (!context.isStream) measureResponse(context);
    });
    res.on('close', () => {
      this.#release(context);
      this.#streams.delete(res);
      this.#log(context);
    });
    context.span.run(() => this.#serve(context, host !== null).catch((error: unknown) => this.#reject(context, error)));
  }

  #contextOf(req: IncomingMessage, res: ServerResponse, host: HostName | null): RequestContext {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID();
    const forwarded = req.headers['x-forwarded-for']?.toString();
    const from = clientAddress(req.socket.remoteAddress, forwarded, this.#deps.trustedProxies);
    return {
      req,
      res,
      host: host ?? 'ticket',
      requestId,
      headers: ['X-Request-Id', requestId, ...this.#crossOrigin.headersFor(host, req)],
      client: {
        method: req.method ?? 'GET',
        headers: req.headers,
        path: pathOf(req.url ?? '') ?? '',
        from,
        address: addressBlock(from),
      },
      startedAt: performance.now(),
      span: startRequestSpan(req, res),
      inFlight: false,
      admitted: false,
      isStream: false,
      service: 'gateway',
      route: null,
      companyId: null,
      credentialKey: null,
    };
  }

  async #serve(context: RequestContext, hostIsKnown: boolean): Promise<void> {
    const { req, host, client } = context;
    const route = this.#findRoute(host, client.path);
    const target = route ? this.#deps.targets.get(route.service) : undefined;
    if (target && route) {
      context.service = route.service;
      setRoute(context, route.path);
    }
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      throw new AppError('invalid', 'malformed_request', 'HTTP/1.1 needs the header Host');
    }
    if (!hostIsKnown) throw new AppError('not_found', 'unknown_host', 'this host is not served here');
    if (!context.admitted) throw concurrencyLimited(`${this.#deps.maxInFlightPerAddress} requests of your address`);
    this.#beginInFlight(context);
    if (!route || !target) return this.#refusePath(context, route);
    await this.#forward(context, route, target);
  }

  async #forward(context: RequestContext, route: Route, target: Target): Promise<void> {
    const { req, res, requestId, client } = context;
    const auth = await authenticateRequest(this.#deps, route, client);
    context.companyId = auth.verified?.companyId ?? null;
    if (context.companyId !== null) context.span.setAttribute('app.company_id', context.companyId);
    if (auth.quota) context.headers.push(...quotaHeaders(auth.quota));
    if (auth.refusal) {
      if (auth.refusal.kind === 'unauthenticated' && route.host === 'ticket') {
        context.headers.push('WWW-Authenticate', 'Bearer');
      }
      throw auth.refusal;
    }
    const preflight = this.#crossOrigin.preflightFor(route.host, req);
    if (preflight) return void res.writeHead(204, [...context.headers, ...preflight]).end(() => discardRest(req));
    // A client that left meanwhile must not have its request carried out.
    if (res.destroyed) return;
    if (auth.verified) this.#acquireCredential(context, auth.verified.key);
    const body = bodyOf(req.headers, route);
    const buffered = body.length === null || body.upload ? null : await this.#wholeBody(context, body);
    if (res.destroyed) return;
    if (route.stream && (this.#deps.draining() || this.#streams.size >= maxStreams)) throw tooMuch();
    const answered = this.#acquireService(context, route.service, auth, body);
    const { authority } = target;
    const span = startServiceSpan(client.method, target);
    res.once('close', () => span?.end());
    const derived = { route, authority, auth, address: client.from, requestId, length: body.length };
    this.#deps.proxy.forward({
      req,
      res,
      target,
      body,
      ...(buffered ? { buffered } : {}),
      ...(route.stream ? { timeoutMs: streamTimeoutMs } : {}),
      headers: serviceHeaders(req, {
        ...derived,
        publicAddress: this.#publicAddress[route.host],
        trace: traceHeaders(span),
      }),
      responseHeaders: (raw) => {
        answered();
        setRoute(context, routeIn(raw) ?? route.path);
        if (route.stream) this.#beginStream(context);
        return responseHeaders(raw, context.headers, this.#defaults.ofServices[route.host]);
      },
      fail: (error) => {
        answered();
        if (span) failSpan(span, error.code);
        this.#reject(context, error);
      },
    });
  }

  /** While its body is on the way, a request takes none of `maxInFlight` from others. */
  async #wholeBody(context: RequestContext, body: Body): Promise<Buffer> {
    const { req, res, client } = context;
    this.#endInFlight(context);
    const whole = await this.#deps.readBody({ req, res, body, address: client.address });
    if (!res.destroyed) this.#beginInFlight(context);
    return whole;
  }

  /** @throws AppError not_found; counted, so that nobody tries addresses at speed */
  async #refusePath({ headers, client }: RequestContext, route: Route | null): Promise<never> {
    const quota = await this.#deps.rateLimit.consume(`address ${client.address}`);
    headers.push(...quotaHeaders(quota));
    if (!quota.allowed) throw rateLimited(quota);
    const missing = route
      ? `this platform runs without ${route.service}, which answers here`
      : 'there is nothing at this address';
    throw new AppError('not_found', 'not_found', missing);
  }

  /**
   * Uploads have no slot of the service: they last as long as their client takes, which says
   * nothing about the service.
   * @returns to be called once the service begins to answer
   * @throws AppError overloaded
   */
  #acquireService({ res, client }: RequestContext, service: ServiceName, auth: AuthResult, body: Body): () => void {
    const limit = body.upload ? undefined : this.#deps.serviceLimits.get(service);
    if (!limit) return () => undefined;
    const { verified } = auth;
    // By company, not by credential: a company makes as many tokens as it likes, and each would get
    // another share.
    const release = limit.tryAcquire(verified?.companyId ?? verified?.key ?? `address ${client.address}`);
    if (!release) throw tooMuch();
    res.on('close', release);
    return release;
  }

  /** @throws AppError overloaded */
  #beginInFlight(context: RequestContext): void {
    if (this.#inFlight >= this.#deps.maxInFlight) throw tooMuch();
    this.#inFlight += 1;
    context.inFlight = true;
  }

  #endInFlight(context: RequestContext): void {
    if (context.inFlight) this.#inFlight -= 1;
    context.inFlight = false;
  }

  /** From now on it is none of the requests at once. */
  #beginStream(context: RequestContext): void {
    measureResponse(context);
    context.isStream = true;
    this.#release(context);
    this.#streams.add(context.res);
  }

  /** Clients then open theirs again at another replica. */
  endStreams(): void {
    for (const res of this.#streams) res.destroy();
  }

  /** What it counts towards. */
  #release(context: RequestContext): void {
    const { admitted, credentialKey, client } = context;
    this.#endInFlight(context);
    if (admitted) this.#perAddress.release(client.address);
    if (credentialKey !== null) this.#perCredential.release(credentialKey);
    Object.assign(context, { admitted: false, credentialKey: null });
  }

  /** @throws AppError too_many `concurrency_limited` */
  #acquireCredential(context: RequestContext, key: string): void {
    if (!this.#perCredential.tryAcquire(key)) {
      throw concurrencyLimited(`${this.#deps.maxInFlightPerCredential} requests with these credentials`);
    }
    context.credentialKey = key;
  }

  #reject(context: RequestContext, error: unknown): void {
    for (const header of this.#defaults.ofErrors[context.host]) context.headers.push(...header);
    this.#deps.respondWithError(context, error);
  }

  #log({ req, res, requestId, startedAt, route, companyId, span, isStream }: RequestContext): void {
    this.#deps.accessLog({
      requestId,
      ...span.ids,
      method: req.method ?? '',
      route,
      // 499, as nginx has it: the client left before there was a response.
      status: res.headersSent ? res.statusCode : 499,
      durationMs: Math.round(performance.now() - startedAt),
      companyId,
      complete: res.writableFinished || isStream,
    });
  }
}

function tooMuch(): AppError {
  return new AppError('overloaded', 'overloaded', 'too many requests at once');
}

/** Prefers the route that the service names: the gateway only knows path prefixes. */
function setRoute(context: RequestContext, route: string): void {
  context.route = route;
  context.span.setRoute(route);
}
