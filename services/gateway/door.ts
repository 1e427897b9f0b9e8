import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import type { Access, AccessLog } from './access-log.ts';
import { type AdmitDeps, admit, rateLimited, type Visitor } from './admit.ts';
import { type Body, bodyOf, tooMuchAtOnce } from './body-limit.ts';
import { addressForCounting, clientAddress } from './client-address.ts';
import type { Docs } from './docs-routes.ts';
import { answerHeaders, type RawHeaders, routeIn } from './headers.ts';
import { hostPicker, type PickHost, type PublicUrls } from './hosts.ts';
import { discardRest, type Forwarder, type Target } from './proxy.ts';
import { quotaHeaders } from './rate-limit.ts';
import type { Refuse } from './refuse.ts';
import { type HostName, pathOf, type Route, routeFinder, routes, type ServiceName } from './routes.ts';
import { defaultHeaders, eachHost } from './security-headers.ts';
import { publicAddressOf, serviceHeaders } from './service-headers.ts';
import { createShares } from './shares.ts';
import type { TakeBody } from './take-body.ts';

export type DoorDeps = AdmitDeps & {
  publicUrls: PublicUrls;
  targets: ReadonlyMap<ServiceName, Target>;
  proxy: Forwarder;
  docs: Docs;
  takeBody: TakeBody;
  maxInFlight: number;
  maxInFlightPerAddress: number;
  maxInFlightPerCredential: number;
  trustedProxies: number;
  refuse: Refuse;
  accessLog: AccessLog;
  /** Measures the answer that `res` will be, for whoever gives it. */
  observe: (res: ServerResponse, service: ServiceName | 'gateway') => void;
  /** True from the moment that the gateway is to stop: then answers end their connections. */
  stopping: () => boolean;
};

/** One request on its way; `headers` are those that its answer carries in any case. */
type Visit = {
  req: IncomingMessage;
  res: ServerResponse;
  host: HostName;
  requestId: string;
  headers: RawHeaders;
  visitor: Visitor & { from: string };
  startedAt: number;
  /** Counts against `maxInFlight`. */
  inFlight: boolean;
  /** The pattern of its path, as far as it is known. */
  route: string | null;
  companyId: string | null;
  /** The name of the credential that it counts for. */
  credential: string | null;
};

function accessOf({ req, res, requestId, startedAt, route, companyId }: Visit): Access {
  return {
    requestId,
    method: req.method ?? '',
    route,
    // Whoever left before there was an answer has none; nginx calls that 499.
    status: res.headersSent ? res.statusCode : 499,
    durationMs: Math.round(performance.now() - startedAt),
    companyId,
    complete: res.writableFinished,
  };
}

/**
 * What every request of the three hosts goes through, in this order: 404 (host), 429 (at once, of its address), 503
 * overloaded, 404 (path), documentation, 401, 429 (a minute), 403 (origin), 429 (at once, of its credential), 413, 408 and
 * 503 (body), then the service. Gives a listener for the hosts of one port.
 */
