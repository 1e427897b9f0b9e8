import { invoiceLineChanged, type NewEvent, type PurchaseSnapshot, purchaseChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, profiled } from '@app/testing';
import { aLine } from '../invoices/fixtures.ts';
import {
  type Client,
  idOf,
  newTicket as newTicketPath,
  outcome,
  ticketOfTwo,
  tickets,
  usePlatform,
} from '../platform.ts';
import { aPurchase, withFile } from './fixtures.ts';

const platform = usePlatform();

const path = (ticket: string) => `${tickets}/${ticket}`;
const contexts = (client: Client, ...ticket_ids: string[]) =>
  client.post('/internal/purchase-contexts', { ticket_ids });
const contextOf = async (client: Client, ticket: string) => (await contexts(client, ticket)).data.contexts[0];

const newTicket = async (client: Client) => idOf(await newTicketPath(client));

/** A ticket of a client whose contractor is `winner`, with `loser` asked and not chosen. */
async function assigned() {
  const { client, a: winner, b: loser, ticket, path } = await ticketOfTwo(platform);
  await winner.post(`${path}/accept`);
  const parties = { ticket, buyer: client.caller.companyId, supplier: winner.caller.companyId };
  return { client, winner, loser, ticket, parties };
}

const push = (client: Client, purchase: PurchaseSnapshot, more: object = {}) =>
  client.put('/internal/purchases', { purchases: [{ purchase, ...more }] });
const publish = (...events: NewEvent[]) => platform.broker.publish(toCloudEvents('purchase', events));
const changed = (purchase: PurchaseSnapshot) => purchaseChanged({ purchase }, new Date(), purchase.id);

async function shown(client: Client, ticket: string): Promise<{ _id: string; [key: string]: unknown }[]> {
  const read = (await client.get(path(ticket))).data.purchases;
  const list = (await client.get(`${tickets}?limit=200`)).data.tickets;
  expect(list.find(({ _id }: { _id: string }) => _id === ticket).purchases).toEqual(read);
  return read;
}

describe('the context of a purchase write', () => {
  test('is the ticket as the caller sees it, with the contractor of the ticket and its quotes', async () => {
    const { client, winner, loser, ticket } = await assigned();
    const quote = (await winner.upload(`${path(ticket)}/quotes`, { reference: 'D-1', price: '10' })).data.quote._id;
    const { data } = await client.get(path(ticket));
    const views = Object.fromEntries(data.views.map((view: { company_id: string }) => [view.company_id, view]));
    const expected = {
      ticket: { id: ticket, number: data.number, title: 'Leak in the hall' },
      version: expect.any(Number),
      updated_at: data.updated_at,
      client_id: client.caller.companyId,
      own: { view_id: views[client.caller.companyId]._id, role: 'client', state: 'client', status: 'validation' },
      contractor: { contractor_id: winner.id, company_id: winner.caller.companyId },
      quote_ids: [quote],
    };
    const stranger = await newTicket(platform.as());
    const seen = await contexts(client, ticket, stranger, newId(), ticket);
    expect([seen.status, seen.data]).toEqual([200, { contexts: [expected, null, null, expected] }]);
    const own = { view_id: views[winner.caller.companyId]._id, role: 'contractor', state: 'active' };
    expect(await contextOf(winner, ticket)).toEqual({ ...expected, own: { ...own, status: 'validation' } });
    expect(await contextOf(loser, ticket)).toMatchObject({
      own: { role: 'contractor', state: 'canceled', status: 'canceled' },
      contractor: null,
      quote_ids: [],
    });
  });

  test('has the quotes of the present contractor alone: an order on that of the one before would go to another supplier', async () => {
    const { client, winner, loser, ticket } = await assigned();
    const add = async (by: typeof winner) =>
      (await by.upload(`${path(ticket)}/quotes`, { reference: 'D', price: '10' })).data.quote._id;
    const former = await add(winner);
    await client.put(`${path(ticket)}/quotes/${former}/validate`);
    await client.post(`${path(ticket)}/assign`, { contractor_id: loser.id });
    const present = await add(loser);
    expect(await contextOf(client, ticket)).toMatchObject({ quote_ids: [present] });
    expect(await contextOf(winner, ticket)).toMatchObject({ quote_ids: [] });
  });

  test('is null for a caller who does not see the ticket, and for contractors of a removed one', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const ticket = await newTicket(client);
    for (const stranger of [platform.as(), contractor]) expect(await contextOf(stranger, ticket)).toBeNull();
    await client.post(`${path(ticket)}/propose`, { contractor_ids: [contractor.id] });
    expect(await contextOf(contractor, ticket)).not.toBeNull();
    await contractor.post(`${path(ticket)}/decline`);
    await client.post(`${path(ticket)}/remove`);
    expect(await contextOf(contractor, ticket)).toBeNull();
    expect((await contextOf(client, ticket)).own.status).toBe('removed');
  });
});

