import { purchaseChanged, ticketPurchaseAdded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, profiled } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, pdf, usePurchases } from '../purchase-service.ts';

const startedAt = Date.now();

const service = usePurchases(() => ({
  now: () => new Date(startedAt + performance.now() / 100),
}));
let buyer: Client;
let ticket: FakeTicket;

beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
});

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const statuses = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const live = () => service.stored({ ticket_id: ticket.id, deleted: false });

/** Documents of the buyer in the first slots of the ticket. */
async function fill(slots: number): Promise<void> {
  const [model] = await service.stored({ _id: (await buyer.create(ticket.id)).data.purchase.id });
  const copies = Array.from({ length: slots - 1 }, (_, n) => ({
    ...model,
    _id: newId(),
    slot: ((model?.slot ?? 0) + n + 1) % 200,
    reference: `R${n}`,
  }));
  await service.connection.collection('purchases').insertMany(copies as never);
}

test.each(['purchase_order', 'goods_receipt'] as const)(
  'of 20 identical creates of a %s at once one is made, and published once',
  async (kind) => {
    const order = (await buyer.create(ticket.id)).data.purchase.id;
    const body = { ...anOrder(kind), ...(kind === 'goods_receipt' ? { purchase_order_id: order } : {}) };
    const answers = await times(20, () => buyer.create(ticket.id, body));
    expect(statuses(answers)).toEqual({ 201: 1, 200: 19 });
    const [id, ...others] = new Set(answers.map(({ data }) => data.purchase.id));
    expect([others, (await live()).length]).toEqual([[], 2]);
    await buyer.patch(ticket.id, id, { amount: 1 });
    await eventually(() => expect(published(purchaseChanged, id)).toHaveLength(2));
    expect(published(ticketPurchaseAdded, id)).toHaveLength(1);
  },
);

