import { SignJWT } from 'jose';
import { aKey, code, fieldsAtFault, gateway, goodPassword, type Login, pagesOf, useIdentity } from '../identity.ts';

const keys = [aKey('new'), aKey('old')];
const identity = useIdentity(() => ({ sessionKeys: keys }));
let email: string;
let mine: Login;

beforeEach(async () => {
  ({ email } = await identity.user(['tickets']));
  mine = await identity.logIn(email);
});

const newPassword = 'a new and better horse';
const sessions = async (login: Login) =>
  (await identity.as(login, 'GET', '/auth/sessions')).body['items'] as unknown as Record<string, unknown>[];
const change = (login: Login, current: string, next = newPassword) =>
  identity.as(login, 'POST', '/auth/password', { current_password: current, new_password: next });
const isValid = ({ token }: Login) => identity.isValid(token);

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
    place_ids: [],
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split('; '));
  expect(cookies.map(([value]) => value)).toEqual([
    `__Host-session=${answer.body['token']}`,
    expect.stringMatching(/^__Host-device=/),
  ]);
  for (const parts of cookies) {
    expect(parts).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Secure']));
    expect(parts.join()).not.toContain('Domain');
  }
  expect(cookies[0]).toContain('Max-Age=43200');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('a login that prefers a minimal answer gets the cookie, and the token nowhere else', async () => {
  const { call, user } = identity;
  const { email } = await user();
  const body = { email, password: goodPassword };
  const answer = await call('POST', '/auth/login', { body, headers: { prefer: 'respond-async, return=minimal' } });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(answer.headers.get('preference-applied')).toBe('return=minimal');
  expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-session=[\w-]+\.[\w-]+\.[\w-]+; .*HttpOnly/);
  expect((await call('POST', '/auth/login', { body, headers: { prefer: 'return=representation' } })).status).toBe(200);
});

test('the cookie is not Secure where the second API is plain http, which would lose it', async () => {
  const { call } = await identity.replica({ secureCookie: false });
  const { email } = await identity.user();
  const { headers } = await call('POST', '/auth/login', { body: { email, password: goodPassword } });
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^session=.*HttpOnly/),
    expect.stringMatching(/^device=/),
  ]);
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
  expect(Object.keys(body)).toEqual(['user', 'company', 'permissions', 'place_ids', 'expires_at']);
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