describe('purchases[] of a ticket', () => {
  test('shows what was pushed at once, with every field and the amounts as sent', async () => {
    const { client, winner, loser, ticket, parties } = await assigned();
    expect(await shown(client, ticket)).toEqual([]);
    const amounts = [0.1, 1234.56, 999999999.99, 0, null];
    const purchases = amounts.map((amount, index) =>
      aPurchase(parties, { amount, includes_vat: true, reference: `BC-${index}` }),
    );
    for (const purchase of purchases) expect((await push(client, purchase)).status).toBe(200);
    const seen = await shown(client, ticket);
    expect(seen.map(({ amount }) => amount)).toEqual(amounts);
    const { id, version, deleted, ...fields } = purchases[0] as PurchaseSnapshot;
    expect(seen[0]).toEqual({ ...fields, _id: id, editable: true, source: 'api' });
    expect(await shown(winner, ticket)).toEqual(seen.map((purchase) => ({ ...purchase, editable: false })));
    expect(await shown(loser, ticket)).toEqual([]);
  });

  test('requests and receipts stay with the buyer, whoever the supplier is; source distinguishes application and API', async () => {
    const { client, winner, ticket, parties } = await assigned();
    for (const kind of ['purchase_request', 'goods_receipt'] as const)
      await push(client, aPurchase(parties, { kind, from_api: false }));
    expect((await shown(client, ticket)).map(({ source }) => source)).toEqual(['app', 'app']);
    expect(await shown(winner, ticket)).toEqual([]);
  });

  test('an older version never overwrites a newer one, whether pushed or published; a deletion is a version too', async () => {
    const { client, ticket, parties } = await assigned();
    const first = aPurchase(parties);
    const third = { ...first, version: 3, reference: 'BC-3' };
    await push(client, third);
    await push(client, { ...first, version: 2, reference: 'BC-2' });
    await publish(changed(first), changed({ ...first, version: 4, reference: 'BC-4' }));
    await eventually(async () => expect((await shown(client, ticket))[0]).toMatchObject({ reference: 'BC-4' }));
    await push(client, { ...first, version: 5, deleted: true });
    expect(await shown(client, ticket)).toEqual([]);
    await publish(changed({ ...first, version: 4, reference: 'BC-4' }));
    const other = aPurchase(parties, { reference: 'last' });
    await publish(changed(other));
    await eventually(async () => expect((await shown(client, ticket)).map(({ _id }) => _id)).toEqual([other.id]));
  });

  test('twenty versions at once, pushed and published: the newest stays, and is there once', async () => {
    const { client, ticket, parties } = await assigned();
    const first = aPurchase(parties);
    const versions = Array.from({ length: 20 }, (_, n) => ({ ...first, version: n + 1, reference: `v${n + 1}` }));
    const mixed = versions.map((purchase, index) => versions[(index * 7) % 20] ?? purchase);
    const answers = await Promise.all([
      ...mixed.map(async (purchase) => (await push(client, purchase)).status),
      publish(...mixed.map(changed)).then(() => 200),
    ]);
    expect(new Set(answers)).toEqual(new Set([200]));
    await eventually(async () =>
      expect((await shown(client, ticket)).map(({ reference }) => reference)).toEqual(['v20']),
    );
  });

  test('shows an order to its contractor, whose account was linked after the ticket went on', async () => {
    const client = platform.as();
    const late = platform.as({ companyKind: 'contractor' });
    const { companyId: id } = late.caller;
    const entry = (await client.post('/api/v3.0/contractors', { name: 'Late' })).data._id;
    const ticket = await newTicket(client);
    await client.post(`${path(ticket)}/assign`, { contractor_id: entry });
    const order = aPurchase({ ticket, buyer: client.caller.companyId });
    await push(client, order);
    await client.post(`${path(ticket)}/assign`, { contractor_id: (await platform.contractorOf(client)).id });
    expect((await client.patch(`/api/v3.0/contractors/${entry}`, { company_id: id })).status).toBe(200);
    expect((await late.put(`/api/v3.0/clients/requests/${entry}`)).status).toBe(204);
    await publish(changed({ ...order, version: 3, supplier_company_id: id }));
    await eventually(async () =>
      expect((await late.get(path(ticket))).data).toMatchObject({ status: 'canceled', purchases: [{ _id: order.id }] }),
    );
  });

  test('is editable for the buyer while its own view allows purchase writes', async () => {
    const { client, ticket, parties } = await assigned();
    await push(client, aPurchase(parties));
    const editable = async () => (await shown(client, ticket))[0]?.['editable'];
    expect(await editable()).toBe(true);
    await client.put(`${path(ticket)}/cancel`);
    expect(await editable()).toBe(false);
    await client.post(`${path(ticket)}/open`);
    expect(await editable()).toBe(true);
  });

  test('a purchase document advances updated_at of its ticket, and nothing else', async () => {
    const { client, ticket, parties } = await assigned();
    const before = (await client.get(path(ticket))).data;
    const { version } = await contextOf(client, ticket);
    await push(client, aPurchase(parties));
    const after = (await client.get(path(ticket))).data;
    expect({ ...after, purchases: [], updated_at: before.updated_at }).toEqual(before);
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect((await contextOf(client, ticket)).version).toBe(version);
  });
});

