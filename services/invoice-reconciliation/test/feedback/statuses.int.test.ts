import {
  auditRecorded,
  type FeedbackRequested,
  type FeedbackSettled,
  type InvoiceLineSnapshot,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceLineChanged,
  invoiceStatusReceived,
  purchaseChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture, eventually } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { link, odd, quiet, read, useService, useWorld, type World } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);
const note = 'The pump was not delivered';

/** An invoice in the queue, of a provider that passes everything on. */
const queued = (content: object = {}, given: object = {}) =>
  service.ingest(world.id, { amounts: odd, ...content }, { provider: 'all-statuses', ...given });
/** One on the ticket, of which the supplier was told. */
async function linked(): Promise<Invoice> {
  const invoice = await queued();
  await link(world, invoice._id);
  await service.publish(invoiceFeedbackSettled, resultOf(invoice, 1, 'taken_in_charge'));
  await service.becomes(invoice, { state: 'done' });
  return invoice;
}
const tell = ({ _id }: Invoice, body: object, headers = {}, { client }: Pick<World, 'client'> = world) =>
  client.call('post', `/invoices/${_id}/status`, body, headers);
const statusOf = async ({ _id }: Invoice) => (await read(world, _id)).supplierStatus;
const asked = ({ _id }: Invoice): FeedbackRequested[] =>
  service.eventsOf(_id, invoiceFeedbackRequested).map(({ data }) => data as FeedbackRequested);
const askedBecome = (invoice: Invoice, expected: object[]) =>
  eventually(() => expect(asked(invoice)).toMatchObject(expected));

function resultOf(
  invoice: Invoice,
  link_version: number,
  outcome: FeedbackSettled['outcome'],
  given: Partial<FeedbackSettled> = {},
): FeedbackSettled {
  const { _id: invoice_id, client_id } = invoice;
  const result = given.reason ? ('failed' as const) : ('sent' as const);
  const own = { invoice_id, client_id, link_version, outcome, result, refused: result === 'failed' };
  return { ...eventFixture(invoiceFeedbackSettled).data, ...own, ...given };
}
const settle = (...args: Parameters<typeof resultOf>) => service.publish(invoiceFeedbackSettled, resultOf(...args));

test('a person tells the supplier where the invoice stands; it stands beside the state, pending until it is accepted', async () => {
  const invoice = await linked();
  const { status, data } = await tell(invoice, { status: 'disputed', reason: 'delivery', note, action: 'full_credit' });
  expect([status, data]).toEqual([200, { ok: true }]);
  const details = { reason: 'delivery', note, amount: null, date: null, action: 'full_credit' };
  await askedBecome(invoice, [
    { outcome: 'taken_in_charge', key: 'taken_in_charge/0' },
    { outcome: 'disputed', link_version: 2, details, ticket: null, key: expect.stringMatching(/^disputed\/\d+$/) },
  ]);
  const by = { id: world.client.caller.userId };
  expect(await statusOf(invoice)).toMatchObject({
    current: 'disputed',
    told: [
      { status: 'taken_in_charge', result: 'accepted', by: null },
      { status: 'disputed', result: 'pending', ...details, by, settledAt: null },
    ],
  });
  await settle(invoice, 2, 'disputed');
  await service.becomes(invoice, { state: 'done', link_version: 2 });
  await eventually(async () => expect((await statusOf(invoice)).told[1]).toMatchObject({ result: 'accepted' }));
  const audited = () => service.events.filter(({ type }) => type === auditRecorded.type).map(({ data: one }) => one);
  await eventually(() =>
    expect(audited()).toContainEqual(
      expect.objectContaining({
        action: 'invoice.status_told',
        target: expect.objectContaining({ id: invoice._id }),
        details: expect.objectContaining({
          changes: expect.arrayContaining([
            { field: 'status', before: null, after: 'disputed' },
            { field: 'reason', before: null, after: 'delivery' },
          ]),
        }),
      }),
    ),
  );
});

