import type { ServerResponse } from 'node:http';
import { eventually } from '@app/testing';
import { apiToken, bearer, startUpstream } from '../gateway.ts';
import { before, type Handle, type Options, startWith, stopAfter, stopAll, upload } from '../upstreams.ts';

const path = '/api/v3.0/tickets';

afterEach(stopAll);

test('passes on method, address, body and headers; adds who, from where and which request', async () => {
  const { call, ticket } = await startWith();
  const headers = {
    ...bearer(),
    'content-type': 'application/json',
    'x-request-id': 'from-the-client',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil.test',
  };
  const answer = await call('ticket', 'PUT', `${path}/x/cancel?a=%20b&a=c`, { headers, body: '{"reason_cancel":"é"}' });
  expect(ticket.asked[0]).toMatchObject({
    method: 'PUT',
    url: `${path}/x/cancel?a=%20b&a=c`,
    body: '{"reason_cancel":"é"}',
    headers: {
      host: new URL(ticket.url).host,
      'content-type': 'application/json',
      'x-request-id': 'from-the-client',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com',
    },
  });
  expect(answer.headers).toMatchObject({
    'x-request-id': 'from-the-client',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000',
  });
});

test.each(['short', 'with spaces in it', 'a'.repeat(129), 'line%0a;'])(
  'a request id of %j is replaced',
  async (given) => {
    const { call, ticket } = await startWith();
    const headers = { ...bearer(), 'x-request-id': given };
    const answer = await call('ticket', 'GET', path, { headers });
    expect(answer.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(ticket.asked[0]?.headers['x-request-id']).toBe(answer.headers['x-request-id']);
  },
);

// What is read as which route: routing/routes.test.ts.
test.each<['ticket' | 'ts' | 'shared', string, string, string | undefined]>([
  ['ticket', '/internal/credentials', 'not_found', undefined],
  ['ts', '/auth/../internal/credentials', 'not_found', undefined],
  ['ticket', `${path}/0123456789abcdef01234567/purchases`, 'not_found', undefined],
  ['shared', path, 'unknown_host', 'evil.test'],
  ['shared', '/docs', 'unknown_host', 'evil.test'],
])('%s %s is 404 %s', async (host, url, code, name) => {
  const { call } = await startWith();
  const headers = { ...bearer(), ...(name ? { host: name } : {}) };
  const answer = await call(host, 'GET', url, { headers });
  expect(answer).toMatchObject({ status: 404, body: { code, error: expect.any(String) } });
  expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-content-type-options': 'nosniff' });
});

test('hosts on one port are distinguished by the Host header', async () => {
  const { call, ticket, identity } = await startWith();
  await call('shared', 'GET', path, { headers: { ...bearer(), host: 'API.example.com' } });
  await call('shared', 'POST', '/auth/login', { headers: { host: 'ts.example.com:443' } });
  expect(ticket.asked).toHaveLength(1);
  expect(identity.asked.map(({ url }) => url)).toEqual(['/internal/credentials', '/auth/login']);
});

test('answers come as the service gave them', async () => {
  const { call } = await before((_req, res) => {
    res.writeHead(409, {
      'Content-Type': 'application/json',
      'Set-Cookie': ['a=1', 'b=2'],
      'Cache-Control': 'private',
    });
    res.end('{"error":"no","code":"ticket_transition_forbidden"}');
  });
  const answer = await call('ticket', 'GET', path, { headers: bearer() });
  expect(answer).toMatchObject({ status: 409, body: { code: 'ticket_transition_forbidden' } });
  expect(answer.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'cache-control': 'private' });
  const head = await call('ticket', 'HEAD', path, { headers: bearer() });
  expect(head).toMatchObject({ status: 409, text: '' });
});

