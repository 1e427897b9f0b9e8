import { throttleKeys } from '../../sessions/login-throttle.ts';
import { createLoginThrottleStore } from '../../sessions/login-throttle-store.ts';
import { type Answer, type Call, goodPassword, useIdentity } from '../identity.ts';

const identity = useIdentity();
let replica: Call;

beforeAll(async () => {
  replica = (await identity.replica()).call;
});

type Guess = { email: string; password?: string; from?: string; device?: string | undefined; call?: Call };

function guess({
  email,
  password = 'wrong horse battery',
  from = '192.0.2.1',
  device,
  call = identity.call,
}: Guess): Promise<Answer> {
  const headers = { 'x-forwarded-for': from, ...(device === undefined ? {} : { 'x-device': device }) };
  return call('POST', '/auth/login', { body: { email, password }, headers });
}

const deviceOf = ({ headers }: Answer) =>
  /^__Host-device=([^;]+)/.exec(headers.getSetCookie().find((one) => one.startsWith('__Host-device')) ?? '')?.[1];

/** Failures counted by another process, without the hashes that so many logins would cost. */
async function failures({ email, from, count }: { email: string; from: string; count: number }): Promise<void> {
  const attempts = createLoginThrottleStore({ connection: identity.connection });
  const keys = throttleKeys({ email, address: from, device: null });
  for (let n = 0; n < count; n += 1) await attempts.recordFailure(keys, identity.clock.now);
  identity.connection.deleteModel('Attempt');
}

const locked = { status: 429, body: { code: 'too_many_attempts' } };

/** As many failures as lock the account, of many addresses. */
async function attacked(email: string): Promise<void> {
  for (let n = 0; n < 10; n += 1) await failures({ email, from: `203.0.113.${100 + n}`, count: 10 });
}

test('after ten failures from an address an account is locked there, even for the right password, on every replica, for 15 minutes', async () => {
  const { user, clock } = identity;
  const { email } = await user();
  for (let n = 0; n < 10; n += 1) expect((await guess({ email })).status).toBe(401);
  const answer = await guess({ email: email.toUpperCase(), password: goodPassword });
  expect(answer).toMatchObject(locked);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(890);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(900);
  expect(await guess({ email, password: goodPassword, call: replica })).toMatchObject(locked);
  expect((await guess({ email: (await user()).email, password: goodPassword })).status).toBe(200);
  // Nobody else is locked out by it.
  expect((await guess({ email, password: goodPassword, from: '198.51.100.1' })).status).toBe(200);

  clock.now = new Date(clock.now.getTime() + Number(answer.headers.get('retry-after')) * 1000);
  expect((await guess({ email, password: goodPassword })).status).toBe(200);
});

test('a hundred failures from many addresses lock an account, but for browsers in which its user has logged in', async () => {
  const { email } = await identity.user();
  const device = deviceOf(await guess({ email, password: goodPassword }));
  const strange = deviceOf(await guess({ email: (await identity.user()).email, password: goodPassword }));
  await attacked(email);
  for (const other of [undefined, strange, `${device}x`]) {
    expect(await guess({ email, password: goodPassword, from: '192.0.2.8', device: other })).toMatchObject(locked);
  }
  expect((await guess({ email, password: goodPassword, device, from: '203.0.113.100' })).status).toBe(200);
  // Whoever got hold of such a browser has ten guesses, and takes none from others.
  const second = deviceOf(await guess({ email, password: goodPassword, device }));
  for (let n = 0; n < 10; n += 1) expect((await guess({ email, device: second })).status).toBe(401);
  expect(await guess({ email, password: goodPassword, device })).toMatchObject(locked);
});

test('a link that sets the password opens the account in the browser that followed it, whoever goes on guessing', async () => {
  const admin = await identity.admin();
  const { id, email } = await identity.user([], admin.companyId);
  const before = deviceOf(await guess({ email, password: goodPassword }));
  await attacked(email);
  const { body } = await identity.as(admin, 'POST', `/company/users/${id}/password-link`);
  const password = 'another horse battery';
  const set = await identity.call('POST', '/auth/password-link', { body: { token: body['token'], password } });
  expect((await guess({ email, password, device: deviceOf(set) })).status).toBe(200);
  expect(await guess({ email, password, from: '192.0.2.8' })).toMatchObject(locked);
  // Who knew the former password keeps no guesses by it.
  expect(await guess({ email, password, device: before })).toMatchObject(locked);
});

test('an account that does not exist is locked alike', async () => {
  const email = 'nobody@acme.test';
  await failures({ email, from: '192.0.2.1', count: 9 });
  expect((await guess({ email })).status).toBe(401);
  expect(await guess({ email })).toMatchObject(locked);
});

test('a hundred failures from one address lock it for every account; other addresses go on', async () => {
  const { email } = await identity.user();
  for (let n = 0; n < 11; n += 1) await failures({ email: `n${n}@acme.test`, from: '203.0.113.9', count: 9 });
  expect((await guess({ email, from: '203.0.113.9' })).status).toBe(401);
  expect(await guess({ email, password: goodPassword, from: '203.0.113.9' })).toMatchObject(locked);
  expect(await guess({ email, password: goodPassword, from: '192.0.2.5, 203.0.113.9' })).toMatchObject(locked);
  expect((await guess({ email, password: goodPassword, from: '203.0.113.9, 192.0.2.5' })).status).toBe(200);
});

test('successful logins are neither counted nor refused, however many', async () => {
  const { email } = await identity.user();
  await failures({ email, from: '192.0.2.41', count: 9 });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => guess({ email, password: goodPassword, from: '192.0.2.41' })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await guess({ email, from: '192.0.2.41' })).status).toBe(401);
  expect((await guess({ email, password: goodPassword, from: '192.0.2.41' })).status).toBe(429);
});

test('of fifty parallel guesses on two replicas at most ten are checked', async () => {
  const { email } = await identity.user();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => guess({ email, call: n % 2 === 0 ? identity.call : replica })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(401), count(429)]).toEqual([10, 40]);
  expect(await guess({ email, password: goodPassword })).toMatchObject(locked);
});

test('a right password that comes after too many wrong ones is refused like them', async () => {
  const { email } = await identity.user();
  // All pass the first look, before any failure is counted; the right one is hashed last.
  const wrong = Array.from({ length: 30 }, () => guess({ email }));
  const answers = await Promise.all([...wrong, guess({ email, password: goodPassword })]);
  expect(answers.at(-1)?.status).toBe(429);
  expect(answers.filter(({ status }) => status === 200)).toEqual([]);
});
