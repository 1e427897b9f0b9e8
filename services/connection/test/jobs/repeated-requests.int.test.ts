import { invoiceFetched } from '@app/contracts';
import { eventually } from '@app/testing';
import { anInvoice, type Service, signed, startService, webhookPath } from '../service.ts';

let service: Service;
beforeAll(async () => {
  // No retry becomes due during these tests.
  service = await startService({ limits: { retryDelaysMs: [3_600_000] } });
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

test.each([
  ['retried at once', 'that fails for now', 503],
  ['fetched once more', 'that is given up', 422],
])('an invoice requested during its fetch is %s after one %s', async (_again, _which, status) => {
  const { id: connectionId, owner, apiKey, webhookSecret } = await service.connected();
  const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') };
  const { id } = service.sandbox.put(apiKey, anInvoice(), pdf);
  const notify = async () => {
    const { raw, headers } = signed(owner.companyId, [id], webhookSecret);
    expect((await service.call('POST', webhookPath, { raw, headers })).status).toBe(202);
  };
  const job = () => service.jobs().findOne({ connectionId, externalId: id });
  service.sandbox.fail({ kind: 'delay', ms: 1_000, on: `/${id}$`, times: 1 });
  service.sandbox.fail({ kind: 'status', status, on: `/${id}/document`, times: 1 });
  await notify();
  await eventually(() => expect(service.sandbox.calls().byPath[`/invoices/${id}`]).toBe(1));
  await notify();
  const fetched = () => service.events(invoiceFetched).filter((event) => event.connection_id === connectionId);
  await eventually(() => expect(fetched()).toHaveLength(1));
  await eventually(async () => expect(await job()).toMatchObject({ failures: 0, wanted: 2 }));
  expect(await job()).not.toHaveProperty('reason');
});
