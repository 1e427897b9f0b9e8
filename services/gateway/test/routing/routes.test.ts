import { type HostName, pathOf, routeFinder, routes } from '../../routing/routes.ts';

const find = routeFinder(routes);
const id = '0123456789abcdef01234567';

/** The service that a request line's address comes to, and null for what is 404. */
function serviceOf(host: HostName, url: string): string | null {
  const path = pathOf(url);
  return path === null ? null : (find(host, path)?.service ?? null);
}

test.each<[HostName, string, string | null]>([
  ['ticket', '/api/v3.0/tickets', 'ticket'],
  ['ticket', '/api/v3.0/tickets/', 'ticket'],
  ['ticket', '/api/v3.0/tickets?status=created,opened', 'ticket'],
  ['ticket', `/api/v3.0/tickets/${id}/notes`, 'ticket'],
  ['ticket', `/api/v3.0/tickets/${id}/purchases`, 'purchase'],
  ['ticket', `/api/v3.0/tickets/${id}/purchases/`, 'purchase'],
  ['ticket', `/api/v3.0/tickets/${id}/purchases/${id}/document`, 'purchase'],
  ['ticket', '/api/v3.0/tickets/not-an-id/purchases', 'purchase'],
  ['ticket', `/api/v3.0/tickets/${id}/purchasesX`, 'ticket'],
  ['ticket', '/api/v3.0/tickets/purchases', 'ticket'],
  ['ticket', `/api/v3.0/tickets/${id}/notes?then=/purchases`, 'ticket'],
  ['ticket', '/api/v3x0/tickets', null],
  ['ticket', '/api/v4.0/tickets', null],
  ['ticket', '/auth/session', null],
  ['ticket', '/files/a.b.c', null],
  ['ticket', '/', null],
  ['ts', '/auth/login', 'identity'],
  ['ts', '/auth/session', 'identity'],
  ['ts', '/authentication', null],
  ['ts', `/api-tokens/${id}`, 'identity'],
  ['ts', '/admin/companies', 'identity'],
  ['ts', `/webhooks/endpoints/${id}/deliveries`, 'webhook-dispatcher'],
  ['ts', '/webhooks/event-types', 'webhook-dispatcher'],
  ['ts', '/webhooks/invoice-providers/sandbox', 'connection'],
  ['ts', '/webhooks', null],
  ['ts', '/invoice-connections', 'connection'],
  ['ts', '/invoice-providers', 'connection'],
  ['ts', '/invoices/resync', 'invoice-reconciliation'],
  ['ts', `/invoice-tickets/${id}`, 'ticket'],
  ['ts', '/api/v3.0/tickets', 'ticket'],
  ['ts', `/api/v3.0/tickets/${id}/purchases`, 'purchase'],
  ['ts', `/api/v3.0/tickets/${id}/purchases/${id}/document`, 'purchase'],
  ['ts', '/api/v3.0', 'ticket'],
  ['ts', '/api/v4.0/tickets', null],
  ['ts', '/console', 'console'],
  ['ts', '/console/assets/index-1a2b.js', 'console'],
  ['ts', '/consoles', null],
  ['ticket', '/console', null],
  ['ticket', '/openapi.json', 'console'],
  ['ts', '/docs/swagger-ui.css', 'console'],
  ['download', '/guide/errors', 'console'],
  ['ts', '/guidebook', null],
  ['download', '/files/key.payload.signature', 'ticket'],
  ['download', '/api/v3.0/tickets', null],
])('%s %s goes to %s', (host, url, service) => {
  expect(serviceOf(host, url)).toBe(service);
});

const tricks = [
  '/internal/credentials',
  '/INTERNAL/credentials',
  '/auth/../internal/credentials',
  '/auth/..%2finternal/credentials',
  '/auth/%2e%2e/internal/credentials',
  '/auth/%2E%2e/internal/credentials',
  '/auth/.%2e/internal/credentials',
  '/auth/./session',
  '/auth/%2e/session',
  '/auth/..',
  '/auth/%2e%2e',
  '/auth//session',
  '//auth/session',
  '//internal/credentials',
  '/auth\\..\\internal',
  '/auth/%5c..%5cinternal',
  '/auth%2flogin',
  '/auth%2Flogin',
  '/%61uth/login',
  '/AUTH/login',
  'http://127.0.0.1:4010/internal/credentials',
  '*',
  '',
  '/auth/session#/../internal',
  '/auth/ses%zzsion',
  '/auth/ses%2',
  '/auth/s\u00e9ance',
];
test.each(tricks)('%s reaches no service', (url) => {
  for (const host of ['ticket', 'ts', 'download'] as const) expect(serviceOf(host, url)).toBeNull();
});

test.each([
  `/api/v3.0/tickets/${id}/../${id}/purchases`,
  `/api/v3.0/tickets/${id}%2fpurchases`,
  `/api/v3.0/tickets/${id}/notes/%2e%2e/purchases`,
  `/api/v3.0/tickets/${id}//purchases`,
  `/api/v3.0/tickets//purchases`,
])('%s is read as neither of two routes', (url) => {
  expect(serviceOf('ticket', url)).toBeNull();
});

// What can't be an id is the service's to refuse, in its own words (400 `invalid_id`).
test.each(['%00', 'a%20b', "x'or'1", '[object]', '{"$gt":""}', '...', '%25', '~', ';x=1', 'a|b'])(
  'the service says what is wrong with the id %s',
  (odd) => {
    expect(serviceOf('ticket', `/api/v3.0/tickets/${odd}`)).toBe('ticket');
  },
);

test('the ticket API is the same on both hosts, and documented on its own', () => {
  const on = (host: HostName) =>
    routes.filter((route) => route.host === host && route.path.startsWith('/api/')).map(({ host: _, ...row }) => row);
  expect(on('ts')).toEqual(on('ticket').map((row) => ({ ...row, mirror: true })));
});

test('no credentials are asked for where somebody logs in, at pages, downloads, e-mail and the inbound provider webhook alone', () => {
  const open = routes.filter((route) => route.public).map(({ path }) => path);
  expect([...new Set(open)].sort()).toEqual([
    '/auth/login',
    '/auth/password-link',
    '/auth/password-reset',
    '/auth/sso',
    '/console',
    '/docs',
    '/files',
    '/guide',
    '/mail/inbound',
    '/mail/unsubscribe',
    '/openapi.json',
    '/webhooks/invoice-providers',
  ]);
  expect(routes.filter((route) => route.unlimited).map(({ path }) => path)).toEqual(['/webhooks/invoice-providers']);
  expect(find('ts', '/auth/logins')?.public).toBeUndefined();
});

test('a long address is refused in no time', () => {
  const before = process.threadCpuUsage();
  expect(pathOf(`${'/a'.repeat(8000)}\\`)).toBeNull();
  expect(pathOf(`/${'%2e'.repeat(5000)}%`)).toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
});
