import type { ProviderClient } from '../../provider.ts';
import { allPages, clientOf, closeReader, feedbackOn, idsIn } from '../fake-provider.ts';
import { type FakePennylane, startFakePennylane } from './fake-pennylane.ts';

const ticket = { id: '0123456789abcdef01234567', number: 'T-1042' };
const dayMs = 24 * 3_600_000;
let fake: FakePennylane;
let client: ProviderClient;
const sendFeedback = (outcome: 'taken_in_charge' | 'reversed', poRef: string | null) =>
  client.sendFeedback(feedbackOn(fake.known, { outcome, ticket, poRef }));

beforeEach(async () => {
  fake = await startFakePennylane();
  client = clientOf(fake);
});
afterEach(() => fake.close());
afterAll(closeReader);

test('the purchase request with the order’s number is linked, once; the reference stays empty', async () => {
  fake.purchaseRequests.push({ id: 9, purchase_order_number: 'PO-77' });
  await sendFeedback('taken_in_charge', 'PO-77');
  await sendFeedback('taken_in_charge', 'PO-77');
  expect(fake.linked.get(4001)).toEqual([8, 9]);
  expect(fake.invoice(fake.known).external_reference).toBeNull();
});

test('of two purchase requests with one number none is linked: the reference says it', async () => {
  fake.purchaseRequests.push({ id: 9, purchase_order_number: 'PO-77' }, { id: 10, purchase_order_number: 'PO-77' });
  await sendFeedback('taken_in_charge', 'PO-77');
  expect(fake.linked.get(4001)).toEqual([8]);
  expect(fake.invoice(fake.known).external_reference).toBe('PO-77');
});

describe('an invoice that moved to another ticket', () => {
  const other = { ticket: { id: 'fedcba9876543210fedcba98', number: 'T-7' }, poRef: 'PO-7' };
  const moved = (outcome: 'taken_in_charge' | 'reversed', poRef: string | null) =>
    client.sendFeedback(feedbackOn(fake.known, { outcome, ticket, poRef, reportedBefore: [other] }));
  const reference = () => fake.invoice(fake.known).external_reference;

  test.each(['T-7', 'PO-7'])('%s is replaced by the new reference, once', async (old) => {
    fake.invoice(fake.known).external_reference = old;
    await moved('taken_in_charge', null);
    await moved('taken_in_charge', null);
    expect(reference()).toBe('T-1042');
    expect(fake.feedbackCount(fake.known, 'taken_in_charge')).toBe(1);
  });

  test('the old reference is removed when the new order is linked, and when the new link is reversed', async () => {
    fake.invoice(fake.known).external_reference = 'T-7';
    await moved('taken_in_charge', 'PO-2026-001');
    expect([reference(), fake.linked.get(4001)]).toEqual([null, [8]]);
    fake.invoice(fake.known).external_reference = 'T-7';
    await moved('reversed', null);
    expect(reference()).toBeNull();
  });

  test('a reference that the accountant wrote meanwhile stays', async () => {
    fake.invoice(fake.known).external_reference = 'the accountant’s own';
    await moved('taken_in_charge', null);
    await moved('reversed', null);
    expect(reference()).toBe('the accountant’s own');
  });
});

test('a key that may not read purchase requests still fetches, and still gives feedback', async () => {
  fake.fail({ kind: 'status', status: 403, on: 'purchase_requests' });
  const { raw, document } = await client.fetchInvoice(fake.known);
  document?.stream.destroy();
  expect(JSON.parse(raw.toString())).toMatchObject({ purchase_requests: [], lines: [{ id: 1 }, { id: 2 }] });
  await sendFeedback('taken_in_charge', 'PO-2026-001');
  expect(fake.invoice(fake.known).external_reference).toBe('PO-2026-001');
});

test('a supplier is read once for many invoices of a client', async () => {
  for (const id of [fake.known, fake.add(1), fake.add(2)]) (await client.fetchInvoice(id)).document?.stream.destroy();
  expect(fake.suppliersRead()).toBe(1);
});

test('the payload has no file addresses, which are secret and change with every request', async () => {
  const source_file_url = `${fake.baseUrl}/files/4001?signature=once`;
  Object.assign(fake.invoice(fake.known), { e_invoicing: { status: 'submitted', source_file_url } });
  const { raw, document } = await client.fetchInvoice(fake.known);
  document?.stream.destroy();
  expect(raw.toString()).not.toMatch(/_file_url|signature=/);
  expect(JSON.parse(raw.toString())).toMatchObject({ invoice: { e_invoicing: { status: 'submitted' } } });
});

test.each([
  ['is gone', { kind: 'status', status: 404, on: '/files/' }],
  ['has expired', { kind: 'status', status: 403, on: '/files/' }],
  ['leads to another host', { kind: 'redirect', to: 'http://localhost:1/', on: '/files/' }],
] as const)('a file whose link %s leaves the invoice without one', async (_name, fault) => {
  fake.fail(fault);
  expect((await client.fetchInvoice(fake.known)).document).toBeNull();
});

test('a file server that is down is a transient error', async () => {
  fake.fail({ kind: 'status', status: 503, on: '/files/' });
  await expect(client.fetchInvoice(fake.known)).rejects.toMatchObject({ kind: 'transient' });
});

test('a poll older than the changelog reaches lists the invoices themselves, then the changelog', async () => {
  const added = Array.from({ length: 150 }, (_, number) => fake.add(number));
  const since = new Date(Date.now() - 60 * dayMs);
  const pages = await allPages(client, since);
  const kinds = pages.map(({ watermark }) => (watermark === null ? 'list' : 'log'));
  expect(kinds).toEqual(['list', 'list', 'log']);
  expect(idsIn(pages).sort()).toEqual([fake.known, ...added].sort());
});
