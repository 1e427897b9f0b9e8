import { purchaseChanged, ticketPurchaseAdded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import type { Purchase } from '../../purchases/purchase.ts';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, usePurchases } from '../purchase-service.ts';

const service = usePurchases();
let buyer: Client;
let ticket: FakeTicket;

beforeEach(() => {
  buyer = service.as({ via: 'token' });
  ticket = service.tickets.add(buyer.id);
});

test('a document is read as it was sent, with what the platform adds', async () => {
  const quote = newId();
  ticket.quoteIds.push(quote);
  const supplier = newId();
  const contractor_id = newId();
  ticket.contractor = { contractor_id, company_id: supplier };
  const sent = {
    kind: 'purchase_order',
    reference: '  BC-2026-0042 ',
    source_system: 'SAP',
    quote_id: quote.toUpperCase(),
    date: '2026-11-20',
    amount: 1284.5,
    includes_vat: true,
  };
  const { status, data } = await buyer.create(ticket.id, sent);
  const { purchase } = data;
  expect([status, data.created]).toEqual([201, true]);
  expect(purchase).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    ticket_id: ticket.id,
    kind: 'purchase_order',
    buyer_company_id: buyer.id,
    supplier_company_id: supplier,
    supplier_contractor_id: contractor_id,
    reference: 'BC-2026-0042',
    source_system: 'SAP',
    quote_id: quote,
    purchase_order_id: null,
    date: '2026-11-20T00:00:00.000Z',
    amount: 1284.5,
    includes_vat: true,
    document_id: null,
    from_api: true,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    updated_at: purchase.created_at,
    created_by: buyer.caller.userId,
    updated_by: buyer.caller.userId,
    editable: true,
  });
});

test('a repeated creation gives what is there now, under its first Idempotency-Key as well', async () => {
  const [key, body] = [newId(), anOrder()];
  const create = (given: object = body) =>
    buyer.call('post', `${ticket.id}/purchases`, given, { 'idempotency-key': key });
  const { id } = (await create()).data.purchase;
  await buyer.patch(ticket.id, id, { amount: 7 });
  const repeated = await create();
  expect([repeated.status, repeated.data]).toMatchObject([200, { created: false, purchase: { id, amount: 7 } }]);
  expect(outcome(await create(anOrder()))).toEqual([422, 'idempotency_key_reused']);
  await buyer.remove(ticket.id, id);
  const anew = await create();
  expect([anew.status, anew.data.created, anew.data.purchase.id === id]).toEqual([201, true, false]);
});

test('with only kind and reference the rest is null, and the date is that of its creation', async () => {
  const { data } = await service
    .as({ companyId: buyer.id, via: 'session' })
    .create(ticket.id, anOrder('goods_receipt'));
  const { date, created_at, from_api, ...rest } = data.purchase;
  expect([date, from_api]).toEqual([created_at, false]);
  expect(rest).toMatchObject({
    source_system: null,
    quote_id: null,
    purchase_order_id: null,
    amount: null,
    includes_vat: false,
  });
});

test.each([0, 0.1, 0.07, 1234.56, 999999999.99, 1_000_000_000, 1e-7, 19.99])(
  'the amount %d keeps every digit',
  async (amount) => {
    const { data } = await buyer.create(ticket.id, { amount });
    expect(data.purchase.amount).toBe(amount);
    const again = await buyer.patch(ticket.id, data.purchase.id, { amount: null });
    expect(again.data.purchase.amount).toBeNull();
    const back = await buyer.patch(ticket.id, data.purchase.id, { amount });
    expect(back.data.purchase.amount).toBe(amount);
  },
);

test('the same kind and reference is the same document, whatever else is sent and however the ticket stands', async () => {
  const first = await buyer.create(ticket.id, { reference: 'BC-1', amount: 5 });
  ticket.views.set(buyer.id, { view_id: newId(), role: 'client', state: 'client', status: 'canceled' });
  const again = await buyer.create(ticket.id, {
    reference: ' BC-1 ',
    amount: 7,
    quote_id: newId(),
    purchase_order_id: newId(),
  });
  expect([again.status, again.data.created]).toEqual([200, false]);
  expect(again.data.purchase).toEqual({ ...first.data.purchase, editable: false });
});

test.each([
  ['another case', { reference: 'bc-1' }],
  ['another kind', { kind: 'purchase_request' }],
  ['a space within', { reference: 'BC -1' }],
])('%s makes another document', async (_what, other) => {
  await buyer.create(ticket.id, { reference: 'BC-1' });
  expect((await buyer.create(ticket.id, { reference: 'BC-1', ...other })).status).toBe(201);
});

