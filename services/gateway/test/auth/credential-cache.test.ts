import type { Principal } from '@app/contracts';
import {
  type AuthenticatedPrincipal,
  type Credential,
  CredentialCache,
  credentialOf,
} from '../../auth/credential-cache.ts';
import type { ServiceName } from '../../routing/routes.ts';

const bearer: Credential = { kind: 'bearer', value: 'tok_1', host: 'ticket' };
const principal: Principal = { kind: 'service', service: 'somebody' };

/** Identity as the gateway sees it: an answer that the test gives when it likes, on the test's clock. */
function asking(given: { capacity?: number; now?: () => number } = {}) {
  const clock = { at: 1_000_000 };
  const identity = {
    answer: { principal, expiresAt: null } as AuthenticatedPrincipal | null | Error,
    asked: [] as string[],
    signed: 0,
  };
  const credentials = new CredentialCache({
    now: () => clock.at,
    ...given,
    async introspect({ value }) {
      identity.asked.push(value);
      if (identity.answer instanceof Error) throw identity.answer;
      return identity.answer;
    },
    async sign(who, service) {
      identity.signed += 1;
      return `token ${identity.signed} of ${JSON.stringify(who)} for ${service}`;
    },
  });
  const resolve = async (credential = bearer, service: ServiceName = 'ticket') =>
    credentials.resolve(credential, credentials.keyOf(credential), service);
  return { clock, identity, credentials, resolve };
}

test('a thousand requests with a new token ask once, and sign once', async () => {
  const { identity, resolve } = asking();
  const all = await Promise.all(Array.from({ length: 1000 }, () => resolve()));
  expect(new Set(all.map((known) => known?.token)).size).toBe(1);
  expect(identity).toMatchObject({ asked: ['tok_1'], signed: 1 });
});

test('a revoked token is refused 4 s after it was last found good', async () => {
  const { identity, clock, resolve } = asking();
  await resolve();
  identity.answer = null;
  clock.at += 2999;
  expect(await resolve()).not.toBeNull();
  clock.at += 1001;
  expect(await resolve()).toBeNull();
  expect(identity.asked).toHaveLength(2);
});

test('a clock that is set back makes a revoked token good no longer', async () => {
  jest.useFakeTimers();
  try {
    const { identity, resolve } = asking({ now: undefined as never });
    await resolve();
    identity.answer = null;
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(4_000);
    expect(await resolve()).toBeNull();
  } finally {
    jest.useRealTimers();
  }
});

test('from 3 s on a cached credential is refreshed while it is served, so that nobody waits', async () => {
  const { identity, clock, credentials, resolve } = asking();
  await resolve();
  clock.at += 3000;
  expect(credentials.resolve(bearer, credentials.keyOf(bearer), 'ticket')).not.toBeInstanceOf(Promise);
  await Promise.resolve();
  expect(identity.asked).toHaveLength(2);
  identity.answer = null;
  clock.at += 1500;
  expect(await resolve()).not.toBeNull();
});

test('the token of a principal that did not change serves half a minute', async () => {
  const { identity, clock, resolve } = asking();
  const first = await resolve();
  clock.at += 29_000;
  expect((await resolve())?.token).toBe(first?.token);
  identity.answer = { principal: { kind: 'platform' }, expiresAt: null };
  clock.at += 500 + 4000;
  expect((await resolve())?.token).toContain('platform');
  clock.at += 30_000;
  await resolve();
  expect(identity.signed).toBe(3);
});

test('each service gets a token of its own, without another question to identity', async () => {
  const { identity, resolve } = asking();
  const [one, other] = [await resolve(bearer, 'ticket'), await resolve(bearer, 'connection')];
  expect([one?.token?.slice(-10), other?.token?.slice(-14)]).toEqual(['for ticket', 'for connection']);
  expect((await resolve(bearer, 'ticket'))?.token).toBe(one?.token);
  expect(identity).toMatchObject({ asked: ['tok_1'], signed: 2 });
});

test('a session that ends is not good beyond its end', async () => {
  const { identity, clock, resolve } = asking();
  identity.answer = { principal, expiresAt: new Date(Date.now() + 500) };
  await resolve();
  identity.answer = null;
  clock.at += 500;
  expect(await resolve()).toBeNull();
});