test('If-Match: a change, a file or a deletion of the version that was answered, or 412; of two at once one', async () => {
  const body = anOrder();
  const created = await buyer.create(ticket.id, body);
  const path = `${ticket.id}/purchases/${created.data.purchase.id}`;
  const form = () => {
    const sent = new FormData();
    sent.append('file', new Blob([new Uint8Array(pdf.content)]), 'order.pdf');
    return sent;
  };
  const given = { 'If-Match': String(created.headers['etag']) };
  const both = await Promise.all([1, 2].map((amount) => buyer.call('patch', path, { amount }, given)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(both.find(({ status }) => status === 412)?.data.code).toBe('precondition_failed');
  const again = await buyer.create(ticket.id, body);
  const changed = both.find(({ status }) => status === 200);
  expect([again.status, again.headers['etag']]).toEqual([200, changed?.headers['etag']]);

  for (const [method, suffix, sent] of [
    ['patch', '', { purchase_order_id: newId() }],
    ['post', '/document', form()],
    ['delete', '', undefined],
  ] as const) {
    const stale = await buyer.call(method, path + suffix, sent, given);
    expect([method, stale.status]).toEqual([method, 412]);
  }
  expect(await live()).toMatchObject([{ document_id: null, amount: changed?.data.purchase.amount }]);
  const current = { 'If-Match': String(again.headers['etag']) };
  const attached = await buyer.call('post', `${path}/document`, form(), current);
  expect(attached.status).toBe(200);
  expect((await buyer.call('delete', path, undefined, { 'If-Match': String(attached.headers['etag']) })).status).toBe(
    204,
  );
});

test('of 10 receipts for one order at once one is made', async () => {
  const purchase_order_id = (await buyer.create(ticket.id)).data.purchase.id;
  const answers = await times(10, () => buyer.create(ticket.id, { ...anOrder('goods_receipt'), purchase_order_id }));
  expect(statuses(answers)).toEqual({ 201: 1, 409: 9 });
  const refused = answers.filter(({ status }) => status === 409);
  expect(new Set(refused.map(({ data }) => data.code))).toEqual(new Set(['purchase_goods_receipt_already_exists']));
  expect(await live()).toHaveLength(2);
});

test('of 25 documents at once those find a slot that 200 leave; a deletion frees it', async () => {
  await fill(185);
  const answers = await times(25, () => buyer.create(ticket.id));
  expect(statuses(answers)).toEqual({ 201: 15, 422: 10 });
  expect(new Set(answers.map(({ data }) => data.code))).toEqual(new Set([undefined, 'purchase_too_many']));
  expect(new Set((await live()).map(({ slot }) => slot)).size).toBe(200);

  const [kept, gone] = answers.filter(({ status }) => status === 201).map(({ data }) => data.purchase);
  expect((await buyer.create(ticket.id, { reference: kept.reference })).status).toBe(200);
  expect(outcome(await buyer.create(ticket.id))).toEqual([422, 'purchase_too_many']);
  await buyer.remove(ticket.id, gone.id);
  const again = await times(5, () => buyer.create(ticket.id, { reference: gone.reference }));
  expect(statuses(again)).toEqual({ 201: 1, 200: 4 });
  expect(outcome(await buyer.create(ticket.id))).toEqual([422, 'purchase_too_many']);
});

test('the last slot goes to one of many identical creates; none of them fails for lack of a slot', async () => {
  await fill(199);
  const answers = await times(20, () => buyer.create(ticket.id, { reference: 'the last' }));
  expect(statuses(answers)).toEqual({ 201: 1, 200: 19 });
  expect(await live()).toHaveLength(200);
});

test('slots and the document of a key are read alike: what fills the last slot is found by its repetition', async () => {
  await fill(200);
  const operations = await profiled(service, async () => {
    expect(outcome(await buyer.create(ticket.id))).toEqual([422, 'purchase_too_many']);
  });
  const decisive = operations.filter(({ op, command }) => op === 'query' && /slot|reference/.test(command.hint ?? ''));
  expect(decisive.map(({ command: { hint, readConcern } }) => [hint, readConcern?.level])).toEqual([
    ['slot', 'majority'],
    ['reference', 'majority'],
  ]);
});

test("one buyer's slots are not another's", async () => {
  const other = service.as();
  service.tickets.giveTo(ticket, other.id);
  await fill(200);
  expect((await other.create(ticket.id)).status).toBe(201);
  const elsewhere = service.tickets.add(buyer.id);
  expect((await buyer.create(elsewhere.id)).status).toBe(201);
});

test('when companies write at once, each sees the tickets of its own company alone', async () => {
  const other = service.as();
  const theirs = service.tickets.add(other.id);
  const answers = await times(24, (n) => (n % 2 ? buyer : other).create(n % 4 < 2 ? ticket.id : theirs.id));
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_answer, n) => [404, 201, 201, 404][n % 4]));
  const made = answers.flatMap(({ data }) => data.purchase?.id ?? []);
  const pushed = new Set(service.tickets.pushed.map(({ purchase }) => purchase.id));
  expect(made.filter((id) => !pushed.has(id))).toEqual([]);
});

test('parallel changes of one document all count, each with a version of its own', async () => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  const answers = await times(12, (n) => buyer.patch(ticket.id, id, { amount: n + 1 }));
  expect(statuses(answers)).toEqual({ 200: 12 });
  const [stored] = await service.stored({ _id: id });
  expect(stored?.version).toBe(13);
  await eventually(() => {
    const versions = published(purchaseChanged, id).map(({ data }) => data.purchase.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
  });
});

test('of many concurrent deletes one succeeds', async () => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  expect(statuses(await times(10, () => buyer.remove(ticket.id, id)))).toEqual({ 204: 1, 404: 9 });
  expect(await live()).toEqual([]);
});

test('of two concurrent changes to one reference one wins', async () => {
  const both = await times(2, () => buyer.create(ticket.id));
  const answers = await Promise.all(
    both.map(({ data }) => buyer.patch(ticket.id, data.purchase.id, { reference: 'the same' })),
  );
  expect(statuses(answers)).toEqual({ 200: 1, 409: 1 });
});

function published(type: { type: string }, id: string) {
  return service.published(type).filter(({ data }) => (data.purchase ?? data.payload.purchase).id === id);
}
