import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { createPollStore } from '../../polls/poll-store.ts';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

const hourMs = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ limits: { pollIntervalMs: hourMs } });
  await service.replica();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

const fetched = (one: Connected) => service.fetched(one).map(({ external_id }) => external_id);

test('a new connection is polled at once and then at the interval: invoices without a webhook are found', async () => {
  const connected = await service.connected();
  const inMs = Number((await service.recordOf(connected))?.['pollDueAt']) - Date.now();
  expect(inMs).toBeGreaterThan(0.8 * hourMs);
  expect(inMs).toBeLessThan(1.2 * hourMs);
  const ids = [anInvoice(), anInvoice()].map((invoice) => service.sandbox.put(connected.apiKey, invoice).id);
  await service.pollAgain(connected);
  await eventually(() => expect(fetched(connected).sort()).toEqual(ids.sort()));
  service.sandbox.put(connected.apiKey, { id: ids[0], number: 'F-changed' });
  await service.pollAgain(connected);
  await eventually(() => expect(fetched(connected)).toHaveLength(3));
});

test('polls are counted by provider, and the one that is overdue for longest is found', async () => {
  const connected = await service.connected();
  await eventually(async () =>
    expect(await metrics.metrics()).toMatch(/^provider_polls_total\{provider="sandbox",result="done"\} [1-9]/m),
  );
  expect(await metrics.metrics()).toMatch(/^provider_poll_overdue_seconds\{provider="sandbox"\} \d/m);
  const polls = createPollStore(service.database);
  // As if it were tomorrow: then every connection is overdue.
  const due = await polls.overdue(new Date(Date.now() + 24 * hourMs));
  expect([...due.keys()]).toEqual(['sandbox']);
  const { pollDueAt } = (await service.recordOf(connected)) as unknown as { pollDueAt: Date };
  expect(due.get('sandbox')?.getTime()).toBeLessThanOrEqual(pollDueAt.getTime());
  expect(await polls.overdue(new Date(0))).toEqual(new Map());
});

test('of a list of many pages none is skipped that fails, and each invoice is published once however often it is listed', async () => {
  const connected = await service.connected({ active: false });
  const ids = Array.from({ length: 102 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  // The first page succeeds, the second fails.
  service.sandbox.fail({ kind: 'status', status: 500, on: 'cursor=' });
  await service.patch(connected, { active: true });
  await eventually(() => expect(fetched(connected)).toHaveLength(100));
  await eventually(async () => {
    expect(await service.recordOf(connected)).toMatchObject({ pollFailures: 1, lastPolledAt: null });
  });
  service.sandbox.heal();
  for (let poll = 0; poll < 2; poll++) {
    await service.pollAgain(connected);
    await eventually(() => expect(fetched(connected)).toHaveLength(102));
  }
  await eventually(async () => {
    const due = { connectionId: connected.id, dueAt: { $exists: true } };
    expect(await service.jobs().countDocuments(due)).toBe(0);
  });
  expect(fetched(connected).sort()).toEqual(ids.sort());
});

test.each([
  ['a refused key makes', 401, 1, 'credentials_refused'],
  ['five failures in a row make', 500, 5, 'polls_failing'],
])('%s a connection unhealthy, until a poll succeeds', async (_fault, status, polls, reason) => {
  const connected = await service.connected({ active: false });
  service.sandbox.fail({ kind: 'status', status, on: 'updated_after' });
  await service.patch(connected, { active: true });
  for (let poll = 1; poll < polls; poll++) {
    await service.pollAgain(connected);
    if (poll < polls - 1) expect(await service.viewOf(connected)).toMatchObject({ health: { status: 'ok' } });
  }
  await eventually(async () => {
    const health = { status: 'unhealthy', reason, since: expect.any(String) };
    expect(await service.viewOf(connected)).toMatchObject({ health, lastPolledAt: null });
  });
  service.sandbox.heal();
  await service.patch(connected, { apiKey: connected.apiKey });
  await eventually(async () => {
    const healthy = { health: { status: 'ok' }, lastPolledAt: expect.any(String) };
    expect(await service.viewOf(connected)).toMatchObject(healthy);
  });
});

test('polls respect a pause that the provider asks for', async () => {
  const connected = await service.connected({ active: false });
  service.sandbox.fail({ kind: 'status', status: 429, retryAfter: '7200', on: 'updated_after' });
  await service.patch(connected, { active: true });
  await eventually(async () => {
    const record = await service.recordOf(connected);
    for (const field of ['pollDueAt', 'pausedUntil']) {
      expect(Number(record?.[field])).toBeGreaterThan(Date.now() + 1.5 * hourMs);
    }
  });
  expect(await service.viewOf(connected)).toMatchObject({ health: { status: 'ok' }, lastPolledAt: null });
});

test('a connection that is off or deleted is not polled', async () => {
  const off = await service.connected({ active: false });
  const deleted = await service.connected();
  await service.remove(deleted);
  const body = { provider: 'sandbox', apiKey: off.apiKey };
  const other = await service.call('POST', '/invoice-connections', { as: anAccountant(), body });
  await eventually(async () => {
    expect((await service.recordOf({ id: String(other.body['id']) }))?.['lastPolledAt']).toBeInstanceOf(Date);
  });
  for (const connected of [off, deleted]) {
    expect(await service.recordOf(connected)).not.toHaveProperty('pollDueAt');
  }
  expect((await service.recordOf(off))?.['lastPolledAt']).toBeNull();
});
