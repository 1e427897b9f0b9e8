import {
  type FeedbackRequested,
  type FeedbackSettled,
  type InvoiceStatus,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  noDetails,
} from '@app/contracts';
import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { anAccountant, type Service, startService } from '../service.ts';

const apiKey = 'a-key-of-the-platform';
const organization = 'buyer';
let platform: ApprovedPlatform;
let service: Service;
beforeAll(async () => {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId: 'app', clientSecret: 'secret', organizations: [organization], apiKey });
  // Nothing is acknowledged unless a test says so.
  platform.set({ acknowledgeAfterMs: null, callbacks: 'manual' });
  service = await startService({ providers: { PROVIDER_AFNOR_URL: platform.flowService } });
});
afterEach(() => platform.heal());
afterAll(async () => {
  await service.stop();
  await platform.close();
});

let count = 0;
/** A connection, an invoice of it and a request to tell its supplier. */
async function anInvoice(flow = {}) {
  const owner = anAccountant();
  const made = await service.call('POST', '/invoice-connections', { as: owner, body: { provider: 'afnor', apiKey } });
  count += 1;
  const number = `FA-${count}`;
  const { flow: added } = await platform.addInvoice({ organization, invoice: { number }, flow });
  const request: FeedbackRequested = {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: String(made.body['id']),
    provider: 'afnor',
    external_id: added.flowId,
    link_version: 1,
    outcome: 'taken_in_charge',
    po_ref: null,
    details: noDetails,
    ticket: { id: newId(), number: `T-${count}` },
    key: 'taken_in_charge/0',
    earlier_links: [],
    asked_at: new Date().toISOString(),
  };
  return { request, number };
}

const ask = (request: FeedbackRequested) => service.publish(invoiceFeedbackRequested(request, new Date()));
const settled = ({ invoice_id }: FeedbackRequested): FeedbackSettled[] =>
  service.events(invoiceFeedbackSettled).filter((event) => event.invoice_id === invoice_id);
const results = (request: FeedbackRequested) => settled(request).map(({ outcome, result }) => [outcome, result]);
const jobOf = ({ invoice_id, link_version }: FeedbackRequested) =>
  service.jobs().findOne({ invoiceId: invoice_id, linkVersion: link_version });

/** Messages about the invoice that arrived, oldest first. */
const sent = (number: string) =>
  platform.received().flows.filter(({ file }) => file.toString('utf8').includes(`IssuerAssignedID>${number}<`));
const arrived = (number: string, many: number) => eventually(() => expect(sent(number)).toHaveLength(many));
const status = (version: number, request: FeedbackRequested, outcome: InvoiceStatus): FeedbackRequested => ({
  ...request,
  outcome,
  link_version: version,
  ticket: null,
  key: `${outcome}/${version}`,
});

test('check 17: what the platform took is pending until it accepts it, and nothing counts as failed', async () => {
  const { request, number } = await anInvoice();
  await ask(request);
  await arrived(number, 1);
  // Asked more often than a job may fail.
  const asked = () =>
    platform.received().requests.filter(({ path }) => path.endsWith(`/flows/${sent(number)[0]?.flowId}`));
  await eventually(() => expect(asked().length).toBeGreaterThan(4));
  expect(await jobOf(request)).toMatchObject({ failures: 0, sent: { reference: sent(number)[0]?.flowId } });
  expect(settled(request)).toEqual([]);
  await platform.settle(sent(number)[0]?.flowId ?? '');
  await eventually(() => expect(results(request)).toEqual([['taken_in_charge', 'sent']]));
  expect(sent(number)).toHaveLength(1);
});

test('check 17: a message that the platform refuses after its 202 fails with its reasons; the next attempt has new ids', async () => {
  const { request, number } = await anInvoice();
  await ask(request);
  await arrived(number, 1);
  const details = [{ level: 'Error', item: 'MDT-88', reasonCode: 'InvalidSchema', reasonMessage: 'no such status' }];
  await platform.change(sent(number)[0]?.flowId ?? '', { acknowledgement: { status: 'Error', details } as never });
  const reason = 'the platform refused the message: InvalidSchema: no such status (MDT-88)';
  await eventually(() => expect(settled(request)).toMatchObject([{ result: 'failed', refused: true, reason }]));
  const again = { ...request, link_version: 2, key: 'taken_in_charge/1' };
  await ask(again);
  await arrived(number, 2);
  await platform.settle(sent(number)[1]?.flowId ?? '');
  await eventually(() =>
    expect(results(request)).toEqual([
      ['taken_in_charge', 'failed'],
      ['taken_in_charge', 'sent'],
    ]),
  );
});