test.each(['purchase_request', 'purchase_order', 'goods_receipt'])(
  'a %s may be sent back whole, its own kind and what is null included',
  async (kind) => {
    const sent = {
      ...anOrder(),
      kind,
      source_system: null,
      quote_id: null,
      purchase_order_id: null,
      amount: null,
      includes_vat: false,
    };
    const { status, data } = await buyer.create(ticket.id, sent);
    expect([status, data.purchase]).toMatchObject([201, sent]);
    const again = await buyer.patch(ticket.id, data.purchase.id, { ...sent, date: data.purchase.date });
    expect([again.status, again.data.purchase]).toMatchObject([200, sent]);
    expect((await buyer.patch(ticket.id, data.purchase.id, { kind })).status).toBe(200);
  },
);

test('a change writes only the fields sent, publishes and pushes them', async () => {
  const { data } = await buyer.create(ticket.id, { source_system: 'SAP', amount: 3 });
  const { id, created_at } = data.purchase;
  const colleague = service.as({ companyId: buyer.id });
  const sent = { reference: 'BC-9', source_system: null, date: '2026-01-31T10:00:00+02:00' };
  const { status, data: changed } = await colleague.patch(ticket.id, id, sent);
  expect(status).toBe(200);
  expect(changed.purchase).toMatchObject({
    ...data.purchase,
    ...sent,
    date: '2026-01-31T08:00:00.000Z',
    created_at,
    updated_at: changed.purchase.updated_at,
    updated_by: colleague.caller.userId,
  });
  expect(service.tickets.pushed.at(-1)?.purchase).toMatchObject({ id, version: 2, reference: 'BC-9' });
  await eventually(() => expect(versionsTold(id)).toEqual([1, 2]));
});

test('whether the amount includes VAT is changed alone, is no text, and is told with the document', async () => {
  const { data } = await buyer.create(ticket.id, { amount: 3 });
  const { id } = data.purchase;
  const changed = await buyer.patch(ticket.id, id, { includes_vat: true });
  expect(changed.data.purchase).toMatchObject({ amount: 3, includes_vat: true });
  expect(service.tickets.pushed.at(-1)?.purchase).toMatchObject({ id, version: 2, includes_vat: true });
  expect((await buyer.patch(ticket.id, id, { includes_vat: 'true' })).status).toBe(422);
});

test('a change that changes nothing keeps its time and publishes nothing', async () => {
  const { data } = await buyer.create(ticket.id, { amount: 3, date: '2026-11-20', source_system: 'SAP' });
  const { id, reference } = data.purchase;
  const same = {
    kind: 'purchase_order',
    reference: ` ${reference} `,
    purchase_order_id: null,
    amount: 3,
    date: '2026-11-20T00:00:00Z',
    source_system: 'SAP',
    quote_id: null,
    includes_vat: false,
  };
  const { status, data: unchanged } = await service.as({ companyId: buyer.id }).patch(ticket.id, id, same);
  expect([status, unchanged]).toEqual([200, { purchase: data.purchase }]);
  await buyer.patch(ticket.id, id, { amount: 4 });
  await eventually(() => expect(versionsTold(id)).toEqual([1, 2]));
});

test.each(['create', 'change'] as const)(
  'a %s that repeats the write of a crashed process pushes it once, however long ago that was',
  async (what) => {
    const [model] = await service.stored({ _id: (await buyer.create(ticket.id)).data.purchase.id });
    const { kind, reference } = anOrder();
    const updated_at = new Date(Date.now() - 3_600_000);
    const left = {
      ...(model as Purchase),
      _id: newId(),
      reference,
      slot: (model as Purchase).slot + 200,
      updated_at,
    };
    await service.connection.collection('purchases').insertOne(left as never);
    service.tickets.pushed.length = 0;
    for (let twice = 0; twice < 2; twice++) {
      const { status } = await (what === 'create'
        ? buyer.create(ticket.id, { kind, reference })
        : buyer.patch(ticket.id, left._id, { reference }));
      expect(status).toBe(200);
    }
    expect(service.tickets.pushed.map(({ purchase }) => purchase.id)).toEqual([left._id]);
  },
);

test.each(['create', 'change'] as const)('a %s that repeats what was pushed makes no second call', async (what) => {
  const { kind, reference } = anOrder();
  const { id } = (await buyer.create(ticket.id, { kind, reference })).data.purchase;
  service.tickets.pushed.length = 0;
  const again =
    what === 'create' ? buyer.create(ticket.id, { kind, reference }) : buyer.patch(ticket.id, id, { reference });
  expect((await again).status).toBe(200);
  expect(service.tickets.pushed).toEqual([]);
});

