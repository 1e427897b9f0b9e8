import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type DomainEvent, invoiceGone } from '@app/contracts';
import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { ensureIndexes } from '@app/runtime';
import type { Storage } from '@app/storage';
import { eventually, testDatabase, testLogger } from '@app/testing';
import { JobStore } from '../../jobs/job-store.ts';
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
let other: Awaited<ReturnType<Service['replica']>>;
/** While it is there, documents that were stored wait for it: their jobs go on. */
let gate: PromiseWithResolvers<void> | null = null;
const gated = (storage: Storage): Storage => ({
  ...storage,
  async put(content, options) {
    const stored = await storage.put(content, options);
    if (options.name !== 'invoice') await gate?.promise;
    return stored;
  },
});
beforeAll(async () => {
  service = await startService({ storage: gated });
  other = await service.replica();
});
afterEach(() => {
  service.sandbox.heal();
  openGate();
});
afterAll(() => service.stop());

function openGate(): void {
  gate?.resolve();
  gate = null;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pdf = { name: 'F-1.pdf', type: 'application/octet-stream', bytes: Buffer.from('%PDF-1.7 an invoice') };

const fetched = (one: Connected) => service.fetched(one);
const gone = ({ owner }: Connected) =>
  service.events(invoiceGone).filter((event) => event.client_id === owner.companyId);
const fetches = (id: string) => service.callsOf(`/invoices/${id}`);
const resync = ({ owner }: Connected, externalId: string, provider = 'sandbox') =>
  service.call('POST', '/internal/invoice-resyncs', { as: owner, body: { provider, externalId } });

async function files(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of service.storage.list({ olderThan: new Date(Date.now() + 60_000) })) keys.push(key);
  return keys.sort();
}

const dueOf = ({ id }: Connected) => service.jobs().countDocuments({ connectionId: id, dueAt: { $exists: true } });
/** No job of this connection is waiting or running. */
const settled = (one: Connected) => eventually(async () => expect(await dueOf(one)).toBe(0));

test('an invoice and its document stand in storage, as the event says', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice({ number: 'F-éà' }), pdf);
  await service.notify(connected, id);
  const [event] = await eventually(() => {
    expect(fetched(connected)).toHaveLength(1);
    return fetched(connected);
  });
  expect(event).toMatchObject({
    client_id: connected.owner.companyId,
    connection_id: connected.id,
    provider: 'sandbox',
    external_id: id,
    resync: false,
    raw: { type: 'application/json' },
    document: { type: 'application/pdf', size: pdf.bytes.length, hash: sha256(pdf.bytes) },
  });
  const raw = await buffer(await service.storage.get(String(event?.raw.key)));
  expect([raw.length, sha256(raw)]).toEqual([event?.raw.size, event?.raw.hash]);
  expect(JSON.parse(raw.toString())).toMatchObject({ id, number: 'F-éà' });
  const document = await buffer(await service.storage.get(String(event?.document?.key)));
  expect(document.equals(pdf.bytes)).toBe(true);
});

test('the same webhook ten times at once is one event, and fetches at most once more than needed', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  await Promise.all(Array.from({ length: 10 }, () => service.notify(connected, id)));
  await settled(connected);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  await service.notify(connected, id);
  await settled(connected);
  expect(fetched(connected)).toHaveLength(1);
  expect(fetches(id)).toBeLessThan(11);
});

test('an invoice requested during its fetch is fetched once more: the change is not missed', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
  // The payload is read and the document waits: the change happens during the fetch.
  gate = Promise.withResolvers();
  await service.notify(connected, id);
  await eventually(() => expect(service.callsOf(`/invoices/${id}/document`)).toBe(1));
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  await Promise.all([service.notify(connected, id), service.notify(connected, id)]);
  openGate();
  await eventually(() => expect(fetched(connected)).toHaveLength(2));
  await settled(connected);
  expect(fetches(id)).toBe(2);
  const last = fetched(connected).at(-1);
  const raw = await buffer(await service.storage.get(String(last?.raw.key)));
  expect(JSON.parse(raw.toString())).toMatchObject({ number: 'F-changed' });
});

test('changed content is published again, unchanged content is not and leaves no file', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
  await service.notify(connected, id);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  await settled(connected);
  const before = await files();
  await service.notify(connected, id);
  await eventually(() => expect(fetches(id)).toBe(2));
  await settled(connected);
  expect(await files()).toEqual(before);
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  await service.notify(connected, id);
  await eventually(() => expect(fetched(connected)).toHaveLength(2));
});

test('a resync publishes again, whatever was published before', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  await service.notify(connected, id);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  const answer = await resync(connected, id);
  expect([answer.status, answer.body]).toEqual([202, { ok: true }]);
  await eventually(() => expect(fetched(connected).map((event) => event.resync)).toEqual([false, true]));
  await settled(connected);
  await service.notify(connected, id);
  await settled(connected);
  expect(fetched(connected)).toHaveLength(2);
});

