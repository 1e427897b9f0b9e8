import {
  type FeedbackRequested,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  restoreTaskRequested,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { anInvoice, type Service, startService } from '../service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const fetched = (externalId: string) =>
  service.events(invoiceFetched).filter(({ external_id }) => external_id === externalId);
const restore = { restore_id: 'r', service: 'invoice-reconciliation', epoch: Date.now() };
const task = (since: Date) =>
  restoreTaskRequested(
    { ...restore, since: since.toISOString(), to: 'connection', task: 'fetch again', after: null },
    new Date(),
  );

test('what was fetched since the backup of reconciliation is fetched and published again, unchanged as it is', async () => {
  const { owner, apiKey, id } = await service.connected();
  const { id: externalId } = service.sandbox.put(apiKey, anInvoice());
  const due = () => service.jobs().updateOne({ externalId }, { $set: { dueAt: new Date() }, $inc: { wanted: 1 } });
  await service.jobs().insertOne({
    ...{ _id: `fetch/${id}/${externalId}` as never, connectionId: id, kind: 'fetch', externalId },
    ...{ failures: 0, wanted: 1, known: null, dueAt: new Date() },
  });
  await eventually(() => expect(fetched(externalId)).toHaveLength(1));
  // Asked again, it has nothing new to say.
  await due();
  await eventually(async () =>
    expect(await service.jobs().findOne({ externalId, dueAt: { $exists: false } })).not.toBeNull(),
  );
  expect(fetched(externalId)).toHaveLength(1);

  await service.publish(task(new Date(Date.now() + 3_600_000)));
  await service.publish(task(new Date(Date.now() - 3_600_000)));
  await eventually(() => expect(fetched(externalId)).toHaveLength(2));
  const [first, second] = fetched(externalId);
  expect(second).toMatchObject({ client_id: owner.companyId, raw: { hash: first?.raw.hash }, resync: false });
  expect(second?.sequence).toBeGreaterThan(first?.sequence as number);
});

test('feedback that is asked for again after a restore is not sent again: its result is told again', async () => {
  const { owner, apiKey, id } = await service.connected();
  const { id: external_id } = service.sandbox.put(apiKey, anInvoice());
  const request: FeedbackRequested = {
    ...{ invoice_id: newId(), client_id: owner.companyId, connection_id: id, provider: 'sandbox', external_id },
    ...{ link_version: 1, outcome: 'taken_in_charge', ticket: { id: newId(), number: 'T-000042' }, po_ref: null },
  };
  const settled = () =>
    service.events(invoiceFeedbackSettled).filter(({ invoice_id }) => invoice_id === request.invoice_id);
  await service.publish(invoiceFeedbackRequested(request, new Date()));
  await eventually(() => expect(settled()).toHaveLength(1));
  await service.publish(invoiceFeedbackRequested({ ...request, again: true }, new Date()));
  await eventually(() => expect(settled()).toHaveLength(2));
  expect(settled()[1]).toEqual(settled()[0]);
  expect(service.sandbox.feedback(apiKey)).toHaveLength(1);
});

test('feedback that was lost with the restored jobs is sent, though it is asked for again', async () => {
  const { owner, apiKey, id } = await service.connected();
  const { id: external_id } = service.sandbox.put(apiKey, anInvoice());
  const request: FeedbackRequested = {
    ...{ invoice_id: newId(), client_id: owner.companyId, connection_id: id, provider: 'sandbox', external_id },
    ...{ link_version: 3, outcome: 'taken_in_charge', ticket: { id: newId(), number: 'T-000042' }, po_ref: null },
  };
  await service.publish(invoiceFeedbackRequested({ ...request, again: true }, new Date()));
  await eventually(() => expect(service.sandbox.feedback(apiKey)).toHaveLength(1));
});
