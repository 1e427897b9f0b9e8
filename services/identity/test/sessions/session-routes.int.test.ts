import { SignJWT } from 'jose';
import { aKey, goodPassword, type Identity, startIdentity } from '../identity.ts';

const keys = [aKey('new'), aKey('old')];
let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity({ sessionKeys: keys });
});
afterAll(() => identity.stop());

test('a login answers user, company, permissions and token, and sets the cookie', async () => {
  const { call, company, user } = identity;
  const companyId = await company('contractor');
  const { email, id } = await user(['tickets', 'accounting'], companyId);
  const answer = await call('POST', '/auth/login', { body: { email: email.toUpperCase(), password: goodPassword } });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    user: { id, email, first_name: 'Ada', last_name: 'Martin', phone: null },
    company: { id: companyId, name: 'Acme', kind: 'contractor', siret: null, siren: null },
    permissions: ['tickets', 'accounting'],
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split('; '));
  expect(cookies.map(([value]) => value)).toEqual([
    `session=${answer.body['token']}`,
    `__Host-session=${answer.body['token']}`,
  ]);
  for (const parts of cookies) {
    expect(parts).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Secure', 'Max-Age=43200']));
    expect(parts.join()).not.toContain('Domain');
  }
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('a login that prefers a minimal answer gets the cookie, and the token nowhere else', async () => {
  const { call, user } = identity;
  const { email } = await user();
  const body = { email, password: goodPassword };
  const answer = await call('POST', '/auth/login', { body, headers: { prefer: 'respond-async, return=minimal' } });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(answer.headers.get('preference-applied')).toBe('return=minimal');
  expect(answer.headers.getSetCookie()[0]).toMatch(/^session=[\w-]+\.[\w-]+\.[\w-]+; .*HttpOnly/);
  expect((await call('POST', '/auth/login', { body, headers: { prefer: 'return=representation' } })).status).toBe(200);
});

test('the cookie is not Secure where the second API is plain http, which would lose it', async () => {
  const { call } = await identity.replica({ secureCookie: false });
  const { email } = await identity.user();
  const { headers } = await call('POST', '/auth/login', { body: { email, password: goodPassword } });
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^session=.*HttpOnly/)]);
  expect(headers.get('set-cookie')).not.toContain('Secure');
});

test('a wrong password and an unknown user answer alike', async () => {
  const { call, user } = identity;
  const { email } = await user();
  const wrong = await call('POST', '/auth/login', { body: { email, password: 'wrong horse battery' } });
  const unknown = await call('POST', '/auth/login', { body: { email: 'no@body.test', password: goodPassword } });
  expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  expect(unknown.status).toBe(401);
  expect(unknown.text).toBe(wrong.text);
  expect(wrong.headers.get('set-cookie')).toBeNull();
});

test('the session answers as the login did, with its end in place of the token', async () => {
  const { call, user, logIn } = identity;
  const { email } = await user(['accounting']);
  const { token, principal } = await logIn(email);
  const { status, body } = await call('GET', '/auth/session', { as: principal, headers: { 'x-session-token': token } });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['user', 'company', 'permissions', 'expires_at']);
  const { body: known } = await identity.recognise(token);
  expect(body).toMatchObject({ user: { email }, permissions: ['accounting'], expires_at: known['expiresAt'] });
});

test('a logout ends this session everywhere, at once, and no other', async () => {
  const { call, user, logIn, recognise, replica } = identity;
  const { email } = await user();
  const [ended, kept] = [await logIn(email), await logIn(email)];
  const as = { as: ended.principal, headers: { 'x-session-token': ended.token } };
  const answer = await call('POST', '/auth/logout', as);
  expect(answer).toMatchObject({ status: 204, text: '' });
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^session=;.*Expires=Thu, 01 Jan 1970/),
    expect.stringMatching(/^__Host-session=;.*Expires=Thu, 01 Jan 1970.*Secure/),
  ]);
  expect((await recognise(ended.token)).status).toBe(401);
  expect((await recognise(ended.token, 'ts', 'cookie')).status).toBe(401);
  expect((await recognise(ended.token, 'ticket')).status).toBe(401);
  expect((await recognise(kept.token)).status).toBe(200);
  const other = await replica();
  expect(await other.call('GET', '/auth/session', as)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  expect(await call('POST', '/auth/logout', as)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});

test('a session is of the one who calls: without its token, or with another user’s, there is none', async () => {
  const { call, user, logIn } = identity;
  const mine = await logIn((await user()).email);
  const theirs = await logIn((await user()).email);
  for (const headers of [{}, { 'x-session-token': theirs.token }, { 'x-session-token': 'junk' }]) {
    for (const [method, path] of [
      ['GET', '/auth/session'],
      ['POST', '/auth/logout'],
    ] as const) {
      const answer = await call(method, path, { as: mine.principal, headers });
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
  }
  expect((await identity.recognise(theirs.token)).status).toBe(200);
});

test('a session ends after 12 hours by itself', async () => {
  const { user, logIn, recognise, clock } = identity;
  const { token } = await logIn((await user()).email);
  const answer = await recognise(token);
  const expiresAt = new Date(String(answer.body['expiresAt'])).getTime();
  expect(Math.round((expiresAt - clock.now.getTime()) / 3_600_000)).toBe(12);
  const before = clock.now;
  clock.now = new Date(expiresAt - 1000);
  expect((await recognise(token)).status).toBe(200);
  clock.now = new Date(expiresAt + 1000);
  expect((await recognise(token)).status).toBe(401);
  clock.now = before;
});

test('sessions outlive a change of keys as long as their key is configured', async () => {
  const { user, logIn, replica, recognise } = identity;
  const { token } = await logIn((await user()).email);
  const ask = { method: 'POST', path: '/internal/credentials' } as const;
  const credential = {
    as: { kind: 'service', service: 'gateway' } as const,
    body: { kind: 'bearer', value: token, host: 'ts' },
  };
  const rotated = await replica({ sessionKeys: [aKey('newest'), ...keys] });
  expect((await rotated.call(ask.method, ask.path, credential)).status).toBe(200);
  const forgotten = await replica({ sessionKeys: [aKey('newest')] });
  expect((await forgotten.call(ask.method, ask.path, credential)).status).toBe(401);
  expect((await recognise(token)).status).toBe(200);
});

test('a token that we did not sign for a session is nobody’s', async () => {
  const { user, logIn, recognise } = identity;
  const { token } = await logIn((await user()).email);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (kid: string, secret: Uint8Array, given = claims) =>
    new SignJWT(given).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
  const [key] = keys;
  const own = (given: object) => sign('new', key?.secret ?? Buffer.alloc(0), { ...claims, ...given });
  const forged = [
    `${encode({ alg: 'none', kid: 'new' })}.${payload}.`,
    `${header}.${encode({ ...claims, sub: 'f'.repeat(24) })}.${signature}`,
    // Its first character: the last ones of base64url hold bits that are ignored.
    `${header}.${payload}.${signature.startsWith('x') ? 'y' : 'x'}${signature.slice(1)}`,
    await sign('new', aKey('x').secret),
    await sign('unknown', key?.secret ?? Buffer.alloc(0)),
    await own({ jti: 'f'.repeat(24) }),
    await own({ sub: 'f'.repeat(24) }),
    await own({ aud: 'another-purpose' }),
    await own({ iss: 'somebody' }),
    '..',
    'a.b.c',
    '',
    'x'.repeat(20_000),
  ];
  for (const value of forged) expect((await recognise(value)).status).toBe(401);
  expect((await recognise(await own({}))).status).toBe(200);
});