test('an invalid credential is cached for a second', async () => {
  const { identity, clock, credentials, resolve } = asking();
  identity.answer = null;
  expect(await resolve()).toBeNull();
  identity.answer = { principal, expiresAt: null };
  clock.at += 999;
  expect(credentials.isCached(bearer, credentials.keyOf(bearer))).toBe(true);
  expect(await resolve()).toBeNull();
  clock.at += 1;
  expect(credentials.isCached(bearer, credentials.keyOf(bearer))).toBe(false);
  expect(await resolve()).not.toBeNull();
});

test('an identity that does not answer is asked again by the next request', async () => {
  const { identity, resolve } = asking();
  identity.answer = new Error('down');
  await expect(resolve()).rejects.toThrow('down');
  identity.answer = { principal, expiresAt: null };
  expect(await resolve()).not.toBeNull();
});

test('a flood of guesses drives no caller out', async () => {
  const { identity, resolve } = asking({ capacity: 10 });
  await resolve();
  identity.answer = null;
  for (let i = 0; i < 100; i += 1) await resolve({ ...bearer, value: `guess ${i}` });
  identity.asked = [];
  expect(await resolve()).not.toBeNull();
  expect(identity.asked).toEqual([]);
});

test('the cache is bounded: the least recently used entry is evicted', async () => {
  const { identity, resolve } = asking({ capacity: 2 });
  for (const value of ['a', 'b', 'c']) await resolve({ ...bearer, value });
  identity.asked = [];
  for (const value of ['c', 'b', 'a']) await resolve({ ...bearer, value });
  expect(identity.asked).toEqual(['a']);
});

test('a credential valid on one host, or as one kind, is checked again for the other', async () => {
  const { identity, credentials, resolve } = asking();
  await resolve();
  await resolve({ ...bearer, host: 'ts' });
  await resolve({ ...bearer, host: 'ts', kind: 'cookie' });
  expect(identity.asked).toHaveLength(3);
  expect(credentials.keyOf({ ...bearer, host: 'ts' })).toBe(credentials.keyOf(bearer));
  expect(credentials.keyOf(bearer)).not.toContain(bearer.value);
});

test.each<[string, 'ticket' | 'ts', object, object | null]>([
  ['a bearer token', 'ticket', { authorization: 'Bearer abc.def' }, { kind: 'bearer', value: 'abc.def' }],
  ['in any case', 'ts', { authorization: 'bearer  abc' }, { kind: 'bearer', value: 'abc' }],
  ['never the cookie on the ticket API', 'ticket', { cookie: 'session=abc' }, null],
  ['the cookie on the second', 'ts', { cookie: 'a=1; session=abc; b=2' }, { kind: 'cookie', value: 'abc' }],
  ['a quoted cookie', 'ts', { cookie: 'session="abc"' }, { kind: 'cookie', value: 'abc' }],
  ['no cookie of a similar name', 'ts', { cookie: 'xsession=abc; session2=d' }, null],
  [
    'the token before the cookie',
    'ts',
    { authorization: 'Bearer t', cookie: 'session=c' },
    { kind: 'bearer', value: 't' },
  ],
  ['the cookie __Host-session', 'ts', { cookie: '__Host-session=h' }, { kind: 'cookie', value: 'h' }],
  [
    'the cookie that no other host can set',
    'ts',
    { cookie: 'session=a; __Host-session=h' },
    { kind: 'cookie', value: 'h' },
  ],
  ['no other cookie of a browser', 'ts', { cookie: 'session=a', 'sec-fetch-site': 'none' }, null],
  ['nor of one that says its origin alone', 'ts', { cookie: 'session=a', origin: 'https://ts.example' }, null],
  ['nor of an old one, which says neither', 'ts', { cookie: 'session=a', 'user-agent': 'Mozilla/5.0 (iPad)' }, null],
  ['no other scheme', 'ticket', { authorization: 'Basic YTpi' }, null],
  ['no empty token', 'ticket', { authorization: 'Bearer ' }, null],
  ['no two words', 'ticket', { authorization: 'Bearer a b' }, null],
  ['nothing', 'ts', {}, null],
])('a request shows who it is by %s', (_, host, headers, expected) => {
  expect(credentialOf(host, headers, true)).toEqual(expected && { ...expected, host });
});

test('over plain http, where browsers know no __Host- cookies, the cookie is `session`', () => {
  const headers = { cookie: '__Host-session=h; session=a', 'sec-fetch-site': 'same-origin' };
  expect(credentialOf('ts', headers, false)).toMatchObject({ kind: 'cookie', value: 'a' });
});
