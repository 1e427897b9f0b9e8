import { throttleKeys } from '../../sessions/login-throttle.ts';
import { createLoginThrottleStore } from '../../sessions/login-throttle-store.ts';
import { type Answer, type Call, goodPassword, useIdentity } from '../identity.ts';

const identity = useIdentity();
let replica: Call;

beforeAll(async () => {
  replica = (await identity.replica()).call;
});

type Guess = { email: string; password?: string; from?: string; call?: Call };

function guess({
  email,
  password = 'wrong horse battery',
  from = '192.0.2.1',
  call = identity.call,
}: Guess): Promise<Answer> {
  return call('POST', '/auth/login', { body: { email, password }, headers: { 'x-forwarded-for': from } });
}

/** Failures counted by another process, without the hashes that so many logins would cost. */
async function failures({ email, from, count }: { email: string; from: string; count: number }): Promise<void> {
  const attempts = createLoginThrottleStore({ connection: identity.connection });
  const keys = throttleKeys({ email, address: from });
  for (let n = 0; n < count; n += 1) await attempts.recordFailure(keys, identity.clock.now);
  identity.connection.deleteModel('Attempt');
}

const locked = { status: 429, body: { code: 'too_many_attempts' } };

test('after ten failures an account is locked, even for the right password, on every replica, for 15 minutes', async () => {
  const { user, clock } = identity;
  const { email } = await user();
  for (let n = 0; n < 10; n += 1) expect((await guess({ email, from: `192.0.2.${n}` })).status).toBe(401);
  const answer = await guess({ email: email.toUpperCase(), password: goodPassword, from: '198.51.100.1' });
  expect(answer).toMatchObject(locked);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(890);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(900);
  expect(await guess({ email, password: goodPassword, call: replica })).toMatchObject(locked);
  expect((await guess({ email: (await user()).email, password: goodPassword })).status).toBe(200);

  clock.now = new Date(clock.now.getTime() + Number(answer.headers.get('retry-after')) * 1000);
  expect((await guess({ email, password: goodPassword })).status).toBe(200);
});

test('an account that does not exist is locked alike', async () => {
  const email = 'nobody@acme.test';
  await failures({ email, from: '192.0.2.77', count: 9 });
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
  await failures({ email, from: '192.0.2.40', count: 9 });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => guess({ email, password: goodPassword, from: '192.0.2.41' })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await guess({ email })).status).toBe(401);
  expect((await guess({ email, password: goodPassword })).status).toBe(429);
});

test('of fifty parallel guesses on two replicas at most ten are checked', async () => {
  const { email } = await identity.user();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      guess({ email, from: `192.0.2.${n}`, call: n % 2 === 0 ? identity.call : replica }),
    ),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(401), count(429)]).toEqual([10, 40]);
  expect(await guess({ email, password: goodPassword })).toMatchObject(locked);
});

test('a right password that comes after too many wrong ones is refused like them', async () => {
  const { email } = await identity.user();
  // All pass the first look, before any failure is counted; the right one is hashed last.
  const wrong = Array.from({ length: 30 }, (_, n) => guess({ email, from: `192.0.2.${n}` }));
  const answers = await Promise.all([...wrong, guess({ email, password: goodPassword, from: '198.51.100.7' })]);
  expect(answers.at(-1)?.status).toBe(429);
  expect(answers.filter(({ status }) => status === 200)).toEqual([]);
});
