import { newId } from '@app/kernel';
import { behaviours, eventually } from '@app/testing';
import { useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const tickets = [newId(), newId()];
const firstAt = Date.now() - 86_400_000;
const isoAt = (n: number) => new Date(firstAt + 1_000 * n).toISOString();
const own = useDispatcher();

const deliveries = () => own.dispatcher.connection.collection<{ _id: string }>('deliveries');
const jobs = () => own.dispatcher.connection.collection<{ _id: string; dueAt?: Date }>('redeliveries');

type Given = Partial<{ status: string; event: string; begunAnewAt: Date; ticket: object }>;

/** An endpoint of a new company, with so many deliveries in its log, one a second. */
async function subscriber(at: string, count: number, given: (n: number) => Given = () => ({})) {
  own.receiver.behave(behaviours.ok, at);
  const one = await subscriberOf(own, at);
  const records = Array.from({ length: count }, (_, n) => ({
    _id: newId(),
    endpointId: one.id,
    event: 'ticket.quote_added',
    body: `{"n":${n}}`,
    status: 'exhausted',
    tries: 3,
    attempts: [],
    createdAt: new Date(firstAt + 1_000 * n),
    nextAttemptAt: null,
    ...given(n),
  }));
  if (count > 0) await deliveries().insertMany(records);
  const get = (path: string) => own.dispatcher.call(one.company, 'get', path);
  const ended = (jobId: string) =>
    eventually(async () => {
      const { body: job } = await get(`${one.path}/redeliveries/${jobId}`);
      expect(job.state).not.toBe('running');
      return job;
    });
  const sent = () => one.at().map(({ body }) => JSON.parse(String(body)).n as number);
  return { ...one, records, get, start: (body: object) => one.on('redeliveries', body), ended, sent };
}

test('everything that a filter finds is sent again once, over many pages, and its progress is told', async () => {
  const all = await subscriber('/all', 520, (n) => ({ status: n < 510 ? 'exhausted' : 'succeeded' }));
  const { status, body } = await all.start({ status: 'exhausted' });
  expect(status).toBe(202);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    state: 'running',
    total: 510,
    processed: 0,
    queued: 0,
    filter: { status: 'exhausted', until: body.createdAt },
    createdAt: expect.stringMatching(/Z$/),
    endedAt: null,
  });
  const done = { ...body, state: 'done', processed: 510, queued: 510, endedAt: expect.stringMatching(/Z$/) };
  expect(await all.ended(body.id)).toEqual(done);
  await eventually(() => expect(all.sent()).toHaveLength(510));
  expect(new Set(all.sent())).toEqual(new Set(Array.from({ length: 510 }, (_, n) => n)));
  await eventually(async () => {
    expect(await deliveries().countDocuments({ endpointId: all.id, status: 'succeeded' })).toBe(520);
  });
  expect(all.sent()).toHaveLength(510);
});

const statuses = ['succeeded', 'failed', 'exhausted', 'canceled'];
const mixed = (n: number) => ({
  status: statuses[n % 4] as string,
  event: n % 3 === 0 ? 'ticket.report_added' : 'ticket.quote_added',
  ...(n % 5 === 0 ? {} : { ticket: { id: tickets[n % 2], number: 'T-1', title: 'Leak' } }),
});

test.each<[object, (n: number) => boolean]>([
  [{ status: 'failed' }, () => true],
  [{ status: 'canceled', event: 'ticket.report_added' }, (n) => n % 3 === 0],
  [{ status: 'exhausted', ticket: tickets[0] }, (n) => n % 5 !== 0 && n % 2 === 0],
  [{ status: 'succeeded', since: isoAt(20), until: String(firstAt + 40_000) }, (n) => n >= 20 && n < 40],
])('%j sends these and no other', async (filter, isFound) => {
  const { status } = filter as { status: string };
  const at = `/filter-${newId()}`;
  const one = await subscriber(at, 60, mixed);
  const wanted = one.records.map((_, n) => n).filter((n) => statuses[n % 4] === status && isFound(n));
  const { body } = await one.start(filter);
  expect(await one.ended(body.id)).toMatchObject({ state: 'done', total: wanted.length, queued: wanted.length });
  await eventually(() => expect(one.sent().toSorted((a, b) => a - b)).toEqual(wanted));
});

test('tests are not sent again, nor what is being attempted', async () => {
  const one = await subscriber('/left-out', 3, (n) => {
    if (n === 0) return { event: 'webhook.test', status: 'failed' };
    return { status: 'failed', ...(n === 1 ? { lease: 'of-another' } : {}) };
  });
  const { body } = await one.start({ status: 'failed' });
  expect(await one.ended(body.id)).toMatchObject({ total: 3, processed: 3, queued: 1 });
  await eventually(() => expect(one.sent()).toEqual([2]));
});

test('a filter that finds nothing is done at once, and holds up no other', async () => {
  const one = await subscriber('/nothing', 1);
  const { body } = await one.start({ status: 'canceled' });
  expect(body).toMatchObject({ state: 'done', total: 0, endedAt: body.createdAt });
  expect((await one.start({ status: 'exhausted' })).status).toBe(202);
});