describe('a service that fails', () => {
  const ask = async (handle: Handle, options: Options = {}) => {
    const { call } = await before(handle, options);
    return call('ticket', 'GET', path, { headers: bearer() });
  };

  test.each<[string, Handle, number, string]>([
    ['a timeout', () => undefined, 504, 'service_timeout'],
    ['a reset', (req) => void req.socket.resetAndDestroy(), 502, 'service_unavailable'],
    ['invalid HTTP', (req) => void req.socket.end('gibberish\r\n\r\n'), 502, 'service_unavailable'],
  ])('with %s', async (_what, handle, status, code) => {
    const answer = await ask(handle, { upstreamTimeoutMs: status === 504 ? 100 : 15_000 });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String), 'cache-control': 'no-store' });
  });

  test.each<[string, Handle, number?]>([
    [
      'by length',
      (_req, res) => void res.writeHead(200, { 'content-length': '100' }).write('half', () => res.destroy()),
    ],
    ['in chunks', (_req, res) => void res.writeHead(200).write('half', () => res.destroy())],
    ['by falling silent', (_req, res) => void res.writeHead(200).write('half'), 5_000],
  ])(
    'halfway, %s, ends the connection: half an answer never looks whole',
    async (_, handle, upstreamTimeoutMs = 15_000) => {
      await expect(ask(handle, { upstreamTimeoutMs })).rejects.toMatchObject({ code: 'ECONNRESET' });
    },
  );

  test('of purchases has the codes purchase_timeout and purchase_unavailable', async () => {
    const silent = await startUpstream(() => undefined);
    stopAfter(silent.close);
    const { call } = await startWith({ upstreamTimeoutMs: 5_000, services: { purchase: silent.url } });
    const purchases = () => call('ticket', 'GET', `${path}/x/purchases`, { headers: bearer() });
    expect(await purchases()).toMatchObject({ status: 504, body: { code: 'purchase_timeout' } });
    await silent.close();
    expect(await purchases()).toMatchObject({ status: 502, body: { code: 'purchase_unavailable' } });
  });

  test('is logged once a second, without secrets of the client', async () => {
    const { call, upstream, logger } = await before();
    await upstream.close();
    for (let i = 0; i < 20; i += 1) await call('ticket', 'GET', `${path}?q=secret`, { headers: bearer() });
    expect(logger.lines.length).toBeLessThan(20);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', fields: { path, code: 'service_unavailable' } });
    expect(JSON.stringify(logger.lines)).not.toMatch(new RegExp(`secret|${apiToken}`));
  });
});

/** Answers each connection's first request, and ends it when a second one comes. */
function endsWhenReused(counts: { first: number; again: number }): Handle {
  const seen = new WeakSet<object>();
  return (req, res) => {
    if (seen.has(req.socket)) {
      counts.again += 1;
      req.socket.destroy();
      return;
    }
    seen.add(req.socket);
    counts.first += 1;
    req.resume().on('end', () => res.end('{}'));
  };
}

test.each([
  ['GET', 200, ''],
  ['POST', 502, '{}'],
  ['PUT', 502, ''],
  ['DELETE', 502, ''],
])('a %s over a kept connection that ended under it answers %s', async (method, status, body) => {
  const counts = { first: 0, again: 0 };
  const { call } = await before(endsWhenReused(counts));
  expect((await call('ticket', 'GET', path, { headers: bearer() })).status).toBe(200);
  const answer = await call('ticket', method, path, { headers: bearer(), ...(body ? { body } : {}) });
  expect(answer.status).toBe(status);
  expect(counts).toEqual({ first: status === 200 ? 2 : 1, again: 1 });
});

test('a client that leaves takes its request with it', async () => {
  let upstreamGone = false;
  const { ports, upstream } = await before((_req, res) => void res.on('close', () => (upstreamGone = true)));
  const { req } = upload(ports.ticket, {});
  req.end();
  await eventually(() => expect(upstream.connections.size).toBe(1));
  req.destroy();
  await eventually(() => expect(upstreamGone).toBe(true));
});

test('while it drains, responses are complete and end their connections', async () => {
  const { call, gateway } = await before((_req, res) => void res.end('{}'));
  const headers = { ...bearer(), connection: 'keep-alive' };
  const ask = () => call('ticket', 'GET', path, { headers });
  expect((await ask()).headers['connection']).not.toBe('close');
  gateway.drain();
  const { status, headers: given } = await ask();
  expect([status, given['connection']]).toEqual([200, 'close']);
});

test('the gateway is ready while any service answers, whatever it answers', async () => {
  const { gateway, upstream, identity } = await before((_req, res) => void res.writeHead(500).end());
  await expect(gateway.ready()).resolves.toBeUndefined();
  await identity.close();
  await expect(gateway.ready()).resolves.toBeUndefined();
  await upstream.close();
  await expect(gateway.ready()).rejects.toThrow('no service behind the gateway answers');
});

test('on stopping, requests that run are answered, and their connections ended', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const { call, gateway } = await before((_req, res) => asked.resolve(res));
  const running = call('ticket', 'GET', path, { headers: bearer() });
  // The connection alone is not yet the request.
  const res = await asked.promise;
  const closed = gateway.close();
  res.end('{}');
  expect((await running).status).toBe(200);
  await closed;
  await expect(call('ticket', 'GET', path)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
