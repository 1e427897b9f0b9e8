import { createRateLimit } from '@app/http';
import { aCaller, eventually, TcpProxy, testDatabase, testInfra, testLogger } from '@app/testing';
import { openSharedRateLimits } from '../../limits/shared-rate-limit-store.ts';
import { bearer, caller, session, startGateway } from '../gateway.ts';

const perMinute = 3;
/** As much as two credentials may use. */
const perMinuteOfCompany = 2 * perMinute;
const path = '/api/v3.0/tickets';
let own: Awaited<ReturnType<typeof testDatabase>>;
let proxy: TcpProxy;
let logger: ReturnType<typeof testLogger>;
let replicas: Awaited<ReturnType<typeof startReplica>>[];

beforeAll(async () => {
  own = await testDatabase();
  proxy = await TcpProxy.start(testInfra().mongodbUrl);
});
afterAll(async () => {
  await proxy.close();
  await own.drop();
});
beforeEach(async () => {
  await own.connection.collection('rate_limits').deleteMany({});
  logger = testLogger();
  replicas = [await startReplica(), await startReplica()];
});
afterEach(async () => {
  proxy.heal();
  await Promise.all(replicas.map(({ close }) => close()));
});

/** `answerWithinMs` is long: a busy machine is not a store that fails. */
async function startReplica(answerWithinMs = 60_000) {
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&serverSelectionTimeoutMS=${Math.max(2_000, answerWithinMs)}`;
  const shared = await openSharedRateLimits({ url, database: own.connection.name, logger, answerWithinMs });
  const limitOf = (limit: number) =>
    shared.limit({ perMinute: limit, fallback: createRateLimit({ perMinute: limit }) });
  const gateway = await startGateway({ rateLimit: limitOf(perMinute), companyRateLimit: limitOf(perMinuteOfCompany) });
  for (const [token, given] of [
    ['third', caller],
    ['of-another-company', aCaller()],
  ] as const) {
    gateway.identity.good.set(`bearer ticket ${token}`, { kind: 'caller', caller: given });
  }
  return {
    ask: (headers = bearer()) => gateway.call('ticket', 'GET', path, { headers }),
    async close() {
      await gateway.close();
      await shared.close();
    },
  };
}

const ask = (replica: number, headers?: ReturnType<typeof bearer>) =>
  (replicas[replica] as (typeof replicas)[number]).ask(headers);
// Without the driver's log lines about lost connections, which come at any time.
const complaints = () =>
  logger.lines.filter(({ message }) => message === 'shared rate limits unavailable, counting per process');

test('requests of a credential at two replicas count together, and both say so', async () => {
  const answers = [await ask(0), await ask(1), await ask(0), await ask(1), await ask(0)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '0', '0', '0']);
  expect(answers[3]?.body).toMatchObject({ code: 'rate_limited' });
  const waits = answers.slice(3).map(({ headers }) => Number(headers['retry-after']));
  for (const seconds of waits) expect(seconds).toBeGreaterThan(0);
  for (const seconds of waits) expect(seconds).toBeLessThanOrEqual(60);
  expect((await ask(1, bearer(session))).status).toBe(200);
});

test('of ten at once, at two replicas, as many pass as the limit says', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n % 2)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(perMinute);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10 - perMinute);
});

test('requests of a company at two replicas count together, whatever credentials it has', async () => {
  for (const headers of [bearer(), bearer(session)]) {
    for (const replica of [0, 1, 0]) expect((await ask(replica, headers)).status).toBe(200);
  }
  for (const replica of [0, 1]) {
    const { status, body, headers } = await ask(replica, bearer('third'));
    expect([status, body['code'], headers['ratelimit-limit']]).toEqual([429, 'rate_limited', '6']);
  }
  expect((await ask(1, bearer('of-another-company'))).status).toBe(200);
});

test('a minute later the count begins anew', async () => {
  for (let n = 0; n < 4; n++) await ask(0);
  await own.connection.collection('rate_limits').updateMany({}, { $set: { expire: new Date(0) } });
  expect((await ask(1)).status).toBe(200);
});

test('what is over its limit is refused without the store', async () => {
  for (let n = 0; n < 4; n++) await ask(0);
  proxy.refuse();
  expect((await ask(0)).status).toBe(429);
  expect(complaints()).toEqual([]);
});

test.each([
  ['refuses', () => proxy.refuse()],
  ['hangs', () => proxy.freeze()],
])('while the store %s each replica counts by itself, and says so once', async (_what, fail) => {
  await Promise.all(replicas.map(({ close }) => close()));
  replicas = [await startReplica(250), await startReplica(250)];
  await eventually(async () => expect((await ask(0, bearer(session))).status).toBe(200));
  fail();
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await ask(0)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(complaints()).toHaveLength(1);
  proxy.heal();
  await eventually(async () => expect((await ask(1, bearer(session))).status).toBe(200));
});