test('sessions outlive a change of keys as long as their key is configured', async () => {
  const { user, logIn, replica, recognise } = identity;
  const { token } = await logIn((await user()).email);
  const ask = { method: 'POST', path: '/internal/credentials' } as const;
  const credential = { as: gateway, body: { kind: 'bearer', value: token, host: 'ts' } };
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

test('a user sees their own sessions that last, with time and origin of each login, and which one this is', async () => {
  const credentials = { email, password: goodPassword };
  const headers = { 'user-agent': 'Firefox/145.0', 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
  expect((await identity.call('POST', '/auth/login', { body: credentials, headers })).status).toBe(200);
  await identity.logIn((await identity.user()).email);
  const times = { created_at: identity.clock.now.toISOString(), expires_at: expect.stringMatching(/Z$/) };
  const id = expect.stringMatching(/^[0-9a-f]{24}$/);
  expect(await sessions(mine)).toEqual([
    { id, ...times, address: '127.0.0.1', user_agent: 'node', current: true },
    { id, ...times, address: '198.51.100.7', user_agent: 'Firefox/145.0', current: false },
  ]);
});

test('sessions come in pages, without those that have ended', async () => {
  const others = [await identity.logIn(email), await identity.logIn(email)];
  const pages = await pagesOf((cursor) => identity.as(mine, 'GET', `/auth/sessions?limit=2${cursor}`));
  expect(pages.map(({ length }) => length)).toEqual([2, 1]);
  const before = identity.clock.now;
  identity.clock.now = new Date(before.getTime() + 11 * 3_600_000);
  const late = await identity.logIn(email);
  identity.clock.now = new Date(before.getTime() + 12.5 * 3_600_000);
  expect(await sessions(late)).toHaveLength(1);
  expect((await Promise.all(others.map(isValid))).some(Boolean)).toBe(false);
  identity.clock.now = before;
});

test('a user ends one of their sessions, their own too, and nobody else’s', async () => {
  const other = await identity.logIn(email);
  const stranger = await identity.logIn((await identity.user()).email);
  const [, listed] = await sessions(mine);
  const path = `/auth/sessions/${listed?.['id']}`;
  expect(await identity.as(stranger, 'DELETE', path)).toMatchObject({
    status: 404,
    body: { code: 'session_not_found' },
  });
  expect(await isValid(other)).toBe(true);
  expect(await identity.as(mine, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
  expect([await isValid(other), await isValid(mine)]).toEqual([false, true]);
  expect((await identity.as(mine, 'DELETE', path)).status).toBe(404);
  const [own] = await sessions(mine);
  expect((await identity.as(mine, 'DELETE', `/auth/sessions/${own?.['id']}`)).status).toBe(204);
  expect(await isValid(mine)).toBe(false);
});

test('a new password counts at once, the old one no more, and all other sessions of the user end', async () => {
  const [other, stranger] = [await identity.logIn(email), await identity.logIn((await identity.user()).email)];
  expect(await change(mine, goodPassword)).toMatchObject({ status: 204, text: '' });
  expect(await Promise.all([mine, other, stranger].map(isValid))).toEqual([true, false, true]);
  await expect(identity.logIn(email)).rejects.toThrow('401');
  expect(await isValid(await identity.logIn(email, newPassword))).toBe(true);
});

test('without the current password, or with a new one that is too short, nothing changes', async () => {
  const other = await identity.logIn(email);
  const wrong = await change(mine, 'not my password at all');
  expect([wrong.status, fieldsAtFault(wrong)]).toEqual([422, ['current_password']]);
  const short = await change(mine, goodPassword, 'too short');
  expect([short.status, fieldsAtFault(short)]).toEqual([422, ['new_password']]);
  expect(await isValid(other)).toBe(true);
  expect(await isValid(await identity.logIn(email))).toBe(true);
});

test('guesses of the current password are ten a session, and lock nobody out', async () => {
  const guesses = await Promise.all(Array.from({ length: 12 }, (_, n) => change(mine, `not my password ${n}`)));
  expect(guesses.filter(({ status }) => status === 422)).toHaveLength(10);
  const locked = guesses.filter(({ status }) => status === 429);
  expect(locked.map(({ body, headers }) => [body['code'], Number(headers.get('retry-after')) > 0])).toEqual([
    ['too_many_attempts', true],
    ['too_many_attempts', true],
  ]);
  expect((await change(mine, goodPassword)).status).toBe(429);
  expect((await change(await identity.logIn(email), goodPassword)).status).toBe(204);
});

test('of two changes at once one wins, and the password is the one that it set', async () => {
  const [first, second] = ['the first horse of two', 'the second horse of two'];
  const answers = await Promise.all([change(mine, goodPassword, first), change(mine, goodPassword, second)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
  const won = answers[0]?.status === 204 ? first : second;
  expect(await isValid(await identity.logIn(email, won))).toBe(true);
});

test('a login that verified the old password while it was changed gets no session that lasts', async () => {
  const logins = await Promise.all([
    change(mine, goodPassword),
    ...Array.from({ length: 8 }, () => identity.logIn(email).catch(() => null)),
  ]);
  const made = logins.slice(1).filter((login): login is Login => login !== null && 'token' in login);
  expect(logins[0]).toMatchObject({ status: 204 });
  expect(await Promise.all(made.map(isValid))).toEqual(made.map(() => false));
  expect(await sessions(mine)).toHaveLength(1);
});

test('a session that is not used for two hours ends; one that is used goes on', async () => {
  const [used, idle] = [await identity.logIn(email), await identity.logIn(email)];
  const before = identity.clock.now;
  const later = (minutes: number) => {
    identity.clock.now = new Date(before.getTime() + minutes * 60_000);
  };
  later(119);
  expect(await isValid(used)).toBe(true);
  later(120);
  expect([await isValid(used), await isValid(idle)]).toEqual([true, false]);
  expect(await sessions(used)).toHaveLength(1);
  later(238);
  expect(await isValid(used)).toBe(true);
  identity.clock.now = before;
});

test('a user signs out everywhere, and nobody else', async () => {
  const [other, stranger] = [await identity.logIn(email), await identity.logIn((await identity.user()).email)];
  const answer = await identity.as(mine, 'DELETE', '/auth/sessions');
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([204, [expect.stringMatching(/^__Host-session=;/)]]);
  expect(await Promise.all([mine, other, stranger].map(isValid))).toEqual([false, false, true]);
});

describe('a new password', () => {
  test('ends the link that sets the password, and an e-mail that would bring one', async () => {
    const admin = await identity.admin();
    const { body } = await identity.as(admin, 'POST', `/company/users/${admin.id}/password-link`);
    const mails = identity.connection.collection('mails');
    const mail = { kind: 'password_reset', email: admin.email, created_at: identity.clock.now, tries: 0 };
    await mails.insertOne({
      ...mail,
      user_id: null,
      dueAt: new Date('2100-01-01'),
      expires_at: new Date('2100-01-01'),
    });
    expect((await change(admin, goodPassword)).status).toBe(204);
    const used = { token: body['token'], password: 'taken over by the link' };
    expect(code(await identity.call('POST', '/auth/password-link', { body: used }))).toEqual([
      404,
      'password_link_not_found',
    ]);
    expect(await mails.countDocuments({ email: admin.email })).toBe(0);
  });

  test('ends the user’s API tokens and agenda address if the user asks for it, and no others', async () => {
    const admin = await identity.admin();
    const colleague = await identity.logIn((await identity.user(['admin'], admin.companyId)).email);
    const token = async (login: Login) =>
      String((await identity.as(login, 'POST', '/api-tokens', { name: 'A program' })).body['token']);
    const feed = async (login: Login) => {
      const { url } = (await identity.as(login, 'PUT', '/auth/agenda-feed', {})).body as unknown as { url: string };
      return url.split('/').at(-1)?.replace('.ics', '') ?? '';
    };
    const tokens = [await token(admin), await token(colleague)];
    const feeds = [await feed(admin), await feed(colleague)];
    const valid = async () => [
      ...(await Promise.all(tokens.map((one) => identity.isValid(one, 'ticket')))),
      ...(await Promise.all(feeds.map(async (one) => (await identity.recognise(one, 'ts', 'feed')).status === 200))),
    ];
    expect((await change(admin, goodPassword)).status).toBe(204);
    expect(await valid()).toEqual([true, true, true, true]);
    const body = { current_password: newPassword, new_password: goodPassword, end_api_tokens: true };
    expect((await identity.as(admin, 'POST', '/auth/password', body)).status).toBe(204);
    expect(await valid()).toEqual([false, true, false, true]);
    const entries = async (action: string) =>
      (await identity.as(admin, 'GET', `/audit?action=${action}`)).body['items'] as unknown;
    expect(await entries('api_token.revoked')).toMatchObject([{ target: { name: 'A program' } }]);
    expect(await entries('agenda_feed.revoked')).toMatchObject([{ target: { id: admin.id } }]);
  });
});
