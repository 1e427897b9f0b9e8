import { invoiceFetched } from '@app/contracts';
import type { Storage } from '@app/storage';
import { eventually } from '@app/testing';
import { anInvoice, type Connected, type Service, startService } from './service.ts';

let service: Service;
/** Only for tests that wait for its end: on a busy machine a short lease makes a live process look dead. */
const shortLease = { leaseMs: 1_500 };
afterEach(() => service.stop());

const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') };
const fetched = ({ id }: Connected) => service.events(invoiceFetched).filter((event) => event.connection_id === id);
const callsOf = (path: string) => service.sandbox.calls().byPath[path] ?? 0;

async function keysInStorage(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of service.storage.list({ olderThan: new Date(Date.now() + 60_000) })) keys.push(key);
  return keys.sort();
}

test('each due poll is made by one of three processes', async () => {
  service = await startService();
  await Promise.all([service.replica(), service.replica()]);
  const all = await Promise.all(Array.from({ length: 12 }, () => service.connected()));
  const ids = { _id: { $in: all.map(({ id }) => id as never) } };
  const records = service.database.collection('connections');
  const polled = () =>
    eventually(async () => {
      expect(await records.countDocuments({ ...ids, pollDueAt: { $gt: new Date(Date.now() + 60_000) } })).toBe(12);
    });
  // The first poll of a new connection would, at its end, postpone the poll that this test makes due.
  await polled();
  const before = callsOf('/invoices');
  await records.updateMany(ids, { $set: { pollDueAt: new Date() } });
  await polled();
  expect(callsOf('/invoices') - before).toBe(12);
});

test('a poll whose process dies is made by another one', async () => {
  service = await startService({ limits: shortLease });
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  service.sandbox.fail({ kind: 'hang', on: 'updated_after', times: 1 });
  const before = callsOf('/invoices');
  const records = service.database.collection('connections');
  // The first poll of a new connection would, at its end, postpone this one.
  await eventually(async () => {
    const record = await records.findOne({ _id: connected.id as never });
    expect(Number(record?.['pollDueAt'])).toBeGreaterThan(Date.now() + 60_000);
  });
  await records.updateOne({ _id: connected.id as never }, { $set: { pollDueAt: new Date() } });
  await eventually(() => expect(callsOf('/invoices')).toBe(before + 1));
  await service.crash();
  await service.replica();
  await eventually(() => expect(fetched(connected).map(({ external_id }) => external_id)).toEqual([id]));
});

/** A storage whose first `put` of a kind never returns, before or after the file is written. */
function stuck(kind: 'raw' | 'document', when: 'before' | 'after') {
  const { promise: reached, resolve: signal } = Promise.withResolvers<void>();
  const wrap = (storage: Storage): Storage => ({
    ...storage,
    async put(content, options) {
      const isThat = (options.name === 'invoice') === (kind === 'raw');
      if (isThat && when === 'before') signal();
      else if (!isThat) return storage.put(content, options);
      else await storage.put(content, options).then(() => signal());
      return new Promise<never>(() => undefined);
    },
  });
  return { reached, wrap };
}

test.each([
  ['raw', 'before'],
  ['raw', 'after'],
  ['document', 'before'],
  ['document', 'after'],
] as const)(
  'a process that dies while it stores the %s, %s it is there, loses nothing and leaves no file',
  async (kind, when) => {
    const { reached, wrap } = stuck(kind, when);
    service = await startService({ storage: wrap, limits: shortLease });
    const connected = await service.connected();
    const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
    await service.notify(connected, id);
    await reached;
    await service.crash();
    await service.replica({ storage: (storage) => storage });
    await eventually(() => expect(fetched(connected)).toHaveLength(1));
    const [event] = fetched(connected);
    await eventually(async () => {
      expect(await keysInStorage()).toEqual([event?.raw.key, event?.document?.key].sort());
    });
    expect(await service.jobs().findOne({ externalId: id })).not.toHaveProperty('abandoned');
  },
);

test('an event that was saved and not sent is sent by the next process', async () => {
  service = await startService();
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  // The broker is down when the fetch is done: the event stays in the outbox of its job.
  await service.broker.close();
  await service.notify(connected, id);
  await eventually(async () => {
    const job = await service.jobs().findOne({ connectionId: connected.id, externalId: id });
    expect(job?.['outbox']).toHaveLength(1);
    expect(job).not.toHaveProperty('dueAt');
  });
  expect(fetched(connected)).toEqual([]);
  await service.crash();
  await service.replica();
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
});

test('a process that lost its lease publishes nothing and removes its files', async () => {
  service = await startService();
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), pdf);
  service.sandbox.fail({ kind: 'delay', ms: 1_000, on: '/document', times: 1 });
  await service.notify(connected, id);
  await eventually(() => expect(callsOf(`/invoices/${id}/document`)).toBe(1));
  // As after another process took over the expired lease.
  await service.jobs().updateOne({ externalId: id }, { $set: { lease: 'another', dueAt: new Date(Date.now() + 500) } });
  await eventually(() => {
    expect(service.logger.lines.map(({ message }) => message)).toContain('job result discarded: its lease was lost');
  });
  await eventually(() => expect(fetched(connected)).toHaveLength(1));
  const [event] = fetched(connected);
  await eventually(async () => {
    expect(await keysInStorage()).toEqual([event?.raw.key, event?.document?.key].sort());
  });
});

test('a process that stops releases its jobs: another one claims them at once', async () => {
  service = await startService();
  const connected = await service.connected();
  const ids = Array.from({ length: 40 }, () => service.sandbox.put(connected.apiKey, anInvoice()).id);
  service.sandbox.fail({ kind: 'delay', ms: 300, on: '/invoices/' });
  await service.notify(connected, ...ids);
  await eventually(() => expect(ids.some((id) => callsOf(`/invoices/${id}`) > 0)).toBe(true));
  await service.replica();
  await service.app.stop();
  service.sandbox.heal();
  await eventually(
    () =>
      expect(
        fetched(connected)
          .map((event) => event.external_id)
          .sort(),
      ).toEqual(ids.sort()),
    30_000,
  );
  expect(await service.jobs().distinct('failures', { connectionId: connected.id })).toEqual([0]);
});

test('a job that crashes its process repeatedly is given up', async () => {
  service = await startService();
  const connected = await service.connected();
  // As after three retries whose processes crashed: the lease is there, and expired.
  const lost = { kind: 'fetch', externalId: 'poison', wanted: 1, failures: 3, resync: false, known: null };
  const stale = { lease: 'dead', abandoned: ['dead before'], dueAt: new Date() };
  await service.jobs().insertOne({ _id: 'poison' as never, connectionId: connected.id, ...lost, ...stale });
  await eventually(async () => {
    const job = await service.jobs().findOne({ externalId: 'poison' });
    expect(job).toMatchObject({ reason: expect.stringContaining('again and again') });
    expect(job).not.toHaveProperty('dueAt');
  });
  expect(callsOf('/invoices/poison')).toBe(0);
});
