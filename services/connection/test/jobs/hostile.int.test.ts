import { invoiceFeedbackRequested, invoiceFeedbackSettled, noDetails } from '@app/contracts';
import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { newId } from '@app/kernel';
import { costlyInvoice, eventually } from '@app/testing';
import { anAccountant, type Service, startService } from '../service.ts';

/** Feedback to an approved platform repeats parts of the invoice's document, which is read again for it. */
let platform: ApprovedPlatform;
let service: Service;
afterEach(async () => {
  await service.stop();
  await platform.close();
});

/** A company with an invoice at an approved platform, and a feedback request for it. */
async function begin(document: Buffer, reading: object) {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId: 'buyer', clientSecret: 'not used', apiKey: 'key' });
  service = await startService({ providers: { PROVIDER_AFNOR_URL: platform.flowService }, reading });
  const owner = anAccountant();
  const body = { provider: 'afnor', apiKey: 'key' };
  const { body: made } = await service.call('POST', '/invoice-connections', { as: owner, body });
  // Long ago, so that no poll finds it.
  const flow = { updatedAt: '2020-01-01T00:00:00Z' };
  const invoice = { organization: 'buyer', document: { syntax: 'UBL', bytes: document }, flow };
  const { flowId: externalId } = (await platform.addInvoice(invoice)).flow;
  const request = {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: String(made['id']),
    provider: 'afnor',
    external_id: externalId,
    link_version: 1,
    outcome: 'taken_in_charge' as const,
    ticket: { id: newId(), number: 'T-1' },
    po_ref: null,
    details: noDetails,
    asked_at: new Date().toISOString(),
    key: 'taken_in_charge/0',
    earlier_links: [],
  };
  await service.publish(invoiceFeedbackRequested(request, new Date()));
  return request;
}

const settled = (invoiceId: string) =>
  service.events(invoiceFeedbackSettled).filter(({ invoice_id }) => invoice_id === invoiceId);

test('requests are answered while a document is read for feedback; a document that takes too much fails the feedback', async () => {
  const counts = { began: 0, ended: 0 };
  const { promise: reading, resolve } = Promise.withResolvers<void>();
  const observe = {
    began() {
      counts.began += 1;
      resolve();
    },
    ended() {
      counts.ended += 1;
    },
  };
  // Enough time for any machine, and too little memory for this document.
  const { invoice_id } = await begin(costlyInvoice(150_000), { timeoutMs: 50_000, memoryMb: 32, observe });
  await reading;
  const { status } = await service.call('GET', '/invoice-connections', { as: anAccountant() });
  expect([status, counts]).toEqual([200, { began: 1, ended: 0 }]);
  const reason = expect.stringContaining('the document takes more memory to read than any invoice needs');
  await eventually(() => expect(settled(invoice_id)).toMatchObject([{ result: 'failed', reason }]));
});
