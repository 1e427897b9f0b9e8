import type { ServerResponse } from 'node:http';
import { eventually } from '@app/testing';
import {
  type Asked,
  apiToken,
  bearer,
  caller,
  principalOf,
  session,
  startGateway,
  startUpstream,
  withCookie,
} from '../gateway.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;
let gateway: Gateway;
let clock = Date.now();
beforeEach(async () => {
  clock = Date.now();
  gateway = await startGateway({ now: () => clock, allowedOrigins: 'https://console.example.com' });
});
afterEach(() => gateway.close());

const path = '/api/v3.0/tickets';
const unauthorized = { status: 401, body: { code: 'unauthorized' } };

test('a token is swapped for an internal one, which the service can verify, after identity was asked in our own name', async () => {
  expect((await gateway.call('ticket', 'GET', path, { headers: bearer() })).status).toBe(200);
  const [asked] = gateway.ticket.asked as [Asked];
  expect(await principalOf(asked)).toEqual({ kind: 'caller', caller });
  expect(JSON.stringify(asked)).not.toContain(apiToken);
  const [introspection, ...others] = gateway.identity.asked as [Asked];
  expect(others).toEqual([]);
  expect(JSON.parse(introspection.body)).toEqual({ kind: 'bearer', value: apiToken, host: 'ticket' });
  expect(await principalOf(introspection)).toEqual({ kind: 'service', service: 'gateway' });
});

test.each<[string, 'ticket' | 'ts', object]>([
  ['an API token', 'ticket', bearer()],
  ['a session', 'ticket', bearer(session)],
  ['a session', 'ts', bearer(session)],
  ['the cookie', 'ts', withCookie()],
])('%s that is revoked is dead on the host %s within 5 s', async (_, host, headers) => {
  const ask = () => gateway.call(host, 'GET', host === 'ticket' ? path : '/api-tokens', { headers: { ...headers } });
  expect((await ask()).status).toBe(200);
  gateway.identity.good.clear();
  expect((await ask()).status).toBe(200);
  // A credential is cached for 4 s; the rest of the 5 s is for the request itself.
  clock += 4000;
  expect(await ask()).toMatchObject(unauthorized);
});

test.each<[string, 'ticket' | 'ts', object]>([
  ['nothing', 'ticket', {}],
  ['a bad token', 'ticket', bearer('tok_bad')],
  ['another scheme', 'ticket', { authorization: `Basic ${apiToken}` }],
  ['the cookie', 'ticket', withCookie()],
  ['nothing', 'ts', {}],
  ['an API token', 'ts', bearer()],
  ['an API token as cookie', 'ts', withCookie(apiToken)],
  ['a bad cookie', 'ts', withCookie('forged')],
  ['an internal token', 'ts', { 'x-session-token': session }],
])('with %s the host %s answers 401', async (_, host, headers) => {
  const answer = await gateway.call(host, 'GET', host === 'ticket' ? path : '/api-tokens', { headers: { ...headers } });
  expect(answer).toMatchObject(unauthorized);
  expect(answer.headers['www-authenticate']).toBe(host === 'ticket' ? 'Bearer' : undefined);
  expect(gateway.ticket.asked).toEqual([]);
});

// Pages of the second API's origin reach the ticket API by the cookie, under the same check of the origin.
test.each<[number, 'ticket' | 'ts', object]>([
  [200, 'ts', withCookie()],
  [200, 'ts', { ...withCookie(), origin: 'https://ts.example.com' }],
  [200, 'ts', bearer(session)],
  [401, 'ts', bearer()],
  [401, 'ts', withCookie(apiToken)],
  [403, 'ts', { ...withCookie(), origin: 'https://evil.test' }],
  [403, 'ts', { ...withCookie(), origin: 'https://api.example.com' }],
  [403, 'ts', { ...withCookie(), 'sec-fetch-site': 'cross-site' }],
  [401, 'ticket', withCookie()],
  [401, 'ticket', { ...withCookie(), origin: 'https://ts.example.com' }],
  [200, 'ticket', bearer()],
])('the ticket API answers %i on %s to %j', async (status, host, headers) => {
  const answer = await gateway.call(host, 'POST', path, { headers: { ...headers } });
  expect([answer.status, gateway.ticket.asked.length]).toEqual([status, status === 200 ? 1 : 0]);
  if (status !== 200) return;
  const [asked] = gateway.ticket.asked as [Asked];
  expect(await principalOf(asked)).toEqual({ kind: 'caller', caller });
  for (const name of ['cookie', 'x-session-token']) expect(asked.headers).not.toHaveProperty(name);
});