test('check 18: a message whose 202 was lost is looked for, and not sent again', async () => {
  const { request, number } = await anInvoice();
  platform.fail({ kind: 'lost', on: '^POST /flow-service/v1/flows$' });
  await ask(request);
  await arrived(number, 1);
  await eventually(async () => expect((await jobOf(request))?.['failures']).toBeGreaterThan(0));
  platform.heal();
  await eventually(async () =>
    expect((await jobOf(request))?.['sent']).toMatchObject({ reference: expect.any(String) }),
  );
  await platform.settle(sent(number)[0]?.flowId ?? '');
  await eventually(() => expect(results(request)).toEqual([['taken_in_charge', 'sent']]));
  expect(sent(number)).toHaveLength(1);
});

test('check 18: a process that dies with a message under way leaves one message, which the next process finds', async () => {
  const { request, number } = await anInvoice();
  platform.fail({ kind: 'lost', on: '^POST /flow-service/v1/flows$' });
  await ask(request);
  await arrived(number, 1);
  // As after a crash: the lease is over, and nobody recorded that the message was sent.
  const crashed = { $set: { dueAt: new Date(), failures: 0, lease: 'of a dead process' }, $unset: { sent: 1 } };
  await service.jobs().updateOne({ invoiceId: request.invoice_id }, crashed as never);
  platform.heal();
  await eventually(async () =>
    expect((await jobOf(request))?.['sent']).toMatchObject({ reference: expect.any(String) }),
  );
  await platform.settle(sent(number)[0]?.flowId ?? '');
  await eventually(() => expect(results(request)).toEqual([['taken_in_charge', 'sent']]));
  expect(sent(number)).toHaveLength(1);
});

test('while the platform cannot be asked, what it took is pending', async () => {
  const { request, number } = await anInvoice();
  await ask(request);
  await eventually(async () => expect((await jobOf(request))?.['sent']).toBeDefined());
  platform.fail({ kind: 'status', status: 503, on: `/flows/${sent(number)[0]?.flowId}` });
  const before = (await jobOf(request))?.['abandonedLeases']?.length ?? 0;
  await eventually(async () => {
    expect((await jobOf(request))?.['abandonedLeases']?.length ?? 0).toBeGreaterThan(before + 4);
  });
  expect([settled(request), (await jobOf(request))?.['failures']]).toEqual([[], 0]);
  platform.heal();
  await platform.settle(sent(number)[0]?.flowId ?? '');
  await eventually(() => expect(results(request)).toEqual([['taken_in_charge', 'sent']]));
});

test('each status is a message of its own, sent once the one before was acknowledged', async () => {
  const { request, number } = await anInvoice();
  const approved = status(2, request, 'approved');
  const details = { ...noDetails, amount: 10, date: '2026-11-20' };
  const paid = { ...status(3, request, 'payment_sent'), details };
  for (const one of [request, approved, paid]) await ask(one);
  for (const [index, code] of ['204', '205', '211'].entries()) {
    await arrived(number, index + 1);
    expect(sent(number)[index]?.file.toString('utf8')).toContain(`<ram:ProcessConditionCode>${code}<`);
    expect(results(request)).toHaveLength(index);
    await platform.settle(sent(number)[index]?.flowId ?? '');
    await eventually(() => expect(results(request)).toHaveLength(index + 1));
  }
  expect(results(request).map(([, result]) => result)).toEqual(['sent', 'sent', 'sent']);
});

test('check 16: of an invoice between countries nothing is sent but a payment', async () => {
  const { request, number } = await anInvoice({ processingRule: 'B2BInt' });
  await ask(request);
  const reason = expect.stringContaining('not sendable');
  await eventually(() => expect(settled(request)).toMatchObject([{ result: 'failed', reason }]));
  expect(sent(number)).toEqual([]);
});

test('check 11: every status is accepted by the platform', async () => {
  const { request, number } = await anInvoice();
  const note = 'It is missing';
  const each: [InvoiceStatus, Partial<typeof noDetails>][] = [
    ['taken_in_charge', {}],
    ['partly_approved', { reason: 'delivery', note, amount: 1, action: 'partial_credit' }],
    ['disputed', { reason: 'quality', note }],
    ['suspended', { reason: 'document_missing', note }],
    ['approved', {}],
    ['payment_sent', { amount: 12.5, date: '2026-11-20' }],
  ];
  platform.set({ acknowledgeAfterMs: 0 });
  for (const [index, [outcome, details]] of each.entries()) {
    await ask({ ...status(index + 1, request, outcome), details: { ...noDetails, ...details } });
  }
  const other = await anInvoice();
  await ask({ ...status(1, other.request, 'refused'), details: { ...noDetails, reason: 'total', note } });
  await eventually(() => expect(results(other.request)).toEqual([['refused', 'sent']]));
  await eventually(() => expect(results(request)).toEqual(each.map(([outcome]) => [outcome, 'sent'])));
  expect(sent(number)).toHaveLength(each.length);
  platform.set({ acknowledgeAfterMs: null });
});
