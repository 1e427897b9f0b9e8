import { answer, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
// Not by `useDispatcher`: a test stops this one, and another takes its place.
beforeAll(async () => {
  receiver = await startReceiver();
  dispatcher = await startDispatcher();
});
afterAll(async () => {
  await dispatcher.drop();
  await dispatcher.stop();
  await receiver.close();
});

type Point = { at: string; succeeded: number; failed: number; exhausted: number; p95Ms: number | null };
type Caller = ReturnType<typeof aCompany>;
const stats = (company: Caller, id: string, query = '') =>
  dispatcher.call(company, 'get', `/webhooks/endpoints/${id}/stats${query}`);

/** The sums of all points: an hour may end in the middle of a test. */
async function sums(company: Caller, id: string, query = ''): Promise<number[]> {
  const points: Point[] = (await stats(company, id, query)).body;
  const sum = (field: 'succeeded' | 'failed' | 'exhausted') => points.reduce((all, point) => all + point[field], 0);
  return [sum('succeeded'), sum('failed'), sum('exhausted')];
}

test('attempts are counted by what came of them, of every replica, tests left out', async () => {
  const company = aCompany();
  const [good, bad] = [
    await dispatcher.endpoint(company, receiver.url('/good')),
    await dispatcher.endpoint(company, receiver.url('/bad')),
  ];
  receiver.behave(answer(500), '/bad');
  const replica = await startDispatcher({}, dispatcher.namespace);
  await dispatcher.publish(...Array.from({ length: 6 }, () => statusChanged([company.companyId])));
  for (const { id } of [good, bad]) await dispatcher.call(company, 'post', `/webhooks/endpoints/${id}/test`);
  // Of each delivery two attempts with another to follow, and the last one.
  await eventually(async () => expect(await sums(company, bad.id)).toEqual([0, 12, 6]));
  await eventually(async () => expect(await sums(company, good.id)).toEqual([6, 0, 0]));
  await replica.stop();
  for (const bucket of ['5m', '15m', '1h', '6h', '1d']) {
    const query = `?bucket=${bucket}&since=${Date.now() - 3_600_000}`;
    expect([bucket, await sums(company, bad.id, query)]).toEqual([bucket, [0, 12, 6]]);
  }
  const points: Point[] = (await stats(company, good.id)).body;
  expect([24, 25]).toContain(points.length);
  expect(points.at(0)).toEqual({ at: expect.stringMatching(/:00:00.000Z$/), ...none });
  expect(points.filter(({ p95Ms }) => p95Ms !== null).length).toBeGreaterThanOrEqual(1);
});

const none = { succeeded: 0, failed: 0, exhausted: 0, p95Ms: null };

test('a service that stops stores what it has counted, and an outage of the database stops no delivery', async () => {
  const company = aCompany();
  receiver.behave(behaviours.ok, '/stops');
  const { id } = await dispatcher.endpoint(company, receiver.url('/stops'));
  const counts = dispatcher.connection.collection('attempt_counts');
  // Counts that cannot be incremented: writes to this collection fail.
  const hourMs = 3_600_000;
  const at = new Date(Math.floor(Date.now() / hourMs) * hourMs);
  const broken = [at, new Date(at.getTime() + hourMs)].map((start) => `${id}.${hourMs}.${start.toISOString()}`);
  await counts.insertMany(broken.map((_id) => ({ _id: _id as never, at, succeeded: 'many' })));
  await dispatcher.publish(statusChanged([company.companyId]));
  await eventually(async () =>
    expect(await dispatcher.deliveries(company, id)).toMatchObject([{ status: 'succeeded' }]),
  );
  await dispatcher.stop();
  expect(dispatcher.logger.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'attempts could not be added to the statistics' }),
  );
  dispatcher = await startDispatcher({}, dispatcher.namespace);
  expect(await sums(company, id, `?bucket=5m&since=${Date.now() - hourMs}`)).toEqual([1, 0, 0]);
});

test.each([
  ['bucket=2h', 'bucket'],
  ['bucket=5m', 'bucket'],
  ['bucket=1h&since=2026-01-01', 'bucket'],
  ['since=yesterday', 'since'],
  ['until=tomorrow', 'until'],
])('statistics with %s are refused', async (query, name) => {
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url('/bad-input'));
  const { status, body } = await stats(company, id, `?${query}`);
  expect([status, body.errors?.map(({ path }: { path: string }) => path)]).toEqual([422, [name]]);
});

test('nothing lies in a period that has not begun', async () => {
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url('/theirs'));
  expect((await stats(company, id, `?since=${Date.now() + 3_600_000}`)).body).toEqual([]);
});