test.each([
  ['what another host planted beside the session does not count', 200, `session=forged; __Host-session=${session}`],
  ['nor does it where there is no session', 401, `session=${session}`],
])('of a browser, over https: %s', async (_, status, cookie) => {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  expect(await gateway.call('ts', 'GET', '/auth/session', { headers })).toMatchObject({ status });
  if (status === 200) expect(gateway.identity.asked.at(-1)?.headers['x-session-token']).toBe(session);
});

test('a program, which nobody plants cookies in, sends the session by either name', async () => {
  for (const name of ['session', '__Host-session']) {
    const headers = { cookie: `${name}=${session}` };
    expect(await gateway.call('ts', 'GET', '/auth/session', { headers })).toMatchObject({ status: 200 });
  }
});

test('a sign-in on its way gets its own cookie, on its routes alone, and no header of a client', async () => {
  const [own, planted] = ['a'.repeat(43), 'b'.repeat(43)];
  const cookie = `sso=${planted}; session=s; __Host-sso=${own}; __Host-session=t`;
  const headers = { cookie, 'x-sso-browser': planted, 'x-session-token': planted, 'sec-fetch-site': 'cross-site' };
  const asked = async (method: string, path: string, given = headers) => {
    await gateway.call('ts', method, path, { headers: given });
    return gateway.identity.asked.at(-1)?.headers;
  };
  const given = { 'x-sso-browser': own, 'x-session-token': 't' };
  expect(await asked('GET', '/auth/sso/callback?state=x')).toMatchObject(given);
  expect(await asked('GET', '/auth/sso/callback')).not.toHaveProperty('cookie');
  const without = { ...headers, cookie: `sso=${planted}` };
  for (const name of Object.keys(given))
    expect(await asked('GET', '/auth/sso/callback', without)).not.toHaveProperty(name);
  expect(await asked('POST', '/auth/login')).not.toHaveProperty('x-sso-browser');
});

test('a login gets the cookie by which its browser is known, and no header of a client', async () => {
  const headers = { cookie: 'device=planted; __Host-device=a.b-c_d', 'x-device': 'forged' };
  await gateway.call('ts', 'POST', '/auth/login', { headers, body: '{}' });
  expect(gateway.identity.asked.at(-1)?.headers).toMatchObject({ 'x-device': 'a.b-c_d' });
  for (const given of [headers, { 'x-device': 'forged' }]) {
    const path = given === headers ? '/auth/password-reset' : '/auth/login';
    await gateway.call('ts', 'POST', path, { headers: given, body: '{}' });
    expect(gateway.identity.asked.at(-1)?.headers).not.toHaveProperty('x-device');
  }
});

test('public paths need no credentials, and ignore bad ones', async () => {
  const headers = { ...bearer('tok_bad'), ...withCookie('forged'), 'x-session-token': 'forged' };
  expect((await gateway.call('ts', 'POST', '/auth/login', { headers, body: '{}' })).status).toBe(200);
  expect((await gateway.call('download', 'GET', '/files/a.b.c', { headers })).status).toBe(200);
  for (const { asked } of [gateway.identity, gateway.ticket]) {
    expect(asked).toHaveLength(1);
    for (const name of ['authorization', 'cookie', 'x-session-token'])
      expect(asked[0]?.headers).not.toHaveProperty(name);
  }
});

