import { invoiceFetched } from '@app/contracts';
import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { createPollStore } from '../../polls/poll-store.ts';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ limits: { pollIntervalMs: 400 } });
  await service.replica();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

const records = () => service.database.collection('connections');
const recordOf = ({ id }: Pick<Connected, 'id'>) => records().findOne({ _id: id as never });
const fetched = ({ id }: Connected) => service.events(invoiceFetched).filter((event) => event.connection_id === id);
const lists = () => service.sandbox.calls().byPath['/invoices'] ?? 0;

async function viewOf({ id, owner }: Connected): Promise<Record<string, unknown>> {
  const { body } = await service.call('GET', '/invoice-connections', { as: owner });
  return (body as unknown as Record<string, unknown>[]).find((one) => one['id'] === id) ?? {};
}

test('a new connection is polled at once and then at the interval: invoices without a webhook are found', async () => {
  const connected = await service.connected();
  await eventually(async () => expect((await viewOf(connected))['lastPolledAt']).toEqual(expect.any(String)));
  const ids = [anInvoice(), anInvoice()].map((invoice) => service.sandbox.put(connected.apiKey, invoice).id);
  await eventually(() =>
    expect(
      fetched(connected)
        .map(({ external_id }) => external_id)
        .sort(),
    ).toEqual(ids.sort()),
  );
  service.sandbox.put(connected.apiKey, { id: ids[0], number: 'F-changed' });
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
  const due = await polls.overdue(new Date(Date.now() + 86_400_000));
  expect([...due.keys()]).toEqual(['sandbox']);
  const { pollDueAt } = (await recordOf(connected)) as unknown as { pollDueAt: Date };
  expect(due.get('sandbox')?.getTime()).toBeLessThanOrEqual(pollDueAt.getTime());
  expect(await polls.overdue(new Date(0))).toEqual(new Map());
});

test('every invoice of a list of many pages is fetched, and published once however often it is listed', async () => {
  const connected = await service.connected({ active: false });
  const ids = Array.from({ length: 120 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  await service.call('PATCH', `/invoice-connections/${connected.id}`, { as: connected.owner, body: { active: true } });
  await eventually(() => expect(new Set(fetched(connected).map((event) => event.external_id)).size).toBe(120));
  const polls = lists();
  await eventually(() => expect(lists()).toBeGreaterThan(polls + 6));
  expect(
    fetched(connected)
      .map(({ external_id }) => external_id)
      .sort(),
  ).toEqual(ids.sort());
});

test('a page that fails is not skipped: `seenUntil` never passes it', async () => {
  const connected = await service.connected({ active: false });
  const ids = Array.from({ length: 150 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  // The first page succeeds, the second fails.
  service.sandbox.fail({ kind: 'status', status: 500, on: 'cursor=' });
  await service.call('PATCH', `/invoice-connections/${connected.id}`, { as: connected.owner, body: { active: true } });
  await eventually(() => expect(fetched(connected)).toHaveLength(100));
  const seen = (await recordOf(connected))?.['lastPolledAt'] as Date | null;
  const changed = fetched(connected).length;
  expect(changed).toBe(100);
  expect(seen === null || seen.getTime() <= Date.now()).toBe(true);
  service.sandbox.heal();
  await eventually(
    () =>
      expect(
        fetched(connected)
          .map(({ external_id }) => external_id)
          .sort(),
      ).toEqual(ids.sort()),
    40_000,
  );
});

test.each([
  ['a refused key', { kind: 'status', status: 401 }, 'credentials_refused'],
  ['failures without end', { kind: 'status', status: 500 }, 'polls_failing'],
] as const)('%s makes a connection unhealthy', async (_fault, fault, reason) => {
  const connected = await service.connected({ active: false });
  service.sandbox.fail({ ...fault, on: 'updated_after' });
  await service.call('PATCH', `/invoice-connections/${connected.id}`, { as: connected.owner, body: { active: true } });
  await eventually(async () => {
    expect((await viewOf(connected))['health']).toEqual({ status: 'unhealthy', reason, since: expect.any(String) });
  });
  expect((await viewOf(connected))['lastPolledAt']).toBeNull();
  service.sandbox.heal();
  await service.call('PATCH', `/invoice-connections/${connected.id}`, {
    as: connected.owner,
    body: { apiKey: connected.apiKey },
  });
  await eventually(async () => {
    expect(await viewOf(connected)).toMatchObject({ health: { status: 'ok' }, lastPolledAt: expect.any(String) });
  });
});

test('polls respect a pause that the provider asks for', async () => {
  const connected = await service.connected({ active: false });
  service.sandbox.fail({ kind: 'status', status: 429, retryAfter: '3600', on: 'updated_after', times: 1 });
  // The single fault is meant for this connection: no other is polled meanwhile.
  await records().updateMany({}, { $unset: { pollDueAt: 1, pollLease: 1 } });
  await records().updateMany({}, { $unset: { pollDueAt: 1, pollLease: 1 } });
  await service.call('PATCH', `/invoice-connections/${connected.id}`, { as: connected.owner, body: { active: true } });
  await eventually(async () => {
    const record = await recordOf(connected);
    for (const field of ['pollDueAt', 'heldUntil'])
      expect(Number(record?.[field])).toBeGreaterThan(Date.now() + 3_000_000);
  });
  expect(await viewOf(connected)).toMatchObject({ health: { status: 'ok' }, lastPolledAt: null });
});

test('a connection that is off or deleted is not polled', async () => {
  const owner = anAccountant();
  const off = await service.connected({ active: false });
  const deleted = await service.connected();
  await service.call('DELETE', `/invoice-connections/${deleted.id}`, { as: deleted.owner });
  const other = await service.call('POST', '/invoice-connections', {
    as: owner,
    body: { provider: 'sandbox', apiKey: off.apiKey },
  });
  await eventually(async () => {
    expect((await recordOf({ id: String(other.body['id']) }))?.['lastPolledAt']).toBeInstanceOf(Date);
  });
  for (const connected of [off, deleted]) expect(await recordOf(connected)).not.toHaveProperty('pollDueAt');
  expect((await recordOf(off))?.['lastPolledAt']).toBeNull();
});
