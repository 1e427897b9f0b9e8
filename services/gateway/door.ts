import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { type AdmitDeps, admit, rateLimited, type Visitor } from './admit.ts';
import { bodyOf } from './body-limit.ts';
import { addressForCounting, clientAddress } from './client-address.ts';
import type { Docs } from './docs-routes.ts';
import { answerHeaders, type RawHeaders } from './headers.ts';
import { hostPicker, type PickHost, type PublicUrls } from './hosts.ts';
import { discardRest, type Forwarder, type Target } from './proxy.ts';
import { quotaHeaders } from './rate-limit.ts';
import type { Refuse } from './refuse.ts';
import { type HostName, pathOf, type Route, routeFinder, routes, type ServiceName } from './routes.ts';
import { defaultHeaders, eachHost } from './security-headers.ts';
import { publicAddressOf, serviceHeaders } from './service-headers.ts';

export type DoorDeps = AdmitDeps & {
  publicUrls: PublicUrls;
  targets: ReadonlyMap<ServiceName, Target>;
  proxy: Forwarder;
  docs: Docs;
  maxInFlight: number;
  trustedProxies: number;
  refuse: Refuse;
  /** Measures the answer that `res` will be, for whoever gives it. */
  observe: (res: ServerResponse, service: ServiceName | 'gateway') => void;
  /** True from the moment that the gateway is to stop: then answers end their connections. */
  stopping: () => boolean;
};

/** One request on its way; `headers` are those that its answer carries in any case. */
type Visit = { req: IncomingMessage; res: ServerResponse; host: HostName; requestId: string; headers: RawHeaders };

/**
 * What every request of the three hosts goes through, in this order: 404 (host), 503 overloaded, 404 (path),
 * documentation, 401, 429, 403 (origin), 413 (body), then the service. Gives a listener for the hosts of one port.
 */
export function createDoor(deps: DoorDeps): (served: HostName[]) => RequestListener {
  const find = routeFinder(routes);
  const defaults = defaultHeaders(deps.publicUrls);
  const publicAddress = eachHost((host) => publicAddressOf(deps.publicUrls[host]));
  let inFlight = 0;

  function enter(pick: PickHost, req: IncomingMessage, res: ServerResponse): void {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID();
    const host = pick(req.headers.host);
    const visit = { req, res, host: host ?? 'ticket', requestId, headers: ['X-Request-Id', requestId] };
    if (deps.stopping()) visit.headers.push('Connection', 'close');
    inFlight += 1;
    res.on('close', () => {
      inFlight -= 1;
    });
    serve(visit, host !== null).catch((error: unknown) => turnAway(visit, error));
  }

  function turnAway(visit: Visit, error: unknown): void {
    for (const header of defaults.ofRefusals[visit.host]) visit.headers.push(...header);
    deps.refuse(visit, error);
  }

  async function serve(visit: Visit, known: boolean): Promise<void> {
    const { req, res, host } = visit;
    const path = pathOf(req.url ?? '');
    const route = path === null ? null : find(host, path);
    const target = route ? deps.targets.get(route.service) : undefined;
    deps.observe(res, target && route ? route.service : 'gateway');
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      throw new AppError('invalid', 'malformed_request', 'HTTP/1.1 needs the header Host');
    }
    if (!known) throw new AppError('not_found', 'unknown_host', 'this host is not served here');
    if (inFlight > deps.maxInFlight) throw new AppError('overloaded', 'overloaded', 'too many requests at once');
    if (!route || !target) return showDocs(visit, path);
    await proceed(visit, route, target);
  }

  async function proceed(visit: Visit, route: Route, target: Target): Promise<void> {
    const { req, res, requestId } = visit;
    const visitor = visitorOf(req);
    const admission = await admit(deps, route, visitor);
    if (admission.quota) visit.headers.push(...quotaHeaders(admission.quota));
    if (admission.refusal) {
      if (admission.refusal.kind === 'unauthenticated' && route.host === 'ticket') {
        visit.headers.push('WWW-Authenticate', 'Bearer');
      }
      throw admission.refusal;
    }
    const body = bodyOf(req.headers, route.service);
    // Whoever left while identity was asked wants nothing carried out any more.
    if (res.destroyed) return;
    const { authority } = target;
    const facts = { route, authority, admission, address: visitor.from, requestId, length: body.length };
    deps.proxy.forward({
      req,
      res,
      target,
      body,
      headers: serviceHeaders(req, { ...facts, publicAddress: publicAddress[route.host] }),
      answerHeaders: (raw) => answerHeaders(raw, visit.headers, defaults.ofServices[route.host]),
      fail: (error) => turnAway(visit, error),
    });
  }

  /** The address as it is passed on, and as it counts. */
  function visitorOf(req: IncomingMessage): Visitor & { from: string } {
    const forwarded = req.headers['x-forwarded-for']?.toString();
    const from = clientAddress(req.socket.remoteAddress, forwarded, deps.trustedProxies);
    return { method: req.method ?? 'GET', headers: req.headers, from, address: addressForCounting(from) };
  }

  async function showDocs({ req, res, host, headers }: Visit, path: string | null): Promise<void> {
    const quota = deps.rateLimit.take(`address ${visitorOf(req).address}`);
    headers.push(...quotaHeaders(quota));
    if (!quota.allowed) throw rateLimited(quota);
    const shown = path === null ? null : await deps.docs({ host, path, method: req.method ?? 'GET' });
    if (!shown) throw new AppError('not_found', 'not_found', 'there is nothing at this address');
    res.writeHead(shown.status, [...headers, ...shown.headers]).end(shown.body, () => discardRest(req));
  }

  return (served) => {
    const pick = hostPicker(served, deps.publicUrls);
    return (req, res) => enter(pick, req, res);
  };
}
