const hostNames = ['ticket', 'ts', 'download'] as const;
export type HostName = (typeof hostNames)[number];

const serviceNames = [
  'identity',
  'ticket',
  'purchase',
  'webhook-dispatcher',
  'connection',
  'invoice-reconciliation',
  'console',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The services that a service calls with the token of its caller, and those that they call in turn. */
const calledBy: Partial<Record<ServiceName, ServiceName[]>> = {
  ticket: ['identity'],
  purchase: ['ticket', 'identity'],
  'invoice-reconciliation': ['ticket', 'connection', 'identity'],
};

/** For whom the internal token of a request to a service is: any other service refuses it. */
export function audienceOf(service: ServiceName): ServiceName[] {
  return [service, ...(calledBy[service] ?? [])];
}

export type Route = {
  host: HostName;
  /** A prefix of whole segments; `*` stands for one segment. */
  path: string;
  service: ServiceName;
  /** Needs no credentials, and ignores any. */
  public?: true;
  /** Serves pages for people, not an API. A visit loads many files, so they have a limit of their own, per address. */
  pages?: true;
  /** Not rate limited: the inbound provider webhook alone. */
  unlimited?: true;
  /** The credential is a secret in the last segment of the path, which programs send nothing else with; without a valid one there is nothing here. */
  secretInPath?: true;
  /** The service gets the session itself, to end it (`x-session-token`). */
  needsSession?: true;
  /** The response is a stream that lasts as long as the client listens: it counts as a stream, no longer as a request. */
  stream?: true;
  /** The service gets the cookies of a started single sign-on (`x-sso-browser`) and of a session (`x-session-token`), and no other. */
  needsSsoCookie?: true;
  /** The service gets the cookie by which it knows a browser again (`x-device`). */
  needsDevice?: true;
  /** Takes a file: a body that is no form is streamed too, since the service responds with what is wrong with it. */
  takesFile?: true;
  /** Takes a body of up to so many bytes, whatever its type, which is streamed. */
  maxBytes?: number;
  /** Operations of another host, which documents them. */
  mirror?: true;
};

/**
 * Which service serves a path. The longest match wins; a path without a match is 404, which keeps
 * `/internal` closed.
 */
export const routes: Route[] = [
  { host: 'ticket', path: '/api/v3.0', service: 'ticket' },
  { host: 'ticket', path: '/api/v3.0/tickets/*/purchases', service: 'purchase' },
  { host: 'ticket', path: '/api/v3.0/tickets/*/purchases/*/document', service: 'purchase', takesFile: true },
  // The ticket API for pages of the second API's origin: their session cookie is valid for this host only.
  { host: 'ts', path: '/api/v3.0', service: 'ticket', mirror: true },
  { host: 'ts', path: '/api/v3.0/tickets/*/purchases', service: 'purchase', mirror: true },
  { host: 'ts', path: '/api/v3.0/tickets/*/purchases/*/document', service: 'purchase', takesFile: true, mirror: true },
  { host: 'ts', path: '/auth', service: 'identity', needsSession: true },
  { host: 'ts', path: '/auth/login', service: 'identity', public: true, needsDevice: true },
  { host: 'ts', path: '/auth/password-link', service: 'identity', public: true },
  { host: 'ts', path: '/auth/password-reset', service: 'identity', public: true },
  { host: 'ts', path: '/mail/inbound', service: 'identity', public: true, maxBytes: 10 * 1024 * 1024 },
  { host: 'ts', path: '/mail/unsubscribe', service: 'identity', public: true },
  { host: 'ts', path: '/auth/sso', service: 'identity', public: true, needsSsoCookie: true },
  { host: 'ts', path: '/company', service: 'identity' },
  { host: 'ts', path: '/notifications', service: 'identity' },
  { host: 'ts', path: '/notifications/stream', service: 'identity', needsSession: true, stream: true },
  { host: 'ts', path: '/api-tokens', service: 'identity' },
  { host: 'ts', path: '/audit', service: 'identity' },
  { host: 'ts', path: '/admin', service: 'identity' },
  { host: 'ts', path: '/admin/exports', service: 'ticket' },
  { host: 'ts', path: '/admin/companies/*/exports', service: 'ticket' },
  { host: 'ts', path: '/webhooks/endpoints', service: 'webhook-dispatcher' },
  { host: 'ts', path: '/webhooks/event-types', service: 'webhook-dispatcher' },
  { host: 'ts', path: '/webhooks/invoice-providers', service: 'connection', public: true, unlimited: true },
  { host: 'ts', path: '/invoice-connections', service: 'connection' },
  { host: 'ts', path: '/invoice-providers', service: 'connection' },
  { host: 'ts', path: '/invoices', service: 'invoice-reconciliation' },
  { host: 'ts', path: '/statistics/tickets', service: 'ticket' },
  { host: 'ts', path: '/statistics/invoices', service: 'invoice-reconciliation' },
  { host: 'ts', path: '/imports', service: 'ticket' },
  { host: 'ts', path: '/exports', service: 'ticket' },
  { host: 'ts', path: '/clock-settings', service: 'ticket' },
  { host: 'ts', path: '/agenda', service: 'ticket' },
  { host: 'ts', path: '/agenda/feeds', service: 'ticket', secretInPath: true },
  { host: 'ts', path: '/invoice-tickets', service: 'ticket' },
  { host: 'ts', path: '/console', service: 'console', public: true, pages: true },
  { host: 'download', path: '/files', service: 'ticket', public: true },
  // What integrators read, at the host that they call.
  ...['/openapi.json', '/docs', '/guide'].flatMap((path) =>
    hostNames.map((host): Route => ({ host, path, service: 'console', public: true, pages: true })),
  ),
];

/** Finds the route of a path. The path is matched as it will be forwarded, so it must come from `pathOf`. */
export function routeFinder(table: Route[]): (host: HostName, path: string) => Route | null {
  const rows = [...table]
    .sort((a, b) => b.path.split('/').length - a.path.split('/').length)
    .map((route) => ({ route, pattern: patternOf(route.path) }));
  return (host, path) => rows.find(({ route, pattern }) => route.host === host && pattern.test(path))?.route ?? null;
}

function patternOf(prefix: string): RegExp {
  const segments = prefix.split('/').map((segment) => (segment === '*' ? '[^/]+' : segment.replaceAll('.', '\\.')));
  return new RegExp(`^${segments.join('/')}(?:/|$)`);
}

/**
 * One or more segments: none empty, `.` or `..` in any encoding, and no encoded slash or backslash. Such paths are refused
 * rather than normalised, so that gateway and service cannot read one path in two ways. A letter that is encoded without need
 * matches no route.
 */
const plainPath = /^(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))(?:[!"$&-.0->@-[\]-~]|%(?!2f|5c)[0-9a-f]{2})+)+\/?$/i;

/** The path of a request target without its query; null for a path that must not be routed. */
export function pathOf(url: string): string | null {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return plainPath.test(path) && !url.includes('#') ? path : null;
}
