import {
  type AuditRecord,
  auditRecorded,
  companyChanged,
  type DomainEvent,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { metrics } from '@app/runtime';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { createPollStore } from '../../polls/poll-store.ts';
import {
  anAccountant,
  anInvoice,
  type Connected,
  type Service,
  signed,
  startService,
  webhookPath,
} from '../service.ts';

let service: Service;
let audited: DomainEvent<AuditRecord>[];
let stop: () => Promise<void>;
beforeAll(async () => {
  service = await startService({ limits: { pollIntervalMs: 400 } });
  await service.replica();
  const broker = await testBroker(service.namespace);
  audited = await recordEvents(broker, [auditRecorded], 'audit');
  stop = () => broker.close();
});
afterEach(() => service.sandbox.heal());
afterAll(async () => {
  await stop();
  await service.stop();
});

const records = () => service.database.collection('connections');
const recordOf = (one: Pick<Connected, 'id'>) => service.recordOf(one);
const viewOf = (one: Connected) => service.viewOf(one);
const fetched = (one: Connected) => service.fetched(one);
const fetchedIds = (one: Connected) =>
  fetched(one)
    .map(({ external_id }) => external_id)
    .sort();
const switchOn = (one: Connected) => service.patch(one, { active: true });

test('a new connection is polled at once and then at the interval: invoices without a webhook are found', async () => {
  const connected = await service.connected();
  await eventually(async () => expect((await viewOf(connected))['lastPolledAt']).toEqual(expect.any(String)));
  const ids = [anInvoice(), anInvoice()].map((invoice) => service.sandbox.put(connected.apiKey, invoice).id);
  await eventually(() => expect(fetchedIds(connected)).toEqual(ids.sort()));
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
  await switchOn(connected);
  await eventually(() => expect(new Set(fetched(connected).map((event) => event.external_id)).size).toBe(120));
  const polls = service.callsOf('/invoices');
  await eventually(() => expect(service.callsOf('/invoices')).toBeGreaterThan(polls + 6));
  expect(fetchedIds(connected)).toEqual(ids.sort());
});

test('a page that fails is not skipped: `seenUntil` never passes it', async () => {
  const connected = await service.connected({ active: false });
  const ids = Array.from({ length: 150 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  // The first page succeeds, the second fails.
  service.sandbox.fail({ kind: 'status', status: 500, on: 'cursor=' });
  await switchOn(connected);
  await eventually(() => expect(fetched(connected)).toHaveLength(100));
  expect((await recordOf(connected))?.['lastPolledAt']).toBeNull();
  service.sandbox.heal();
  await eventually(() => expect(fetchedIds(connected)).toEqual(ids.sort()), 40_000);
});

test.each([
  ['a refused key', { kind: 'status', status: 401 }, 'credentials_refused'],
  ['failures without end', { kind: 'status', status: 500 }, 'polls_failing'],
] as const)('%s makes a connection unhealthy', async (_fault, fault, reason) => {
  const connected = await service.connected({ active: false });
  service.sandbox.fail({ ...fault, on: 'updated_after' });
  await switchOn(connected);
  await eventually(async () => {
    expect((await viewOf(connected))['health']).toEqual({ status: 'unhealthy', reason, since: expect.any(String) });
  });
  expect((await viewOf(connected))['lastPolledAt']).toBeNull();
  service.sandbox.heal();
  await service.patch(connected, { apiKey: connected.apiKey });
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
  await switchOn(connected);
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
  await service.remove(deleted);
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

function state({ owner }: Connected, version: number, closed: boolean) {
  const at = new Date();
  const names = { id: owner.companyId, name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  return companyChanged({ company: { ...names, closed_at: closed ? at.toISOString() : null, version } }, at);
}
const reached = (connected: Connected, companyVersion: number) =>
  eventually(async () => expect(await recordOf(connected)).toMatchObject({ companyVersion }));
const webhook = ({ owner, webhookSecret }: Connected, invoiceId: string) =>
  service.call('POST', webhookPath, signed(owner.companyId, [invoiceId], webhookSecret));

test('for a closed company no provider is asked or heard; once it is open, what came meanwhile is fetched', async () => {
  const connected = await service.connected();
  const first = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await eventually(() => expect(fetchedIds(connected)).toEqual([first]));

  const closing = state(connected, 1, true);
  await service.publish(closing);
  await reached(connected, 1);
  expect((await recordOf(connected))?.['pollDueAt']).toBeUndefined();
  const missed = service.sandbox.put(connected.apiKey, anInvoice()).id;
  const refused = await webhook(connected, missed);
  expect([refused.status, refused.body['code']]).toEqual([404, 'connection_not_found']);
  // Nor is a connection polled that the owner changes while the company is closed.
  await switchOn(connected);
  expect((await recordOf(connected))?.['pollDueAt']).toBeUndefined();
  // Another company is polled meanwhile, so this one would have been.
  const beside = await service.connected();
  const other = service.sandbox.put(beside.apiKey, anInvoice()).id;
  await eventually(() => expect(fetchedIds(beside)).toEqual([other]));
  expect(fetchedIds(connected)).toEqual([first]);

  await service.publish(state(connected, 2, false));
  await eventually(() => expect(fetchedIds(connected)).toEqual([first, missed].sort()));
  // Events that come late or twice: an older state changes nothing.
  await service.publish(closing, state(connected, 1, true), state(connected, 2, false));
  const last = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await eventually(() => expect(fetchedIds(connected)).toContain(last));
  expect((await webhook(connected, last)).status).toBe(202);
});

test('what is to be told to a provider meanwhile waits, and is told once the company is open', async () => {
  const connected = await service.connected();
  const { id: connection_id, owner, apiKey } = connected;
  const { id: external_id } = service.sandbox.put(apiKey, anInvoice());
  await service.publish(state(connected, 1, true));
  await reached(connected, 1);
  const request = {
    ...{ invoice_id: newId(), client_id: owner.companyId, connection_id, provider: 'sandbox', external_id },
    ...{ link_version: 1, outcome: 'taken_in_charge' as const, ticket: { id: newId(), number: 'T-1' }, po_ref: null },
  };
  await service.publish(invoiceFeedbackRequested(request, new Date()));
  await eventually(async () =>
    expect(await service.jobs().countDocuments({ connectionId: connection_id, kind: 'feedback' })).toBe(1),
  );
  expect(service.sandbox.feedback(apiKey)).toEqual([]);
  await service.publish(state(connected, 2, false));
  const settled = () => service.events(invoiceFeedbackSettled).filter((one) => one.invoice_id === request.invoice_id);
  await eventually(() => expect(settled().map(({ result }) => result)).toEqual(['sent']));
});

test('a connection that is made for a closed company, or is switched off, is not polled when it is closed or opened', async () => {
  const owner = anAccountant();
  await service.publish(state({ owner } as Connected, 3, true));
  await eventually(async () => {
    const closures = service.database.collection('company_closures');
    expect(await closures.countDocuments({ _id: owner.companyId as never })).toBe(1);
  });
  const body = { provider: 'sandbox', apiKey: 'a key', active: true };
  const { body: made } = await service.call('POST', '/invoice-connections', { as: owner, body });
  const connection = { id: String(made['id']), owner } as Connected;
  expect(await recordOf(connection)).toMatchObject({ companyClosed: true, active: true });
  await service.call('PATCH', `/invoice-connections/${connection.id}`, { as: owner, body: { active: false } });
  await service.publish(state(connection, 4, false));
  await reached(connection, 4);
  expect(await recordOf(connection)).toMatchObject({ active: false });
  expect((await recordOf(connection))?.['pollDueAt']).toBeUndefined();
});

test('making, changing and deleting a connection is told once each, without its secrets', async () => {
  const { id, owner, apiKey, webhookSecret } = await service.connected();
  const path = `/invoice-connections/${id}`;
  await service.call('PATCH', path, { as: owner, body: { active: true } });
  await service.call('PATCH', path, { as: owner, body: { active: false, apiKey: 'another key' } });
  await Promise.all([1, 2].map(() => service.call('DELETE', path, { as: owner })));
  const mine = () => audited.map(({ data }) => data).filter(({ company_id }) => company_id === owner.companyId);
  await eventually(() => expect(mine().length).toBeGreaterThanOrEqual(3));
  expect(mine().map(({ action }) => action)).toEqual([
    ...['invoice_connection.created', 'invoice_connection.changed', 'invoice_connection.deleted'],
  ]);
  expect(mine()[1]).toMatchObject({
    ...{ actor: { kind: 'user', user_id: owner.userId }, from: { address: null } },
    target: { kind: 'invoice_connection', id, name: 'sandbox' },
    details: {
      changes: [
        { field: 'active', before: true, after: false },
        { field: 'apiKey', before: null, after: null },
      ],
    },
  });
  for (const secret of [apiKey, webhookSecret, 'another key']) expect(JSON.stringify(audited)).not.toContain(secret);
});