test('the line on the ticket says what its supplier was told once the provider has accepted it, and nothing of a failure', async () => {
  const invoice = await linked();
  const lines = () =>
    service
      .eventsOf(invoice._id, invoiceLineChanged)
      .map(({ data }) => data as InvoiceLineSnapshot)
      .map(({ version, line }) => [version, line?.supplier_status]);
  await tell(invoice, { status: 'disputed', reason: 'delivery', note });
  await settle(invoice, 2, 'disputed');
  const disputed = { status: 'disputed', reason: 'delivery', note, at: expect.any(String) };
  const told = [
    [1, null],
    [2, disputed],
  ];
  await eventually(() => expect(lines()).toEqual(told));
  await tell(invoice, { status: 'suspended', reason: 'document_missing', note });
  await settle(invoice, 3, 'suspended', { reason: 'the platform refused the message: no such status' });
  await service.becomes(invoice, { flags: expect.arrayContaining(['status_failed']) });
  expect(lines()).toEqual(told);
});

test('the same again changes nothing, nor does a request that is repeated under its key; an outdated one is refused', async () => {
  const invoice = await linked();
  const payment = { status: 'payment_sent', amount: 8.4, date: '2026-11-20' };
  expect((await tell(invoice, payment, { 'if-match': '"0"' })).status).toBe(412);
  const key = { 'idempotency-key': newId() };
  for (const headers of [key, key, {}]) expect((await tell(invoice, payment, headers)).status).toBe(200);
  expect((await tell(invoice, { ...payment, amount: 1 })).status).toBe(200);
  await askedBecome(invoice, [{}, { outcome: 'payment_sent' }, { outcome: 'payment_sent', details: { amount: 1 } }]);
});

test('check 17: what the platform refuses comes back with its reasons, and the next attempt is another message', async () => {
  const invoice = await linked();
  const dispute = { status: 'disputed', reason: 'quality', note };
  await tell(invoice, dispute);
  await settle(invoice, 2, 'disputed', { reason: 'the platform refused the message: no such status' });
  await service.becomes(invoice, { state: 'done', flags: expect.arrayContaining(['status_failed']) });
  const { current, told } = await statusOf(invoice);
  expect([current, told[1]]).toMatchObject([
    'taken_in_charge',
    { result: 'failed', failure: 'the platform refused the message: no such status' },
  ]);
  await tell(invoice, dispute);
  await eventually(() => expect(asked(invoice)).toHaveLength(3));
  expect(asked(invoice)[2]?.key).not.toBe(asked(invoice)[1]?.key);
  expect((await service.invoice(invoice))?.flags).not.toContain('status_failed');
});

test('whoever saw the invoice before the provider answered has seen another version', async () => {
  const invoice = await linked();
  await tell(invoice, { status: 'disputed', reason: 'quality', note });
  const { version = 0 } = (await service.invoice(invoice)) ?? {};
  await settle(invoice, 2, 'disputed', { reason: 'the platform refused the message: no such status' });
  await service.becomes(invoice, { flags: expect.arrayContaining(['status_failed']) });
  const approved = { status: 'approved' };
  expect((await tell(invoice, approved, { 'if-match': `"${version}"` })).status).toBe(412);
  expect((await tell(invoice, approved, { 'if-match': `"${version + 1}"` })).status).toBe(200);
});

test('check 18: what failed without an answer is the same message at the next attempt', async () => {
  const invoice = await linked();
  const dispute = { status: 'disputed', reason: 'quality', note };
  await tell(invoice, dispute);
  await settle(invoice, 2, 'disputed', { reason: 'the provider answered 503', refused: false });
  await service.becomes(invoice, { flags: expect.arrayContaining(['status_failed']) });
  await tell(invoice, dispute);
  await eventually(() => expect(asked(invoice)).toHaveLength(3));
  expect(asked(invoice)[2]?.key).toBe(asked(invoice)[1]?.key);
});

