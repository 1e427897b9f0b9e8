import { type FeedbackRequested, invoiceFeedbackRequested, invoiceFeedbackSettled, noDetails } from '@app/contracts';
import { newId } from '@app/kernel';
import type { Storage } from '@app/storage';
import { eventually } from '@app/testing';
import { restoredDatabase } from '../../restore/restored-database.ts';
import { anInvoice, aPdf, type Service, startService } from '../service.ts';

let service: Service;
afterEach(() => service.stop());

type Backup = { jobs: object[] };
const backup = async (): Promise<Backup> => ({ jobs: await service.jobs().find().toArray() });

/** The jobs are as in the backup, whose leases have ended since. */
async function restore({ jobs }: Backup): Promise<void> {
  await service.crash();
  await service.jobs().deleteMany({});
  const ended = new Date(Date.now() - 60_000);
  await service.jobs().insertMany(jobs.map((job) => ('dueAt' in job ? { ...job, dueAt: ended } : job)));
  const restore = { restore_id: 'r', service: 'connection', epoch: Date.now(), since: new Date(0).toISOString() };
  await restoredDatabase.raise(service.database, restore);
  await service.replica();
}

test('an invoice that was being fetched at the backup keeps the files that were published since', async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const gated = (storage: Storage): Storage => ({
    ...storage,
    async put(...file) {
      reached.resolve();
      await gate.promise;
      return storage.put(...file);
    },
  });
  service = await startService({ storage: gated });
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice(), aPdf);
  await service.notify(connected, id);
  await reached.promise;
  const before = await backup();
  expect(before.jobs).toEqual([expect.objectContaining({ externalId: id, lease: expect.any(String) })]);
  gate.resolve();
  await eventually(() => expect(service.fetched(connected)).toHaveLength(1));
  await restore(before);
  await eventually(() => expect(service.fetched(connected)).toHaveLength(2));
  const [first] = service.fetched(connected);
  const files = await service.files();
  expect([first?.raw.key, first?.document?.key].filter((key) => !files.includes(key as string))).toEqual([]);
});

test('an outcome that waited at the backup, and was replaced since, is not told to the provider once more', async () => {
  service = await startService();
  const { owner, apiKey, id } = await service.connected();
  const request: FeedbackRequested = {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: id,
    provider: 'sandbox',
    external_id: service.sandbox.put(apiKey, anInvoice()).id,
    link_version: 1,
    outcome: 'taken_in_charge',
    ticket: { id: newId(), number: 'T-000042' },
    po_ref: null,
    earlier_links: [],
    details: noDetails,
    asked_at: new Date().toISOString(),
    key: 'taken_in_charge/0',
  };
  const ask = (given: Partial<FeedbackRequested>) =>
    service.publish(invoiceFeedbackRequested({ ...request, ...given }, new Date()));
  const settled = (count: number) =>
    eventually(() => expect(service.events(invoiceFeedbackSettled)).toHaveLength(count));
  const hold = (pausedUntil: Date | null) =>
    service.database.collection('connections').updateOne({ _id: id as never }, { $set: { pausedUntil } });
  await hold(new Date(Date.now() + 3_600_000));
  await ask({});
  await eventually(async () => expect(await service.jobs().countDocuments({ kind: 'feedback' })).toBe(1));
  const before = await backup();
  await hold(null);
  await settled(1);
  await ask({ link_version: 2, outcome: 'reversed' });
  await settled(2);
  await restore(before);
  // Reconciliation asks again for what has no result yet, which is another invoice.
  const external_id = service.sandbox.put(apiKey, anInvoice()).id;
  await ask({ invoice_id: newId(), external_id, again: true });
  await settled(3);
  expect(await service.jobs().countDocuments({ dueAt: { $exists: true } })).toBe(0);
  const heard = service.sandbox.feedback(apiKey).filter(({ invoiceId }) => invoiceId === request.external_id);
  expect(heard.map(({ outcome }) => outcome)).toEqual(['taken_in_charge', 'reversed']);
});