export function createDoor(deps: DoorDeps): (served: HostName[]) => RequestListener {
  const find = routeFinder(routes);
  const defaults = defaultHeaders(deps.publicUrls);
  const publicAddress = eachHost((host) => publicAddressOf(deps.publicUrls[host]));
  const ofAddresses = createShares(deps.maxInFlightPerAddress);
  const ofCredentials = createShares(deps.maxInFlightPerCredential);
  let inFlight = 0;

  function enter(pick: PickHost, req: IncomingMessage, res: ServerResponse): void {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID();
    const host = pick(req.headers.host);
    const headers = ['X-Request-Id', requestId];
    const visit: Visit = {
      req,
      res,
      host: host ?? 'ticket',
      requestId,
      headers,
      visitor: visitorOf(req),
      startedAt: performance.now(),
      inFlight: false,
      route: null,
      companyId: null,
      credential: null,
    };
    if (deps.stopping()) headers.push('Connection', 'close');
    const admitted = ofAddresses.take(visit.visitor.address);
    res.on('close', () => {
      stepOut(visit);
      if (admitted) ofAddresses.giveBack(visit.visitor.address);
      if (visit.credential !== null) ofCredentials.giveBack(visit.credential);
      deps.accessLog(accessOf(visit));
    });
    serve(visit, { host: host !== null, admitted }).catch((error: unknown) => turnAway(visit, error));
  }

  /** @throws AppError overloaded */
  function stepIn(visit: Visit): void {
    if (inFlight >= deps.maxInFlight) throw new AppError('overloaded', 'overloaded', 'too many requests at once');
    inFlight += 1;
    visit.inFlight = true;
  }

  function stepOut(visit: Visit): void {
    if (visit.inFlight) inFlight -= 1;
    visit.inFlight = false;
  }

  /** @throws AppError too_many where the credential has as many requests under way as one may have */
  function shareOfCredential(visit: Visit, key: string): void {
    if (!ofCredentials.take(key)) {
      throw tooMuchAtOnce(`${deps.maxInFlightPerCredential} requests with these credentials`);
    }
    visit.credential = key;
  }

  function turnAway(visit: Visit, error: unknown): void {
    for (const header of defaults.ofRefusals[visit.host]) visit.headers.push(...header);
    deps.refuse(visit, error);
  }

  async function serve(visit: Visit, known: { host: boolean; admitted: boolean }): Promise<void> {
    const { req, res, host } = visit;
    const path = pathOf(req.url ?? '');
    const route = path === null ? null : find(host, path);
    const target = route ? deps.targets.get(route.service) : undefined;
    deps.observe(res, target && route ? route.service : 'gateway');
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      throw new AppError('invalid', 'malformed_request', 'HTTP/1.1 needs the header Host');
    }
    if (!known.host) throw new AppError('not_found', 'unknown_host', 'this host is not served here');
    if (!known.admitted) throw tooMuchAtOnce(`${deps.maxInFlightPerAddress} requests of your address`);
    stepIn(visit);
    if (!route || !target) return showDocs(visit, path);
    visit.route = route.path;
    await proceed(visit, route, target);
  }

  async function proceed(visit: Visit, route: Route, target: Target): Promise<void> {
    const { req, res, requestId, visitor } = visit;
    const admission = await admit(deps, route, visitor);
    visit.companyId = admission.known?.companyId ?? null;
    if (admission.quota) visit.headers.push(...quotaHeaders(admission.quota));
    if (admission.refusal) {
      if (admission.refusal.kind === 'unauthenticated' && route.host === 'ticket') {
        visit.headers.push('WWW-Authenticate', 'Bearer');
      }
      throw admission.refusal;
    }
    // Whoever left while identity was asked wants nothing carried out any more.
    if (res.destroyed) return;
    if (admission.known) shareOfCredential(visit, admission.known.key);
    const body = bodyOf(req.headers, route);
    const held = body.length === null || body.upload ? null : await wholeBody(visit, body);
    if (res.destroyed) return;
    const { authority } = target;
    const facts = { route, authority, admission, address: visitor.from, requestId, length: body.length };
    deps.proxy.forward({
      req,
      res,
      target,
      body,
      ...(held ? { held } : {}),
      headers: serviceHeaders(req, { ...facts, publicAddress: publicAddress[route.host] }),
      answerHeaders: (raw) => {
        visit.route = routeIn(raw) ?? route.path;
        return answerHeaders(raw, visit.headers, defaults.ofServices[route.host]);
      },
      fail: (error) => turnAway(visit, error),
    });
  }

  /** While it has not come the request keeps nobody else from being served. */
  async function wholeBody(visit: Visit, body: Body): Promise<Buffer> {
    const { req, res, visitor } = visit;
    stepOut(visit);
    const held = await deps.takeBody({ req, res, body, address: visitor.address });
    if (!res.destroyed) stepIn(visit);
    return held;
  }

  /** The address as it is passed on, and as it counts. */
  function visitorOf(req: IncomingMessage): Visitor & { from: string } {
    const forwarded = req.headers['x-forwarded-for']?.toString();
    const from = clientAddress(req.socket.remoteAddress, forwarded, deps.trustedProxies);
    return { method: req.method ?? 'GET', headers: req.headers, from, address: addressForCounting(from) };
  }

  async function showDocs({ req, res, host, headers, visitor }: Visit, path: string | null): Promise<void> {
    const quota = deps.rateLimit.take(`address ${visitor.address}`);
    headers.push(...quotaHeaders(quota));
    if (!quota.allowed) throw rateLimited(quota);
    const shown = path === null ? null : await deps.docs({ host, path, method: req.method ?? 'GET' });
    if (!shown) throw new AppError('not_found', 'not_found', 'there is nothing at this address');
    res.writeHead(shown.status, [...headers, ...shown.headers]).end(shown.body, () => discardRest(req));
  }

  return (served) => {
    const pick = hostPicker(served, deps.publicUrls);
    return (req, res) => {
      // What comes on a connection that was refused as a whole is not looked at.
      if (!req.socket.writableEnded) enter(pick, req, res);
    };
  };
}
