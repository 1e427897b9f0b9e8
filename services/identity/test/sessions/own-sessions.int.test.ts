import { eventually } from '@app/testing';
import { type Answer, goodPassword, type Identity, type Login, startIdentity } from '../identity.ts';

let identity: Identity;
let email: string;
let mine: Login;

beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  ({ email } = await identity.user(['tickets']));
  mine = await identity.logIn(email);
});
afterAll(() => identity.stop());

const newPassword = 'a new and better horse';
const call = (login: Login, method: string, path: string, options: { body?: unknown; headers?: object } = {}) =>
  identity.call(method, path, {
    ...{ as: login.principal, body: options.body },
    headers: { 'x-session-token': login.token, ...options.headers },
  });
const sessions = async (login: Login) =>
  (await call(login, 'GET', '/auth/sessions')).body['items'] as unknown as Record<string, unknown>[];
const change = (login: Login, current: string, next = newPassword, headers: Record<string, string> = {}) =>
  call(login, 'POST', '/auth/password', { body: { current_password: current, new_password: next }, headers });
const isValid = async ({ token }: Login) => (await identity.recognise(token)).status === 200;
const paths = ({ body }: Answer) => (body['errors'] as unknown as { path: string }[]).map(({ path }) => path);

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
  const first = await call(mine, 'GET', '/auth/sessions?limit=2');
  const second = await call(mine, 'GET', `/auth/sessions?limit=2&cursor=${first.body['nextCursor']}`);
  expect([first.body, second.body].map(({ items }) => (items as unknown as object[]).length)).toEqual([2, 1]);
  expect(second.body['nextCursor']).toBeNull();
  const before = identity.clock.now;
  identity.clock.now = new Date(before.getTime() + 11 * 3_600_000);
  const late = await identity.logIn(email);
  identity.clock.now = new Date(before.getTime() + 13 * 3_600_000);
  expect(await sessions(late)).toHaveLength(1);
  expect((await Promise.all(others.map(isValid))).some(Boolean)).toBe(false);
  identity.clock.now = before;
});

test('sessions of an earlier version, without time and origin, are listed as well', async () => {
  const unset = { $unset: { created_at: 1, address: 1, user_agent: 1 } };
  await identity.connection.collection('sessions').updateMany({}, unset);
  expect(await sessions(mine)).toMatchObject([{ created_at: null, address: null, user_agent: null, current: true }]);
});

test('a user ends one of their sessions, their own too, and nobody else’s', async () => {
  const other = await identity.logIn(email);
  const stranger = await identity.logIn((await identity.user()).email);
  const [, listed] = await sessions(mine);
  const path = `/auth/sessions/${listed?.['id']}`;
  expect(await call(stranger, 'DELETE', path)).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
  expect(await isValid(other)).toBe(true);
  expect(await call(mine, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
  expect([await isValid(other), await isValid(mine)]).toEqual([false, true]);
  expect((await call(mine, 'DELETE', path)).status).toBe(404);
  const [own] = await sessions(mine);
  expect((await call(mine, 'DELETE', `/auth/sessions/${own?.['id']}`)).status).toBe(204);
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
  expect([wrong.status, paths(wrong)]).toEqual([422, ['current_password']]);
  const short = await change(mine, goodPassword, 'too short');
  expect([short.status, paths(short)]).toEqual([422, ['new_password']]);
  expect(await isValid(other)).toBe(true);
  expect(await isValid(await identity.logIn(email))).toBe(true);
});

test('guesses of the current password count as failed logins: ten, whoever makes them', async () => {
  const guesses = await Promise.all(Array.from({ length: 12 }, (_, n) => change(mine, `not my password ${n}`)));
  expect(guesses.filter(({ status }) => status === 422)).toHaveLength(10);
  const locked = guesses.filter(({ status }) => status === 429);
  expect(locked.map(({ body, headers }) => [body['code'], Number(headers.get('retry-after')) > 0])).toEqual([
    ['too_many_attempts', true],
    ['too_many_attempts', true],
  ]);
  expect((await change(mine, goodPassword)).status).toBe(429);
  await expect(identity.logIn(email)).rejects.toThrow('429');
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

test('repeated under its key, a change answers again, although its current password is not current any more', async () => {
  const headers = { 'idempotency-key': 'change-of-password-1' };
  expect((await change(mine, goodPassword, newPassword, headers)).status).toBe(204);
  const again = await change(mine, goodPassword, newPassword, headers);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([204, 'true']);
});

test('sessions and passwords leave no secret in the log', async () => {
  await change(mine, 'not my password at all');
  await change(mine, goodPassword);
  const lines = await eventually(() => {
    const text = JSON.stringify(identity.logger.lines);
    expect(text).toContain('password changed');
    return text;
  });
  for (const secret of [goodPassword, newPassword, 'not my password', mine.token]) expect(lines).not.toContain(secret);
});
