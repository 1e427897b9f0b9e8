import { type DomainEvent, invoiceFetched, invoiceGone } from '@app/contracts';
import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { ensureIndexes } from '@app/runtime';
import { eventually, testDatabase, testLogger } from '@app/testing';
import { JobStore } from '../../jobs/job-store.ts';
import { anInvoice, type Connected, type Service, signed, startService, webhookPath } from '../service.ts';

let service: Service;
let other: Awaited<ReturnType<Service['replica']>>;
beforeAll(async () => {
  service = await startService();
  other = await service.replica();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

async function notify({ owner, webhookSecret }: Connected, ...ids: string[]) {
  const { raw, headers } = signed(owner.companyId, ids, webhookSecret);
  return (await service.call('POST', webhookPath, { raw, headers })).status;
}
const fetched = ({ id }: Connected) => service.events(invoiceFetched).filter((event) => event.connection_id === id);
const callsOf = (path: string) => service.sandbox.calls().byPath[path] ?? 0;
const dueOf = ({ id }: Connected) => service.jobs().countDocuments({ connectionId: id, dueAt: { $exists: true } });

async function fileCount(): Promise<number> {
  let count = 0;
  for await (const _ of service.storage.list({ olderThan: new Date(Date.now() + 60_000) })) count += 1;
  return count;
}

/** A connection with one invoice being fetched (its document hangs) and thirty waiting. */
async function busy() {
  const connected = await service.connected();
  const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') };
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
  // Long enough even on a busy machine: the fetch is still running after the deletion.
  service.sandbox.fail({ kind: 'delay', ms: 4_000, on: `/invoices/${id}/document` });
  service.sandbox.fail({ kind: 'status', status: 500, on: '/invoices/wait-' });
  expect(await notify(connected, id)).toBe(202);
  await eventually(() => expect(callsOf(`/invoices/${id}/document`)).toBe(1));
  const waiting = Array.from({ length: 30 }, (_, n) => `wait-${connected.id}-${n}`);
  expect(await notify(connected, ...waiting)).toBe(202);
  return { ...connected, invoiceId: id };
}

test.each(['this process', 'another process'])('a deletion by %s cancels queued and running jobs', async (by) => {
  const connected = await busy();
  const files = await fileCount();
  const call = by === 'this process' ? service.call : other.call;
  const answer = await call('DELETE', `/invoice-connections/${connected.id}`, { as: connected.owner });
  expect(answer.status).toBe(204);
  expect(await notify(connected, connected.invoiceId)).toBe(404);
  await eventually(async () => expect(await dueOf(connected)).toBe(0));
  await eventually(() => {
    const lines = [...service.logger.lines].filter(({ message }) => message.startsWith('job result discarded'));
    expect(lines.map(({ fields }) => (fields as { connectionId: string }).connectionId)).toContain(connected.id);
  });
  expect(fetched(connected)).toEqual([]);
  expect(await service.jobs().countDocuments({ connectionId: connected.id })).toBe(0);
  await eventually(async () => expect(await fileCount()).toBe(files));
  const record = await service.database.collection('connections').findOne({ _id: connected.id as never });
  expect(record).toMatchObject({ deleted: true, active: false, apiKey: null, webhookSecret: null });
  expect(record).not.toHaveProperty('pollDueAt');
});

test('a job queued after the deletion is deleted', async () => {
  const connected = await service.connected();
  await service.call('DELETE', `/invoice-connections/${connected.id}`, { as: connected.owner });
  // As from a webhook that read the connection just before the deletion.
  const late = { kind: 'fetch', externalId: 'late', wanted: 1, failures: 0, resync: false, known: null };
  await service.jobs().insertOne({ _id: 'late' as never, connectionId: connected.id, ...late, dueAt: new Date() });
  await eventually(async () => expect(await service.jobs().countDocuments({ connectionId: connected.id })).toBe(0));
  expect(callsOf('/invoices/late')).toBe(0);
});

test('a connection that is switched off stops at once, and continues where it was when it is switched on', async () => {
  const connected = await busy();
  const change = (active: boolean) =>
    service.call('PATCH', `/invoice-connections/${connected.id}`, { as: connected.owner, body: { active } });
  expect((await change(false)).body['active']).toBe(false);
  expect(await notify(connected, connected.invoiceId)).toBe(404);
  service.sandbox.heal();
  await eventually(() => {
    const dropped = service.logger.lines.filter(({ message }) => message.startsWith('job result discarded'));
    expect(dropped.map(({ fields }) => (fields as { connectionId: string }).connectionId)).toContain(connected.id);
  });
  expect(fetched(connected)).toEqual([]);
  expect(await dueOf(connected)).toBeGreaterThan(0);
  expect((await change(true)).body['active']).toBe(true);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  await eventually(async () => expect(await dueOf(connected)).toBe(0));
});

test('invoices fetched before the deletion are published, even if that comes after it', async () => {
  const { connection: database, drop } = await testDatabase();
  const logger = testLogger();
  const published: DomainEvent[] = [];
  // The broker is down while the invoice is fetched and the connection is deleted.
  let isAway = true;
  const broker = {
    async publish(events: DomainEvent[]) {
      if (isAway) throw new Error('the broker is away');
      published.push(...events);
    },
  };
  const relay = createRelay({ broker, logger, sweptAfterMs: 0 });
  const jobs = new JobStore({ database, relay, now: () => new Date() });
  await ensureIndexes(database);
  const [connectionId, at] = [newId(), new Date()];
  const lease = (id: string) => ({ id, from: new Date(), until: new Date(Date.now() + 60_000) });
  const want = () => jobs.enqueueFetches({ connectionId, externalIds: ['unpublished', 'plain'], at });
  await want();
  const first = await jobs.claim(connectionId, 2, lease('first'));
  const unpublished = first.find((job) => job.kind === 'fetch' && job.externalId === 'unpublished');
  const gone = { client_id: newId(), provider: 'sandbox', external_id: 'unpublished', at: at.toISOString() };
  await want();
  for (const job of first) {
    await jobs.finish(job, { events: job === unpublished ? [invoiceGone(gone, at)] : [], expiresAt: at });
  }
  // Requested again meanwhile, both wait for their next fetch; the connection is deleted before.
  const kept = new Date(Date.now() + 60_000);
  await jobs.discardFetches(await jobs.claim(connectionId, 2, lease('second')), kept);
  const left = await database.collection('jobs').find().toArray();
  expect(left).toMatchObject([{ _id: unpublished?.id, expiresAt: kept, outbox: [{ type: invoiceGone.type }] }]);
  expect(left[0]).not.toHaveProperty('dueAt');
  isAway = false;
  relay.start();
  await eventually(() => expect(published).toMatchObject([{ data: gone }]));
  await relay.stop();
  await drop();
});
