import { newId } from '@app/kernel';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, usePurchases } from '../purchase-service.ts';

const service = usePurchases();
let buyer: Client;
let ticket: FakeTicket;

beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
});

const file = 'document';

test.each([
  ['post', 'x/purchases', 'purchase_invalid_ticket_id'],
  ['patch', `x/purchases/${newId()}`, 'purchase_invalid_ticket_id'],
  ['patch', 'x/purchases/y', 'purchase_invalid_ticket_id'],
  ['patch', `${newId()}/purchases/${newId()}0`, 'purchase_invalid_purchase_id'],
  ['delete', `x/purchases/${newId()}`, 'purchase_invalid_ticket_id'],
  ['delete', `${newId()}/purchases/y`, 'purchase_invalid_purchase_id'],
  ['post', `x/purchases/${newId()}/${file}`, 'purchase_invalid_ticket_id'],
  ['post', `${newId()}/purchases/y/${file}`, 'purchase_invalid_purchase_id'],
])('malformed ids: %s %s is 400 %s', async (method, path, code) => {
  expect(outcome(await buyer.call(method, path, {}))).toEqual([400, code]);
});

test.each([
  ['another kind', { kind: 'invoice' }, ['kind']],
  ['an empty reference', { reference: '' }, ['reference']],
  ['a blank reference', { reference: ' \t ' }, ['reference']],
  ['a reference of 101 emoji', { reference: '🔧'.repeat(101) }, ['reference']],
  ['a reference that is a number', { reference: 12 }, ['reference']],
  ['an amount below 0', { amount: -0.01 }, ['amount']],
  ['an amount above 1,000,000,000', { amount: 1_000_000_000.01 }, ['amount']],
  ['an amount in quotes', { amount: '12' }, ['amount']],
  ['a date that is none', { date: 'tomorrow' }, ['date']],
  ['a day that no month has', { date: '2026-02-31' }, ['date']],
  ['a day that no month has, in a long year', { date: '+002026-02-31' }, ['date']],
  ['a timestamp', { date: 1_700_000_000_000 }, ['date']],
  ['a quote_id that is a number', { quote_id: 12 }, ['quote_id']],
  ['a purchase_order_id that is a list', { purchase_order_id: [] }, ['purchase_order_id']],
  ['several faults at once', { kind: 'x', amount: 'y', z: 1 }, ['kind', 'amount', 'z']],
])('a create with %s is 422', async (_what, wrong, paths) => {
  expect(outcome(await buyer.create(ticket.id, wrong))).toEqual([422, paths]);
});

test.each([
  ['a reference of 100 characters', { reference: 'é'.repeat(100) }],
  ['a reference of 100 characters between spaces', { reference: ` ${'y'.repeat(100)} ` }],
  ['a reference of 100 emoji', { reference: '🔧'.repeat(100) }],
  ['a source_system of 50 characters', { source_system: 'x'.repeat(50) }],
  ['a source_system of 50 emoji', { source_system: '🔧'.repeat(50) }],
  ['the amount 0', { amount: 0 }],
  ['the amount 1,000,000,000', { amount: 1_000_000_000 }],
  ['no amount', { amount: null }],
])('a create with %s passes', async (_what, right) => {
  const { status, data } = await buyer.create(ticket.id, right);
  expect([status, data.purchase]).toEqual([201, expect.objectContaining(trimmed(right))]);
});

function trimmed(sent: object): object {
  return 'reference' in sent ? { reference: String(sent.reference).trim() } : sent;
}

test.each([
  ['nothing', {}, ['']],
  ['another kind', { kind: 'goods_receipt', amount: 5 }, ['kind']],
  ['null for the reference', { reference: null }, ['reference']],
  ['null for the date', { date: null }, ['date']],
  ['an amount above 1,000,000,000', { amount: 1_000_000_001 }, ['amount']],
])('a change with %s is 422', async (_what, wrong, paths) => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  expect(outcome(await buyer.patch(ticket.id, id, wrong))).toEqual([422, paths]);
});

describe('a ticket that the caller does not see, or that is removed, is 404', () => {
  test.each([
    ['POST', (id: string) => buyer.create(id, { kind: 'nonsense' })],
    ['PATCH', (id: string) => buyer.patch(id, newId(), {})],
    ['DELETE', (id: string) => buyer.remove(id, newId())],
    ['a file', (id: string) => buyer.attach(id, newId())],
  ])('%s', async (_method, call) => {
    const removed = service.tickets.add(buyer.id, { status: 'removed' }).id;
    for (const id of [newId(), service.tickets.add(newId()).id, removed]) {
      expect(outcome(await call(id))).toEqual([404, 'purchase_ticket_not_found']);
    }
  });
});

// Which statuses those are: purchase-rules.test.ts.
test('a ticket whose status takes no writes takes none: 409, after faults of the body', async () => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  ticket.views.set(buyer.id, { view_id: newId(), role: 'client', state: 'client', status: 'canceled' });
  for (const answer of [
    buyer.create(ticket.id, { quote_id: newId() }),
    buyer.patch(ticket.id, id, { amount: 5, quote_id: newId() }),
    buyer.attach(ticket.id, id),
    buyer.remove(ticket.id, id),
  ]) {
    expect(outcome(await answer)).toEqual([409, 'purchase_ticket_state_forbidden']);
  }
  expect(outcome(await buyer.create(ticket.id, { reference: '' }))).toEqual([422, ['reference']]);
});