test('a deleted document is gone for its buyer, and its reference can be used again', async () => {
  const { data } = await buyer.create(ticket.id, { reference: 'BC-1' });
  const { id } = data.purchase;
  const { status, data: body } = await buyer.remove(ticket.id, id);
  expect([status, body]).toEqual([204, '']);
  expect(service.tickets.pushed.at(-1)?.purchase).toMatchObject({ id, version: 2, deleted: true });
  expect(outcome(await buyer.remove(ticket.id, id))).toEqual([404, 'purchase_not_found']);
  expect(outcome(await buyer.patch(ticket.id, id, { amount: 1 }))).toEqual([404, 'purchase_not_found']);
  expect(outcome(await buyer.attach(ticket.id, id))).toEqual([404, 'purchase_not_found']);
  const again = await buyer.create(ticket.id, { reference: 'BC-1' });
  expect([again.status, again.data.purchase.id === id]).toEqual([201, false]);
  await eventually(() => expect(versionsTold(id)).toEqual([1, 2]));
});

test('a deleted order keeps its receipt, and takes no other', async () => {
  const order = (await buyer.create(ticket.id)).data.purchase.id;
  const receipt = { ...anOrder('goods_receipt'), purchase_order_id: order };
  const { data } = await buyer.create(ticket.id, receipt);
  await buyer.remove(ticket.id, order);
  const kept = await buyer.patch(ticket.id, data.purchase.id, { amount: 5, purchase_order_id: order });
  expect([kept.status, kept.data.purchase.purchase_order_id]).toEqual([200, order]);
  await buyer.remove(ticket.id, data.purchase.id);
  expect(outcome(await buyer.create(ticket.id, receipt))).toEqual([422, 'purchase_order_not_found']);
});

test('a receipt that is unlinked or deleted leaves its order to another', async () => {
  const order = (await buyer.create(ticket.id)).data.purchase.id;
  const receipt = () => ({ ...anOrder('goods_receipt'), purchase_order_id: order });
  const first = (await buyer.create(ticket.id, receipt())).data.purchase.id;
  expect(outcome(await buyer.create(ticket.id, receipt()))).toEqual([409, 'purchase_goods_receipt_already_exists']);
  await buyer.patch(ticket.id, first, { purchase_order_id: null });
  const second = await buyer.create(ticket.id, receipt());
  expect(second.status).toBe(201);
  const taken = await buyer.patch(ticket.id, first, { purchase_order_id: order });
  expect(outcome(taken)).toEqual([409, 'purchase_goods_receipt_already_exists']);
  await buyer.remove(ticket.id, second.data.purchase.id);
  expect((await buyer.patch(ticket.id, first, { purchase_order_id: order })).status).toBe(200);
});

test.each([
  ['purchase_order', true],
  ['purchase_request', false],
  ['goods_receipt', false],
] as const)('%s: its buyer gets an event, its supplier: %s', async (kind, supplierGetsEvent) => {
  const supplier = newId();
  ticket.contractor = { contractor_id: newId(), company_id: supplier };
  const { data } = await buyer.create(ticket.id, anOrder(kind));
  const { editable, updated_at, updated_by, created_by, from_api, document_id, ticket_id, ...published } =
    data.purchase;
  const [event] = await eventually(() => {
    const events = service
      .published(ticketPurchaseAdded)
      .filter(({ data }) => data.payload.purchase.id === published.id);
    expect(events).toHaveLength(1);
    return events;
  });
  expect(event?.data).toEqual({
    audience: supplierGetsEvent ? [buyer.id, supplier] : [buyer.id],
    payload: { ticket: { id: ticket.id, number: 'T-000042', title: 'Chambre froide' }, purchase: published },
  });
});

test('a document is published after the earlier events of its ticket, though the clock of tickets is ahead', async () => {
  ticket.updatedAt = new Date(Date.now() + 3_600_000).toISOString();
  const { status, data } = await buyer.create(ticket.id, anOrder());
  expect([status, data.purchase.created_at > ticket.updatedAt]).toEqual([201, true]);
  await eventually(() => {
    const published = service.published(ticketPurchaseAdded).filter(({ subject }) => subject === ticket.id);
    expect(published.map(({ time }) => time)).toEqual([data.purchase.created_at]);
  });
});

function versionsTold(id: string): number[] {
  const published = service.published(purchaseChanged).filter(({ data }) => data.purchase.id === id);
  return published.map(({ data }) => data.purchase.version).sort();
}
