import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { invoiceGone } from '@app/contracts';
import type { Storage } from '@app/storage';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, aPdf, type Connected, type Service, startService } from '../service.ts';

let service: Service;
let other: Awaited<ReturnType<Service['replica']>>;
/** While it is there, documents are not stored, so that their fetches do not end. */
let gate: PromiseWithResolvers<void> | null = null;
const gated = (storage: Storage): Storage => ({
  ...storage,
  async put(content, options) {
    if (options.name !== 'invoice') await gate?.promise;
    return storage.put(content, options);
  },
});
beforeAll(async () => {
  service = await startService({ storage: gated });
  other = await service.replica();
});
afterEach(openGate);
afterAll(() => service.stop());

function openGate(): void {
  gate?.resolve();
  gate = null;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const fetched = (connected: Connected) => service.fetched(connected);
const gone = ({ owner }: Connected) =>
  service.events(invoiceGone).filter((event) => event.client_id === owner.companyId);
const fetches = (id: string) => service.callsOf(`/invoices/${id}`);
const resync = ({ owner }: Connected, externalId: string, provider = 'sandbox') =>
  service.call('POST', '/internal/invoice-resyncs', { as: owner, body: { provider, externalId } });

const jobsOf = ({ id }: Connected) => service.jobs().countDocuments({ connectionId: id });
const dueOf = ({ id }: Connected) => service.jobs().countDocuments({ connectionId: id, dueAt: { $exists: true } });
/** No job of this connection is waiting or running. */
const settled = (connected: Connected) => eventually(async () => expect(await dueOf(connected)).toBe(0));

test('an invoice and its document stand in storage, as the event says', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice({ number: 'F-éà' }), aPdf);
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
    document: { type: 'application/pdf', size: aPdf.bytes.length, hash: sha256(aPdf.bytes) },
  });
  const raw = await buffer(await service.storage.get(String(event?.raw.key)));
  expect([raw.length, sha256(raw)]).toEqual([event?.raw.size, event?.raw.hash]);
  expect(JSON.parse(raw.toString())).toMatchObject({ id, number: 'F-éà' });
  const document = await buffer(await service.storage.get(String(event?.document?.key)));
  expect(document.equals(aPdf.bytes)).toBe(true);
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
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), aPdf);
  // The payload is read, and the document waits: the change happens during the fetch.
  gate = Promise.withResolvers();
  await service.notify(connected, id);
  await eventually(() => expect(fetches(`${id}/document`)).toBe(1));
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
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), aPdf);
  await service.notify(connected, id);
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  await settled(connected);
  const before = await service.files();
  await service.notify(connected, id);
  await eventually(() => expect(fetches(id)).toBe(2));
  await settled(connected);
  expect(await service.files()).toEqual(before);
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

test('a resync needs a caller with the permission accounting', async () => {
  const others = anAccountant({ permissions: ['tickets', 'api_webhooks'] });
  expect((await service.call('POST', '/internal/invoice-resyncs')).status).toBe(401);
  expect((await service.call('POST', '/internal/invoice-resyncs', { as: others })).status).toBe(403);
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
  await service.notify(connected, id);
  await resync(connected, 'never-there');
  await eventually(() => expect(gone(connected).map(({ external_id }) => external_id)).toEqual([id, 'never-there']));
  await settled(connected);
  expect(gone(connected)).toHaveLength(2);
});

test('two processes that fetch for many connections together fetch nothing twice', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => service.connected()));
  const ids = new Map(
    all.map((one) => [one, Array.from({ length: 20 }, () => service.sandbox.put(one.apiKey, anInvoice()).id)]),
  );
  const notified = all.flatMap((one) =>
    [service, other].map(({ call }, n) => service.webhook(one, ids.get(one)?.slice(10 * n, 10 * n + 10) ?? [], call)),
  );
  await Promise.all(notified);
  for (const [one, own] of ids) {
    await eventually(() =>
      expect(
        fetched(one)
          .map((event) => event.external_id)
          .sort(),
      ).toEqual(own.sort()),
    );
    await settled(one);
    expect(own.map(fetches)).toEqual(own.map(() => 1));
  }
});

/** Waits until the result of a running job of this connection was discarded. */
const discarded = ({ id }: Connected) =>
  eventually(() => {
    const lines = service.logger.lines.filter(({ message }) => message.startsWith('job result discarded'));
    expect(lines.map(({ fields }) => (fields as { connectionId: string }).connectionId)).toContain(id);
  });

/** A connection with twenty invoices: some are being fetched until the gate is opened, the others wait. */
async function busy() {
  const connected = await service.connected();
  gate = Promise.withResolvers();
  const ids = Array.from({ length: 20 }, () => service.sandbox.put(connected.apiKey, anInvoice(), aPdf).id);
  await service.notify(connected, ...ids);
  await eventually(() => expect(ids.filter((id) => fetches(`${id}/document`) > 0).length).toBeGreaterThan(0));
  return { ...connected, ids };
}

test.each(['this process', 'another process'])('a deletion by %s cancels queued and running jobs', async (by) => {
  const before = await service.files();
  const connected = await busy();
  const { call } = by === 'this process' ? service : other;
  const answer = await call('DELETE', `/invoice-connections/${connected.id}`, { as: connected.owner });
  expect(answer.status).toBe(204);
  expect((await service.webhook(connected, connected.ids)).status).toBe(404);
  openGate();
  await discarded(connected);
  await eventually(async () => expect(await jobsOf(connected)).toBe(0));
  await eventually(async () => {
    expect((await service.files()).filter((key) => !before.includes(key))).toEqual([]);
  });
  expect(fetched(connected)).toEqual([]);
  const record = await service.recordOf(connected);
  expect(record).toMatchObject({ deleted: true, active: false, apiKey: null, webhookSecret: null });
  expect(record).not.toHaveProperty('pollDueAt');
});

test('a job queued after the deletion is deleted', async () => {
  const connected = await service.connected();
  await service.remove(connected);
  // As from a webhook that read the connection just before the deletion.
  const late = { kind: 'fetch', externalId: 'late', requests: 1, failures: 0, resync: false, published: null };
  await service.jobs().insertOne({ _id: 'late' as never, connectionId: connected.id, ...late, dueAt: new Date() });
  await eventually(async () => expect(await jobsOf(connected)).toBe(0));
  expect(fetches('late')).toBe(0);
});

test('a connection that is switched off stops at once, and continues where it was when it is switched on', async () => {
  const connected = await busy();
  expect((await service.patch(connected, { active: false })).body['active']).toBe(false);
  expect((await service.webhook(connected, connected.ids)).status).toBe(404);
  openGate();
  await discarded(connected);
  expect(fetched(connected)).toEqual([]);
  expect(await dueOf(connected)).toBeGreaterThan(0);
  expect((await service.patch(connected, { active: true })).body['active']).toBe(true);
  await eventually(() => expect(fetched(connected)).toHaveLength(20));
  await settled(connected);
});