test('the session itself goes to /auth alone', async () => {
  await gateway.call('ts', 'POST', '/auth/logout', { headers: { ...withCookie(), 'x-session-token': 'forged' } });
  await gateway.call('ts', 'GET', '/auth/session', { headers: bearer(session) });
  await gateway.call('ts', 'GET', '/api-tokens', { headers: bearer(session) });
  const forwarded = gateway.identity.asked.filter(({ url }) => url !== '/internal/credentials');
  expect(forwarded.map(({ url, headers }) => [url, headers['x-session-token']])).toEqual([
    ['/auth/logout', session],
    ['/auth/session', session],
    ['/api-tokens', undefined],
  ]);
});

test.each<[number, object]>([
  [200, { ...withCookie(), origin: 'https://ts.example.com' }],
  [200, { ...withCookie(), origin: 'https://console.example.com' }],
  [200, withCookie()],
  [403, { ...withCookie(), origin: 'https://evil.test' }],
  [403, { ...withCookie(), 'sec-fetch-site': 'cross-site' }],
  [200, { ...bearer(session), origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
  [401, { ...withCookie('forged'), origin: 'https://evil.test' }],
])('a change answers %i to %j', async (status, headers) => {
  const answer = await gateway.call('ts', 'POST', '/api-tokens', { headers: { ...headers } });
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.body).toMatchObject({ code: 'origin_forbidden' });
  const passed = gateway.identity.asked.filter(({ url }) => url === '/api-tokens');
  expect(passed).toHaveLength(status === 200 ? 1 : 0);
  const read = await gateway.call('ts', 'GET', '/api-tokens', { headers: { ...headers } });
  expect(read.status).toBe(status === 401 ? 401 : 200);
});

test('identity that is down is 502, for the credentials that it would have to be asked about', async () => {
  await gateway.call('ticket', 'GET', path, { headers: bearer() });
  await gateway.identity.close();
  expect((await gateway.call('ticket', 'GET', path, { headers: bearer() })).status).toBe(200);
  expect(await gateway.call('ticket', 'GET', path, { headers: bearer('another') })).toMatchObject({
    status: 502,
    body: { code: 'service_unavailable' },
  });
});

test('identity that does not answer is 504', async () => {
  const silent = await startUpstream(() => undefined);
  const waiting = await startGateway({ identityTimeoutMs: 100, services: { identity: silent.url } });
  expect(await waiting.call('ticket', 'GET', path, { headers: bearer() })).toMatchObject({
    status: 504,
    body: { code: 'service_timeout' },
  });
  await waiting.close();
  await silent.close();
});

describe('the rate limit', () => {
  let limited: Gateway;
  beforeEach(async () => {
    limited = await startGateway({ now: () => clock, rateLimitPerMinute: 3 });
  });
  afterEach(() => limited.close());
  const times = async (count: number, ask: () => ReturnType<Gateway['call']>) => {
    const answers = [];
    for (let i = 0; i < count; i += 1) answers.push(await ask());
    return answers;
  };
  const statuses = async (...given: Parameters<typeof times>) => (await times(...given)).map(({ status }) => status);

  test('counts by credential, says so on every answer, and ends when it said', async () => {
    const ask = (headers = bearer()) => limited.call('ticket', 'GET', path, { headers });
    const answers = await times(4, ask);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
    expect(answers[3]).toMatchObject({
      body: { code: 'rate_limited' },
      headers: { 'ratelimit-limit': '3', 'ratelimit-reset': '60', 'retry-after': '60' },
    });
    expect(limited.ticket.asked).toHaveLength(3);
    expect(await statuses(3, () => ask(bearer(session)))).toEqual([200, 200, 200]);
    clock += 60_000;
    expect((await ask()).status).toBe(200);
  });

  test('a session counts once, as cookie and as token, on both hosts', async () => {
    const headers = withCookie();
    expect(await statuses(2, () => limited.call('ts', 'GET', '/api-tokens', { headers }))).toEqual([200, 200]);
    const asToken = { headers: bearer(session) };
    expect(await statuses(2, () => limited.call('ticket', 'GET', path, asToken))).toEqual([200, 429]);
  });

  test('counts by address where nobody is named; what anybody writes in X-Forwarded-For changes nothing', async () => {
    let call = 0;
    const login = () =>
      limited.call('ts', 'POST', '/auth/login', { headers: { 'x-forwarded-for': `10.0.0.${++call}` } });
    expect(await statuses(4, login)).toEqual([200, 200, 200, 429]);
    expect((await limited.call('download', 'GET', '/files/x')).status).toBe(429);
    expect((await limited.call('ticket', 'GET', '/docs')).status).toBe(429);
    expect((await limited.call('ticket', 'GET', path)).status).toBe(429);
    expect((await limited.call('ticket', 'GET', path, { headers: bearer() })).status).toBe(200);
  });

  // All credentials of a company together, and several replicas: limits/shared-rate-limit.int.test.ts.
  test('an address with too many bad credentials is blocked; credentials verified before still work', async () => {
    await limited.call('ticket', 'GET', path, { headers: bearer() });
    let guess = 0;
    const ask = () => limited.call('ticket', 'GET', path, { headers: bearer(`guess-${++guess}`) });
    expect(await statuses(5, ask)).toEqual([401, 401, 401, 429, 429]);
    expect(limited.identity.asked).toHaveLength(4);
    expect((await limited.call('ticket', 'GET', path, { headers: bearer(session) })).status).toBe(429);
    clock += 5000;
    expect((await limited.call('ticket', 'GET', path, { headers: bearer() })).status).toBe(200);
  });

  test('the inbound provider webhook is not limited', async () => {
    const connection = await startUpstream();
    const open = await startGateway({ rateLimitPerMinute: 1, services: { connection: connection.url } });
    const ask = () => open.call('ts', 'POST', '/webhooks/invoice-providers/sandbox', { body: '{}' });
    expect(await statuses(5, ask)).toEqual([200, 200, 200, 200, 200]);
    expect((await ask()).headers).not.toHaveProperty('ratelimit-limit');
    await open.close();
    await connection.close();
  });
});

test('requests beyond the limit of requests in flight are 503, until others have ended', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const slow = await startUpstream((_req, res) => resolve(res));
  const full = await startGateway({ maxInFlight: 1, services: { ticket: slow.url } });
  const first = full.call('ticket', 'GET', path, { headers: bearer() });
  const held = await asked;
  const answer = await full.call('ts', 'POST', '/auth/login');
  expect(answer).toMatchObject({ status: 503, body: { code: 'overloaded' }, headers: { 'retry-after': '1' } });
  held.end('{}');
  expect((await first).status).toBe(200);
  await eventually(async () => expect((await full.call('ts', 'POST', '/auth/login')).status).toBe(200));
  await full.close();
  await slow.close();
});