describe('a push', () => {
  test("is refused if it is malformed or another company's; the other documents pushed with it are kept", async () => {
    const { client, winner, ticket, parties } = await assigned();
    const [purchase, other] = [aPurchase(parties), aPurchase(parties)];
    const { document } = withFile(purchase);
    const rows: [string, unknown[], string][] = [
      ['nothing', [], 'purchases'],
      ['no document', [{}], 'purchases.0.purchase'],
      ['no amount', [{ purchase: other }, { purchase: { ...purchase, amount: '12' } }], 'purchases.1.purchase.amount'],
      [
        'the file of another',
        [{ purchase: other }, { purchase, document: { ...document, purchase_id: newId() } }],
        'purchases.1.document.purchase_id',
      ],
    ];
    for (const [name, purchases, fault] of rows) {
      const answer = await client.put('/internal/purchases', { purchases });
      expect([name, outcome(answer)]).toEqual([name, [422, [fault]]]);
    }
    expect(await shown(client, ticket)).toEqual([]);
    const hand = async (by: Client, ...all: PurchaseSnapshot[]) =>
      (await by.put('/internal/purchases', { purchases: all.map((one) => ({ purchase: one })) })).data;
    expect(await hand(platform.as(), purchase)).toEqual({ kept: [false] });
    expect(await hand(winner, purchase)).toEqual({ kept: [false] });
    expect(await shown(client, ticket)).toEqual([]);
    expect(await hand(client, { ...purchase, ticket_id: newId() }, other)).toEqual({ kept: [false, true] });
    expect((await shown(client, ticket)).map(({ _id }) => _id)).toEqual([other.id]);
  });

  test("of another company's document under its own name changes nothing", async () => {
    const { client, ticket, parties } = await assigned();
    const purchase = aPurchase(parties);
    await push(client, purchase);
    const thief = platform.as();
    const own = await newTicket(thief);
    const claimed = { ...purchase, ticket_id: own, buyer_company_id: thief.caller.companyId, version: 9 };
    await push(thief, claimed);
    expect((await shown(client, ticket)).map(({ _id }) => _id)).toEqual([purchase.id]);
    expect(await shown(thief, own)).toEqual([]);
  });
});

test('what an acknowledged push or event wrote is read from the majority: no election rolls it back', async () => {
  const client = platform.as();
  const ticket = await newTicket(client);
  const [view] = (await client.get(path(ticket))).data.views;
  const parties = { ticket, buyer: client.caller.companyId };
  const [pushed, published] = [aPurchase(parties), aPurchase(parties)];
  const on = { client: client.caller.companyId, ticket, view: view._id };
  const [pushedLine, publishedLine] = [aLine(on), aLine(on)];
  const operations = await profiled(platform, async () => {
    await push(client, pushed);
    await client.put(`/internal/tickets/${ticket}/invoice-lines/${pushedLine.invoice_id}`, pushedLine);
    const at = new Date();
    await publish(changed(published));
    await platform.broker.publish(
      toCloudEvents('invoice-reconciliation', [invoiceLineChanged(publishedLine, at, publishedLine.invoice_id)]),
    );
    await eventually(async () => {
      const { purchases, invoices } = (await client.get(path(ticket))).data;
      expect([purchases.length, invoices.length]).toEqual([2, 2]);
    });
  });
  // Without the reads that show tickets, which have an index or a projection of their own, and the sweep of the outbox.
  const acknowledging = operations.filter(
    ({ op, ns, command: { projection = {}, hint } }) =>
      op === 'query' &&
      ((ns.endsWith('.tickets') && projection['has_purchases'] === 1) ||
        (/\.(purchase_projections|invoice_lines)$/.test(ns) && hint !== 'shown' && hint !== 'outbox')),
  );
  expect(acknowledging.length).toBeGreaterThanOrEqual(5);
  expect(acknowledging.filter(({ command }) => command.readConcern?.level !== 'majority')).toEqual([]);
});
