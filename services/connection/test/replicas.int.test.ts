import type { Storage } from '@app/storage';
import { eventually } from '@app/testing';
import { anInvoice, aPdf, type Connected, type Service, startService } from './service.ts';

let service: Service;
const records = () => service.database.collection('connections');
const pollNow = (...all: Connected[]) =>
  records().updateMany({ _id: { $in: all.map(({ id }) => id as never) } }, { $set: { pollDueAt: new Date() } });
const isFetched = (connected: Connected, ...ids: string[]) =>
  eventually(() => {
    const fetched = service.fetched(connected).map(({ external_id }) => external_id);
    expect(fetched.sort()).toEqual(ids.sort());
  });

describe('of processes that live', () => {
  /** While it is there, documents wait before they are stored, or cannot be. */
  let gate: PromiseWithResolvers<void> | null = null;
  const gated = (storage: Storage): Storage => ({
    ...storage,
    async put(content, options) {
      try {
        if (options.name !== 'invoice') await gate?.promise;
      } catch (error) {
        content.destroy();
        throw error;
      }
      return storage.put(content, options);
    },
  });
  beforeAll(async () => {
    // What a process does not release, no other one gets during these tests.
    service = await startService({ storage: gated, limits: { leaseMs: 3_600_000 } });
  });
  afterAll(() => service.stop());

  test.each(['succeeds', 'fails'])(
    'one whose fetch %s after its lease was lost leaves no event and no file',
    async (how) => {
      const before = await service.files();
      const connected = await service.connected();
      const { id } = service.sandbox.put(connected.apiKey, anInvoice(), aPdf);
      gate = Promise.withResolvers();
      await service.notify(connected, id);
      await eventually(async () => expect(await service.files()).toHaveLength(before.length + 1));
      // As after another process took over the expired lease.
      const taken = { lease: 'another', dueAt: new Date(Date.now() + 3_600_000) };
      await service.jobs().updateOne({ externalId: id }, { $set: taken });
      if (how === 'fails') gate.reject(new Error('the other process removed the file'));
      else gate.resolve();
      gate = null;
      await eventually(() => {
        const fields = expect.objectContaining({ externalId: id });
        const message = 'job result discarded: its lease was lost';
        expect(service.logger.lines).toContainEqual(expect.objectContaining({ message, fields }));
      });
      expect(service.fetched(connected)).toEqual([]);
      expect(await service.files()).toEqual(before);
      expect(await service.jobs().findOne({ externalId: id })).toMatchObject({ ...taken, failures: 0 });
    },
  );

  test('a job that crashes its process repeatedly is given up', async () => {
    const connected = await service.connected();
    // As after three retries whose processes crashed: the lease is there, and expired.
    const lost = { kind: 'fetch', externalId: 'poison', requests: 1, failures: 3, resync: false, published: null };
    const stale = { lease: 'dead', abandonedLeases: ['dead before'], dueAt: new Date() };
    await service.jobs().insertOne({ _id: 'poison' as never, connectionId: connected.id, ...lost, ...stale });
    await eventually(async () => {
      const job = await service.jobs().findOne({ externalId: 'poison' });
      expect(job).toMatchObject({ reason: expect.stringContaining('again and again') });
      expect(job).not.toHaveProperty('dueAt');
    });
    expect(service.callsOf('/invoices/poison')).toBe(0);
  });

  test('each due poll is made by one of three', async () => {
    await Promise.all([service.replica(), service.replica()]);
    const all = await Promise.all(Array.from({ length: 12 }, () => service.connected()));
    const before = service.callsOf('/invoices');
    await pollNow(...all);
    await eventually(async () => {
      const later = { pollDueAt: { $gt: new Date(Date.now() + 60_000) }, pollLease: { $exists: false } };
      expect(await records().countDocuments({ _id: { $in: all.map(({ id }) => id as never) }, ...later })).toBe(12);
    });
    expect(service.callsOf('/invoices') - before).toBe(12);
  });

  test('one that stops releases its jobs: another one claims them at once', async () => {
    const connected = await service.connected();
    const ids = Array.from({ length: 40 }, () => service.sandbox.put(connected.apiKey, anInvoice(), aPdf).id);
    gate = Promise.withResolvers();
    await service.notify(connected, ...ids);
    await eventually(() => expect(ids.some((id) => service.callsOf(`/invoices/${id}/document`) > 0)).toBe(true));
    const stopped = service.app.stop();
    gate.resolve();
    gate = null;
    await stopped;
    await isFetched(connected, ...ids);
    expect(await service.jobs().distinct('failures', { connectionId: connected.id })).toEqual([0]);
  });
});