test.each([
  ['an unknown provider', 'nobody', 400, 'unknown_provider'],
  ['a provider without connection', 'sandbox', 404, 'connection_not_found'],
])('a resync from %s', async (_fault, provider, status, code) => {
  const answer = await service.call('POST', '/internal/invoice-resyncs', {
    as: anAccountant(),
    body: { provider, externalId: 'i-1' },
  });
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
});

test('an invoice that the provider deleted is published as gone, once', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  await service.notify(connected, id);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  service.sandbox.remove(connected.apiKey, id);
  await service.notify(connected, id);
  await eventually(() => expect(gone(connected)).toMatchObject([{ provider: 'sandbox', external_id: id }]));
  await settled(connected);
  await service.notify(connected, id, 'never-there');
  await eventually(() => expect(gone(connected).map(({ external_id }) => external_id)).toEqual([id, 'never-there']));
  await settled(connected);
  expect(gone(connected)).toHaveLength(2);
});

test('many invoices of many connections are fetched, each once', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => service.connected()));
  for (const connected of all) {
    const ids = Array.from({ length: 20 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
    await service.notify(connected, ...ids);
  }
  await eventually(() => {
    for (const connected of all) expect(new Set(fetched(connected).map((event) => event.external_id)).size).toBe(20);
  });
  for (const connected of all) expect(fetched(connected)).toHaveLength(20);
});

test('two processes that fetch together fetch nothing twice', async () => {
  const connected = await service.connected();
  const ids = Array.from({ length: 50 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  const notified = Array.from({ length: 10 }, (_, n) => {
    const { raw, headers } = signed(connected.owner.companyId, ids.slice(5 * n, 5 * n + 5), connected.webhookSecret);
    return (n % 2 === 0 ? service : other).call('POST', webhookPath, { raw, headers });
  });
  await Promise.all(notified);
  await eventually(() => expect(fetched(connected)).toHaveLength(50));
  await settled(connected);
  expect(ids.map(fetches)).toEqual(ids.map(() => 1));
});

async function answerTo({ owner, webhookSecret }: Connected, id: string) {
  const { raw, headers } = signed(owner.companyId, [id], webhookSecret);
  return (await service.call('POST', webhookPath, { raw, headers })).status;
}

/** Waits until the result of a running job of this connection was discarded. */
const discarded = ({ id }: Connected) =>
  eventually(() => {
    const lines = service.logger.lines.filter(({ message }) => message.startsWith('job result discarded'));
    expect(lines.map(({ fields }) => (fields as { connectionId: string }).connectionId)).toContain(id);
  });

/** A connection with one invoice being fetched, until the gate is opened, and thirty waiting. */
async function busy() {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
  gate = Promise.withResolvers();
  service.sandbox.fail({ kind: 'status', status: 500, on: '/invoices/wait-' });
  await service.notify(connected, id);
  await eventually(() => expect(service.callsOf(`/invoices/${id}/document`)).toBe(1));
  await service.notify(connected, ...Array.from({ length: 30 }, (_, n) => `wait-${connected.id}-${n}`));
  return { ...connected, invoiceId: id };
}

test.each(['this process', 'another process'])('a deletion by %s cancels queued and running jobs', async (by) => {
  const connected = await busy();
  const before = await files();
  const call = by === 'this process' ? service.call : other.call;
  const answer = await call('DELETE', `/invoice-connections/${connected.id}`, { as: connected.owner });
  expect(answer.status).toBe(204);
  expect(await answerTo(connected, connected.invoiceId)).toBe(404);
  openGate();
  await settled(connected);
  await discarded(connected);
  expect(fetched(connected)).toEqual([]);
  expect(await service.jobs().countDocuments({ connectionId: connected.id })).toBe(0);
  await eventually(async () => expect(await files()).toEqual(before));
  const record = await service.recordOf(connected);
  expect(record).toMatchObject({ deleted: true, active: false, apiKey: null, webhookSecret: null });
  expect(record).not.toHaveProperty('pollDueAt');
});

test('a job queued after the deletion is deleted', async () => {
  const connected = await service.connected();
  await service.remove(connected);
  // As from a webhook that read the connection just before the deletion.
  const late = { kind: 'fetch', externalId: 'late', wanted: 1, failures: 0, resync: false, known: null };
  await service.jobs().insertOne({ _id: 'late' as never, connectionId: connected.id, ...late, dueAt: new Date() });
  await eventually(async () => expect(await service.jobs().countDocuments({ connectionId: connected.id })).toBe(0));
  expect(fetches('late')).toBe(0);
});

test('a connection that is switched off stops at once, and continues where it was when it is switched on', async () => {
  const connected = await busy();
  expect((await service.patch(connected, { active: false })).body['active']).toBe(false);
  expect(await answerTo(connected, connected.invoiceId)).toBe(404);
  service.sandbox.heal();
  openGate();
  await discarded(connected);
  expect(fetched(connected)).toEqual([]);
  expect(await dueOf(connected)).toBeGreaterThan(0);
  expect((await service.patch(connected, { active: true })).body['active']).toBe(true);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  await settled(connected);
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
