import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { invoiceFetched, invoiceGone } from '@app/contracts';
import type { Storage } from '@app/storage';
import { eventually } from '@app/testing';
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
beforeAll(async () => {
  service = await startService();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pdf = { name: 'F-1.pdf', type: 'application/octet-stream', bytes: Buffer.from('%PDF-1.7 an invoice') };

const fetched = ({ id }: Connected) => service.events(invoiceFetched).filter((event) => event.connection_id === id);
const gone = ({ owner }: Connected) =>
  service.events(invoiceGone).filter((event) => event.client_id === owner.companyId);
const fetches = (id: string) => service.sandbox.calls().byPath[`/invoices/${id}`] ?? 0;
const resync = ({ owner }: Connected, externalId: string, provider = 'sandbox') =>
  service.call('POST', '/internal/invoice-resyncs', { as: owner, body: { provider, externalId } });

async function files(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list({ olderThan: new Date(Date.now() + 60_000) })) keys.push(key);
  return keys.sort();
}

/** No job of this connection is waiting or running. */
async function settled({ id }: Connected): Promise<void> {
  await eventually(async () => {
    expect(await service.jobs().countDocuments({ connectionId: id, dueAt: { $exists: true } })).toBe(0);
  });
}

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
  // The payload is read and the document is slow: the change happens during the fetch.
  service.sandbox.fail({ kind: 'delay', ms: 1_500, on: `/invoices/${id}/document`, times: 1 });
  await service.notify(connected, id);
  await eventually(() => expect(service.sandbox.calls().byPath[`/invoices/${id}/document`]).toBe(1));
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  await Promise.all([service.notify(connected, id), service.notify(connected, id)]);
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
  const before = await files(service.storage);
  await service.notify(connected, id);
  await eventually(() => expect(fetches(id)).toBe(2));
  await settled(connected);
  expect(await files(service.storage)).toEqual(before);
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
    const ids = Array.from({ length: 60 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
    await service.notify(connected, ...ids);
  }
  await eventually(() => {
    for (const connected of all) expect(new Set(fetched(connected).map((event) => event.external_id)).size).toBe(60);
  });
  for (const connected of all) expect(fetched(connected)).toHaveLength(60);
});

test('two processes that fetch together fetch nothing twice', async () => {
  const other = await service.replica();
  const connected = await service.connected();
  const ids = Array.from({ length: 100 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => {
      const { raw, headers } = signed(
        connected.owner.companyId,
        ids.slice(10 * n, 10 * n + 10),
        connected.webhookSecret,
      );
      return (n % 2 === 0 ? service : other).call('POST', webhookPath, { raw, headers });
    }),
  );
  await eventually(() => expect(fetched(connected)).toHaveLength(100));
  await settled(connected);
  expect(ids.map(fetches)).toEqual(ids.map(() => 1));
});