test('a contractor may buy too, until its view is declined or canceled', async () => {
  const contractor = service.as({ companyKind: 'contractor' });
  service.tickets.giveTo(ticket, contractor.id);
  ticket.contractor = { contractor_id: newId(), company_id: contractor.id };
  const { status, data } = await contractor.create(ticket.id);
  expect([status, data.purchase.supplier_company_id]).toEqual([201, null]);
  service.tickets.giveTo(ticket, contractor.id, { state: 'canceled' });
  expect(outcome(await contractor.create(ticket.id))).toEqual([409, 'purchase_ticket_state_forbidden']);
});

describe('links', () => {
  test('a quote that is none of the ticket: 422 purchase_quote_not_found', async () => {
    const { id } = (await buyer.create(ticket.id)).data.purchase;
    for (const quote_id of [newId(), 'no id', '', 'x'.repeat(101)]) {
      const refused = [422, 'purchase_quote_not_found'];
      expect(outcome(await buyer.create(ticket.id, { quote_id }))).toEqual(refused);
      expect(outcome(await buyer.patch(ticket.id, id, { quote_id }))).toEqual(refused);
    }
  });

  test.each(['purchase_order', 'purchase_request'] as const)('a %s has no order: 422', async (kind) => {
    const { id } = (await buyer.create(ticket.id, anOrder(kind))).data.purchase;
    const refused = [422, 'purchase_order_link_only_on_goods_receipt'];
    expect(outcome(await buyer.create(ticket.id, { ...anOrder(kind), purchase_order_id: id }))).toEqual(refused);
    expect(outcome(await buyer.patch(ticket.id, id, { purchase_order_id: id }))).toEqual(refused);
    expect((await buyer.patch(ticket.id, id, { purchase_order_id: null })).status).toBe(200);
  });

  test("an order that is not the caller's own on this ticket: 422 purchase_order_not_found", async () => {
    const other = service.tickets.add(buyer.id);
    const elsewhere = (await buyer.create(other.id)).data.purchase.id;
    const request = (await buyer.create(ticket.id, anOrder('purchase_request'))).data.purchase.id;
    const stranger = service.as();
    service.tickets.giveTo(ticket, stranger.id);
    const foreign = (await stranger.create(ticket.id)).data.purchase.id;
    const { id } = (await buyer.create(ticket.id, anOrder('goods_receipt'))).data.purchase;
    for (const purchase_order_id of [elsewhere, request, foreign, newId(), 'no id', '', 'x'.repeat(101)]) {
      const refused = [422, 'purchase_order_not_found'];
      const sent = { ...anOrder('goods_receipt'), purchase_order_id };
      expect(outcome(await buyer.create(ticket.id, sent))).toEqual(refused);
      expect(outcome(await buyer.patch(ticket.id, id, { purchase_order_id }))).toEqual(refused);
    }
  });
});

test('a change to a reference that is taken: 409 purchase_duplicate_reference', async () => {
  await buyer.create(ticket.id, { reference: 'BC-1' });
  const { id } = (await buyer.create(ticket.id, { reference: 'BC-2' })).data.purchase;
  expect(outcome(await buyer.patch(ticket.id, id, { reference: 'BC-1 ' }))).toEqual([
    409,
    'purchase_duplicate_reference',
  ]);
  const request = (await buyer.create(ticket.id, { kind: 'purchase_request', reference: 'BC-2' })).data.purchase.id;
  expect((await buyer.patch(ticket.id, request, { reference: 'BC-1' })).status).toBe(200);
});

describe('who is not the buyer', () => {
  test.each([
    ['an order addressed to it', 'purchase_order', 'supplier', 403, 'purchase_no_access'],
    ['a request', 'purchase_request', 'supplier', 404, 'purchase_not_found'],
    ['a receipt', 'goods_receipt', 'supplier', 404, 'purchase_not_found'],
    ['an order addressed to another', 'purchase_order', 'other', 404, 'purchase_not_found'],
  ] as const)('%s', async (_what, kind, who, status, code) => {
    const companies = { supplier: service.as(), other: service.as() };
    for (const { id } of Object.values(companies)) service.tickets.giveTo(ticket, id);
    ticket.contractor = { contractor_id: newId(), company_id: companies.supplier.id };
    const { id } = (await buyer.create(ticket.id, anOrder(kind))).data.purchase;
    const caller = companies[who];
    for (const call of [
      caller.patch(ticket.id, id, { amount: 1 }),
      caller.remove(ticket.id, id),
      caller.attach(ticket.id, id),
    ]) {
      expect(outcome(await call)).toEqual([status, code]);
    }
    expect((await buyer.patch(ticket.id, id, { amount: 2 })).data.purchase.amount).toBe(2);
  });

  test('a document is not found through another ticket', async () => {
    const other = service.tickets.add(buyer.id);
    const { id } = (await buyer.create(other.id)).data.purchase;
    expect(outcome(await buyer.patch(ticket.id, id, { amount: 1 }))).toEqual([404, 'purchase_not_found']);
  });

  test('the body is checked before the owner of the document', async () => {
    const supplier = service.as();
    service.tickets.giveTo(ticket, supplier.id);
    ticket.contractor = { contractor_id: newId(), company_id: supplier.id };
    const { id } = (await buyer.create(ticket.id)).data.purchase;
    expect(outcome(await supplier.patch(ticket.id, id, { amount: 'x' }))).toEqual([422, ['amount']]);
  });
});