test('the secret in the address of an agenda is its only credential, and is in no log', async () => {
  const logged: unknown[] = [];
  const own = await startGateway({ logAccess: (fields) => void logged.push(fields), now: () => clock });
  const secret = 'secret-of-an-agenda';
  own.identity.good.set(`feed ts ${secret}`, { kind: 'caller', caller });
  const ask = (name: string, headers = {}, host: 'ts' | 'ticket' = 'ts') =>
    own.call(host, 'GET', `/agenda/feeds/${name}.ics?language=fr`, { headers });
  expect((await ask(secret)).status).toBe(200);
  const [asked] = own.ticket.asked as [Asked];
  expect(await principalOf(asked)).toEqual({ kind: 'caller', caller });
  const nothing = { status: 404, body: { code: 'not_found' } };
  for (const headers of [{}, withCookie(), bearer(session)]) expect(await ask('other', headers)).toMatchObject(nothing);
  expect(await ask(secret, {}, 'ticket')).toMatchObject(nothing);
  expect((await own.call('ts', 'GET', `/agenda/${secret}`)).status).toBe(401);
  own.identity.good.clear();
  clock += 4000;
  expect(await ask(secret)).toMatchObject(nothing);
  await own.ticket.close();
  own.identity.good.set(`feed ts ${secret}`, { kind: 'caller', caller });
  clock += 4000;
  expect((await ask(secret)).status).toBe(502);
  await eventually(() => expect(logged).toHaveLength(8));
  expect(JSON.stringify([logged, own.logger.lines])).not.toContain(secret);
  await own.close();
});