describe('after a process has died', () => {
  type Step = { part: 'raw' | 'document'; when: 'before' | 'after'; reached: () => void };
  let step: Step | null = null;
  /** Never returns from the step that is set, before or after the file is written. */
  const stuck = (storage: Storage): Storage => ({
    ...storage,
    async put(content, options) {
      const at = step;
      const isThat = (options.name === 'invoice') === (at?.part === 'raw');
      if (!at || !isThat) return storage.put(content, options);
      if (at.when === 'after') await storage.put(content, options);
      at.reached();
      return new Promise<never>(() => undefined);
    },
  });
  type Given = { connected: Connected; id: string };
  async function invoice(document?: typeof aPdf): Promise<Given> {
    const connected = await service.connected();
    return { connected, id: service.sandbox.put(connected.apiKey, anInvoice(), document).id };
  }

  const steps = [
    ['raw', 'before'],
    ['raw', 'after'],
    ['document', 'before'],
    ['document', 'after'],
  ] as const;
  const stored = new Map<string, Given>();
  let polled: Given;
  let unsent: Given;

  beforeAll(async () => {
    // On a busy machine a lease as short as this makes a live process look dead: only the one that dies has it.
    service = await startService({ storage: stuck, limits: { leaseMs: 1_500 } });
    // The broker is down when a fetch is done: the event stays in the outbox of its job.
    unsent = await invoice();
    await service.broker.close();
    await service.notify(unsent.connected, unsent.id);
    await eventually(async () => {
      const job = await service.jobs().findOne({ externalId: unsent.id });
      expect(job?.['outbox']).toHaveLength(1);
      expect(job).not.toHaveProperty('dueAt');
    });
    for (const [part, when] of steps) {
      const given = await invoice(aPdf);
      const reached = Promise.withResolvers<void>();
      step = { part, when, reached: reached.resolve };
      await service.notify(given.connected, given.id);
      await reached.promise;
      stored.set(`${part} ${when}`, given);
    }
    step = null;
    polled = await invoice();
    service.sandbox.fail({ kind: 'hang', on: 'updated_after', times: 1 });
    const before = service.callsOf('/invoices');
    await pollNow(polled.connected);
    await eventually(() => expect(service.callsOf('/invoices')).toBeGreaterThan(before));
    await service.crash();
    await service.replica({ storage: (storage) => storage, limits: { leaseMs: 60_000 } });
  });
  afterAll(() => service.stop());

  test.each(steps)('while it stored the %s, %s it was there, nothing is lost and no file left', async (part, when) => {
    const { connected, id } = stored.get(`${part} ${when}`) as Given;
    await isFetched(connected, id);
    expect(await service.jobs().findOne({ externalId: id })).not.toHaveProperty('abandonedLeases');
  });

  test('the files in storage are those of the published invoices', async () => {
    const all = [unsent, polled, ...stored.values()];
    for (const { connected, id } of all) await isFetched(connected, id);
    const events = all.flatMap(({ connected }) => service.fetched(connected));
    const keys = events.flatMap(({ raw, document }) => [raw.key, ...(document ? [document.key] : [])]);
    await eventually(async () => expect(await service.files()).toEqual(keys.sort()));
  });

  test('while it polled, another one polls', () => isFetched(polled.connected, polled.id));

  test('between saving an event and sending it, the next one sends it', () => isFetched(unsent.connected, unsent.id));
});