/** A job as a killed process left it. */
async function interrupted(one: { id: string; company: { companyId: string } }, dueAt: Date, createdAt: Date) {
  const job = {
    _id: newId(),
    companyId: one.company.companyId,
    endpointId: one.id,
    state: 'running',
    total: 10,
    filter: { status: 'exhausted', until: createdAt },
    processed: 0,
    queued: 0,
    after: null,
    createdAt,
    endedAt: null,
    dueAt,
    lease: 'of-the-dead',
  };
  await jobs().insertOne(job);
  return job._id;
}

test('what a crash interrupted is continued, and what it had started again is not sent twice', async () => {
  const createdAt = new Date(Date.now() - 3_600_000);
  const again = new Date(createdAt.getTime() + 1_000);
  const one = await subscriber('/crash', 10, (n) => (n % 2 === 0 ? { begunAnewAt: again } : {}));
  const job = await interrupted(one, new Date(Date.now() - 1_000), createdAt);
  expect(await one.ended(job)).toMatchObject({ state: 'done', processed: 10, queued: 5 });
  await eventually(() => expect(one.sent().toSorted((a, b) => a - b)).toEqual([1, 3, 5, 7, 9]));
});

test('while many deliveries of the endpoint are due, no more are added', async () => {
  const one = await subscriber('/behind', 3);
  const waiting: (() => void)[] = [];
  own.receiver.behave((...given) => void waiting.push(() => behaviours.ok(...given)), '/behind');
  const due = { ...one.records[0], status: 'pending', dueAt: new Date(firstAt) };
  await deliveries().insertMany(Array.from({ length: 1_030 }, () => ({ ...due, _id: newId() })));
  const { body } = await one.start({ status: 'exhausted' });
  await eventually(async () => {
    const job = await jobs().findOne({ _id: body.id });
    expect(job).toMatchObject({ state: 'running', processed: 0 });
    expect(job?.dueAt?.getTime()).toBeGreaterThan(Date.parse(body.createdAt));
    expect(job).not.toHaveProperty('lease');
  });
  // As if they had been sent.
  await deliveries().deleteMany({ endpointId: one.id, status: 'pending' });
  own.receiver.behave(behaviours.ok, '/behind');
  for (const answer of waiting) answer();
  expect(await one.ended(body.id)).toMatchObject({ state: 'done', processed: 3, queued: 3 });
  await eventually(() => expect(one.sent()).toEqual(expect.arrayContaining([0, 1, 2])));
});

test.each([
  ['deactivated', (one: Awaited<ReturnType<typeof subscriber>>) => one.change({ active: false })],
  ['deleted', (one: Awaited<ReturnType<typeof subscriber>>) => one.remove()],
])('a job of an endpoint that was %s stops', async (how, end) => {
  const one = await subscriber(`/${how}`, 5);
  await end(one);
  const job = await interrupted(one, new Date(Date.now() - 1_000), new Date());
  await eventually(async () =>
    expect(await jobs().findOne({ _id: job })).toMatchObject({ state: 'stopped', queued: 0 }),
  );
  expect(one.sent()).toEqual([]);
});

test('an endpoint has one at a time, and none while it is inactive', async () => {
  const one = await subscriber('/one', 1);
  const job = await interrupted(one, new Date(Date.now() + 600_000), new Date());
  const second = await one.start({ status: 'exhausted' });
  expect(second).toMatchObject({ status: 409, body: { code: 'webhook_redelivery_running' } });
  await jobs().deleteOne({ _id: job });
  await one.change({ active: false });
  const inactive = await one.start({ status: 'exhausted' });
  expect(inactive).toMatchObject({ status: 409, body: { code: 'webhook_endpoint_inactive' } });
});

test.each([
  [{ status: 'pending' }, 'status'],
  [{ status: ['failed'] }, 'status'],
  [{ status: 'failed', event: 'webhook.test' }, 'event'],
  [{ status: 'failed', ticket: 'T-1' }, 'ticket'],
  [{ status: 'failed', since: 'yesterday' }, 'since'],
])('%j is 422 that names the fault', async (body, name) => {
  const one = await subscriber('/refused', 0);
  const refused = await one.start(body);
  const paths = new Set(refused.body.errors.map(({ path }: { path: string }) => path));
  expect([refused.status, paths]).toEqual([422, new Set([name])]);
});

test('the job of another endpoint or company does not exist', async () => {
  const [one, two] = [await subscriber('/own', 1), await subscriber('/other', 1)];
  const { body } = await one.start({ status: 'exhausted' });
  expect((await one.get(`${one.path}/redeliveries/${body.id}`)).status).toBe(200);
  for (const [by, path] of [
    [two, `${one.path}/redeliveries/${body.id}`],
    [two, `${two.path}/redeliveries/${body.id}`],
  ] as const) {
    expect((await by.get(path)).status).toBe(404);
  }
});