test('check 20: a refused invoice has no link and no further status, and is not reopened; its credit note goes to review', async () => {
  const number = `FA-${newId()}`;
  const invoice = await queued({ number });
  const refusal = { status: 'refused', reason: 'total', note };
  expect((await tell(invoice, refusal)).status).toBe(200);
  await service.becomes(invoice, { state: 'done', conclusion: { outcome: 'refused', code: 'total', reason: note } });
  await askedBecome(invoice, [{ outcome: 'refused', details: { reason: 'total', note } }]);
  for (const result of ['pending', 'accepted']) {
    const { status, data } = await tell(invoice, { status: 'payment_sent', amount: 1, date: '2026-11-20' });
    expect([status, data.code, data.rule]).toEqual([409, 'invoice_status_forbidden', 'final']);
    expect((await link(world, invoice._id)).status).toBe(409);
    const reopened = await world.client.call('post', `/invoices/${invoice._id}/reopen`);
    expect([reopened.status, reopened.data.rule]).toEqual([409, 'final']);
    expect(await statusOf(invoice)).toMatchObject({ current: 'refused', sendable: [], obstacle: 'final' });
    if (result === 'pending') await settle(invoice, 1, 'refused');
    await service.becomes(invoice, { feedback: { result: result === 'pending' ? 'sent' : expect.anything() } });
  }
  const credit = { number: `AV-${number}`, kind: 'credit_note', references: { preceding_invoice: number } };
  expect(await queued(credit)).toMatchObject({ state: 'manual_review', reasons: ['credits_refused'] });
});

test('a refusal that the provider did not take may be told again, and may be taken back', async () => {
  const invoice = await queued();
  await tell(invoice, { status: 'refused', reason: 'total', note });
  await settle(invoice, 1, 'refused', { reason: 'the platform refused the message: closed' });
  await service.becomes(invoice, { flags: expect.arrayContaining(['refusal_failed']) });
  expect((await world.client.call('post', `/invoices/${invoice._id}/reopen`)).status).toBe(200);
  expect((await tell(invoice, { status: 'refused', reason: 'duplicate', note })).status).toBe(200);
  await askedBecome(invoice, [{ outcome: 'refused' }, { outcome: 'refused', details: { reason: 'duplicate' } }]);
});

test('check 13: each status is offered with its reasons, takes no other, and a refusal needs a note', async () => {
  const invoice = await linked();
  const { sendable, obstacle } = await statusOf(invoice);
  const offered = Object.fromEntries(sendable.map((one: { status: string }) => [one.status, one]));
  expect(obstacle).toBeNull();
  // One on a ticket is not refused.
  expect(Object.keys(offered)).toEqual(['approved', 'partly_approved', 'disputed', 'suspended', 'payment_sent']);
  expect(offered['suspended']).toMatchObject({ needs: ['reason', 'note'], takes: [] });
  expect(offered['suspended'].reasons).not.toContain('quality');
  for (const [body, path] of [
    [{ status: 'suspended', reason: 'quality', note }, 'reason'],
    [{ status: 'disputed', reason: 'quality' }, 'note'],
    [{ status: 'payment_sent', amount: 5 }, 'date'],
    [{ status: 'approved', reason: 'quality' }, 'reason'],
    [{ status: 'taken_in_charge' }, 'status'],
  ] as const) {
    const { status, data } = await tell(invoice, body);
    expect([status, data.errors?.map((one: { path: string }) => one.path)]).toEqual([422, [path]]);
  }
  const waiting = await queued();
  expect((await tell(waiting, { status: 'refused', reason: 'total' })).status).toBe(422);
  const early = await tell(waiting, { status: 'approved' });
  expect([early.status, early.data.rule, early.data.error]).toEqual([
    ...[409, 'not_placed', expect.stringContaining('an invoice is approved once it is on a ticket')],
  ]);
});

test('what the rules forbid is refused before anything is asked: an earlier stage, and what the provider does not pass on', async () => {
  const invoice = await linked();
  await tell(invoice, { status: 'payment_sent', amount: 5, date: '2026-11-20' });
  const late = await tell(invoice, { status: 'approved' });
  expect([late.status, late.data.rule]).toEqual([409, 'order']);
  expect((await statusOf(invoice)).sendable.map(({ status }: { status: string }) => status)).toEqual(['payment_sent']);
  const ofSandbox = await service.ingest(world.id, { amounts: odd });
  const deaf = await tell(ofSandbox, { status: 'disputed', reason: 'quality', note });
  expect([deaf.status, deaf.data.rule]).toEqual([409, 'not_heard']);
  const mute = await service.ingest(world.id, { amounts: odd }, { provider: 'mute' });
  expect(await statusOf(mute)).toMatchObject({
    current: null,
    told: [],
    sendable: [],
    obstacle: null,
    suggested: null,
  });
  await eventually(() => expect([asked(invoice).length, asked(ofSandbox), asked(mute)]).toEqual([2, [], []]));
});

/** An invoice on the finished ticket of its order; `received` gives or changes a goods receipt. */
async function ordered() {
  const own = await service.world({ status: 'finished' });
  const content = { references: { purchase_order: own.order } };
  const invoice = await service.ingest(own.id, content, { provider: 'all-statuses' });
  await service.publish(invoiceFeedbackSettled, resultOf(invoice, 1, 'taken_in_charge'));
  await service.becomes(invoice, { state: 'done' });
  const order = own.purchase;
  const receipt = {
    ...order,
    id: newId(),
    kind: 'goods_receipt',
    reference: 'BR-1',
    purchase_order_id: order.id,
  } as const;
  const received = (version: number, amount: number | null) =>
    service.settle(purchaseChanged, { purchase: { ...receipt, version: order.version + version, amount } });
  return { own, invoice, received, standing: async () => (await read(own, invoice._id)).supplierStatus };
}

test('an approval is suggested once the finished ticket, its order and its goods receipt agree; nobody is told by itself', async () => {
  const { own, invoice, received, standing } = await ordered();
  const suggested = async () => (await standing()).suggested;
  expect(await suggested()).toBeNull();
  for (const [version, amount, expected] of [
    [1, null, 'approved'],
    [2, 60, null],
    [3, 100, 'approved'],
  ] as const) {
    await received(version, amount);
    expect([amount, await suggested()]).toEqual([amount, expected]);
  }
  expect(asked(invoice).map(({ outcome }) => outcome)).toEqual(['taken_in_charge']);
  await tell(invoice, { status: 'approved' }, {}, own);
  expect(await suggested()).toBeNull();
});

test.each(['213', '220'])('19: after %s nobody is asked to approve or to pay any more', async (status) => {
  const { own, invoice, received, standing } = await ordered();
  await received(1, null);
  expect(await standing()).toMatchObject({ suggested: 'approved', obstacle: null });
  const { number } = await read(own, invoice._id);
  const about = { client_id: own.id, provider: 'all-statuses', number, supplier_siren: own.contractor.siren };
  const said = { id: `${newId()}/0`, issue_date: '2026-11-12', status, reasons: [], at: '2026-11-20T14:31:09.000Z' };
  await service.settle(invoiceStatusReceived, { ...about, ...said });
  await service.becomes(invoice, { state: 'manual_review', ticket_id: own.ticket.id });
  expect(await standing()).toMatchObject({ suggested: null, sendable: [], obstacle: 'final' });
  const payment = { status: 'payment_sent', amount: 120, date: '2026-11-20' };
  expect((await tell(invoice, payment, {}, own)).data.rule).toBe('final');
});

test('only the accounting of the client tells its supplier, and of its own invoices alone', async () => {
  const invoice = await linked();
  const body = { status: 'approved' };
  const [stranger, colleague] = [service.as(), service.as({ ...world.client.caller, permissions: [] })];
  expect((await tell(invoice, body, {}, { client: stranger })).status).toBe(404);
  expect((await tell(invoice, body, {}, { client: colleague })).status).toBe(403);
  expect((await tell(invoice, body)).status).toBe(200);
});
