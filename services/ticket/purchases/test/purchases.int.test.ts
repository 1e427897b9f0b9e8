import { type NewEvent, type PurchaseFacts, purchaseChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { seal } from '@app/messaging';
import { eventually } from '@app/testing';
import { type Client, type Platform, startPlatform } from '../../test/platform.ts';
import { aPurchase } from './fixtures.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const path = (ticket: string) => `/api/v3.0/tickets/${ticket}`;
const context = (ticket: string) => `/internal/tickets/${ticket}/purchase-context`;

async function newTicket(client: Client): Promise<string> {
  return (await client.post('/api/v3.0/tickets', { title: 'Leak' })).data.ticket_id;
}

/** A ticket of a client whose contractor is `winner`, with `loser` asked and not chosen. */
async function assigned() {
  const client = platform.as();
  const [winner, loser] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  const ticket = await newTicket(client);
  await client.post(`${path(ticket)}/propose`, { contractor_ids: [winner.id, loser.id] });
  await winner.post(`${path(ticket)}/accept`);
  const parties = { ticket, buyer: client.caller.companyId, supplier: winner.caller.companyId };
  return { client, winner, loser, ticket, parties };
}

const handOver = (client: Client, purchase: PurchaseFacts, more: object = {}) =>
  client.put(`/internal/tickets/${purchase.ticket_id}/purchases/${purchase.id}`, { purchase, ...more });
const tell = (...events: NewEvent[]) => platform.broker.publish(seal('purchase', events));
const changed = (purchase: PurchaseFacts) => purchaseChanged({ purchase }, new Date(), purchase.id);

async function shown(client: Client, ticket: string): Promise<{ _id: string; [key: string]: unknown }[]> {
  const read = (await client.get(path(ticket))).data.purchases;
  const { tickets } = (await client.get('/api/v3.0/tickets?limit=200')).data;
  expect(tickets.find(({ _id }: { _id: string }) => _id === ticket).purchases).toEqual(read);
  return read;
}

describe('the context of a purchase write', () => {
  test('is the ticket as the caller sees it, with the contractor of the ticket and its quotes', async () => {
    const { client, winner, loser, ticket } = await assigned();
    const quote = (await winner.upload(`${path(ticket)}/quotes`, { reference: 'D-1', price: '10' })).data.quote._id;
    const { data } = await client.get(path(ticket));
    const views = Object.fromEntries(data.views.map((view: { company_id: string }) => [view.company_id, view]));
    const expected = {
      ticket: { id: ticket, number: data.number, title: 'Leak' },
      version: expect.any(Number),
      client_id: client.caller.companyId,
      own: { view_id: views[client.caller.companyId]._id, role: 'client', state: 'client', status: 'validation' },
      contractor: { contractor_id: winner.id, company_id: winner.caller.companyId },
      quote_ids: [quote],
    };
    const seen = await client.get(context(ticket));
    expect([seen.status, seen.data]).toEqual([200, expected]);
    const own = { view_id: views[winner.caller.companyId]._id, role: 'contractor', state: 'active' };
    expect((await winner.get(context(ticket))).data).toEqual({ ...expected, own: { ...own, status: 'validation' } });
    expect((await loser.get(context(ticket))).data).toMatchObject({
      own: { role: 'contractor', state: 'canceled', status: 'canceled' },
      contractor: null,
      quote_ids: [],
    });
  });

  test('is 404 for whoever does not see the ticket, a removed one for its contractors', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const ticket = await newTicket(client);
    for (const stranger of [platform.as(), contractor]) {
      const { status, data } = await stranger.get(context(ticket));
      expect([status, data.code]).toEqual([404, 'ticket_not_found']);
    }
    await client.post(`${path(ticket)}/propose`, { contractor_ids: [contractor.id] });
    expect((await contractor.get(context(ticket))).status).toBe(200);
    await contractor.post(`${path(ticket)}/decline`);
    await client.post(`${path(ticket)}/remove`);
    expect((await contractor.get(context(ticket))).status).toBe(404);
    expect((await client.get(context(ticket))).data.own.status).toBe('removed');
    expect((await client.get(context(newId()))).status).toBe(404);
  });
});

describe('purchases[] of a ticket', () => {
  test('shows what was handed over at once, with every field, amounts as they went in', async () => {
    const { client, winner, loser, ticket, parties } = await assigned();
    expect(await shown(client, ticket)).toEqual([]);
    const amounts = [0.1, 1234.56, 999999999.99, 0, null];
    const purchases = amounts.map((amount, index) => aPurchase(parties, { amount, reference: `BC-${index}` }));
    for (const purchase of purchases) expect((await handOver(client, purchase)).status).toBe(204);
    const seen = await shown(client, ticket);
    expect(seen.map(({ amount }) => amount)).toEqual(amounts);
    const { id, version, deleted, ...facts } = purchases[0] as PurchaseFacts;
    expect(seen[0]).toEqual({ ...facts, _id: id, editable: true, source: 'api' });
    expect(await shown(winner, ticket)).toEqual(seen.map((purchase) => ({ ...purchase, editable: false })));
    expect(await shown(loser, ticket)).toEqual([]);
  });

  test('requests and receipts stay with the buyer, whoever the supplier is; source tells the application from the API', async () => {
    const { client, winner, ticket, parties } = await assigned();
    for (const kind of ['purchase_request', 'goods_receipt'] as const)
      await handOver(client, aPurchase(parties, { kind, from_api: false }));
    expect((await shown(client, ticket)).map(({ source }) => source)).toEqual(['app', 'app']);
    expect(await shown(winner, ticket)).toEqual([]);
  });

  test('an older version never overwrites a newer, by whichever way they come; deletion is a version too', async () => {
    const { client, ticket, parties } = await assigned();
    const first = aPurchase(parties);
    const third = { ...first, version: 3, reference: 'BC-3' };
    await handOver(client, third);
    await handOver(client, { ...first, version: 2, reference: 'BC-2' });
    await tell(changed(first), changed({ ...first, version: 4, reference: 'BC-4' }));
    await eventually(async () => expect((await shown(client, ticket))[0]).toMatchObject({ reference: 'BC-4' }));
    await handOver(client, { ...first, version: 5, deleted: true });
    expect(await shown(client, ticket)).toEqual([]);
    await tell(changed({ ...first, version: 4, reference: 'BC-4' }));
    const other = aPurchase(parties, { reference: 'last' });
    await tell(changed(other));
    await eventually(async () => expect((await shown(client, ticket)).map(({ _id }) => _id)).toEqual([other.id]));
  });

  test('twenty versions at once, by hand-over and by event: the newest stays, and is there once', async () => {
    const { client, ticket, parties } = await assigned();
    const first = aPurchase(parties);
    const versions = Array.from({ length: 20 }, (_, index) => ({
      ...first,
      version: index + 1,
      reference: `v${index + 1}`,
    }));
    const mixed = versions.map((purchase, index) => versions[(index * 7) % 20] ?? purchase);
    const answers = await Promise.all([
      ...mixed.map(async (purchase) => (await handOver(client, purchase)).status),
      tell(...mixed.map(changed)).then(() => 204),
    ]);
    expect(new Set(answers)).toEqual(new Set([204]));
    await eventually(async () =>
      expect((await shown(client, ticket)).map(({ reference }) => reference)).toEqual(['v20']),
    );
  });

  test('is editable for the buyer while its own view allows purchase writes', async () => {
    const { client, ticket, parties } = await assigned();
    await handOver(client, aPurchase(parties));
    const editable = async () => (await shown(client, ticket))[0]?.['editable'];
    expect(await editable()).toBe(true);
    await client.put(`${path(ticket)}/cancel`);
    expect(await editable()).toBe(false);
    await client.post(`${path(ticket)}/open`);
    expect(await editable()).toBe(true);
  });

  test('a purchase document is no change of the ticket', async () => {
    const { client, ticket, parties } = await assigned();
    const before = (await client.get(path(ticket))).data;
    const { version } = (await client.get(context(ticket))).data;
    await handOver(client, aPurchase(parties));
    const after = (await client.get(path(ticket))).data;
    expect({ ...after, purchases: [] }).toEqual(before);
    expect((await client.get(context(ticket))).data.version).toBe(version);
  });
});

describe('a hand-over', () => {
  test("is refused for what the path does not name, and for other companies' tickets and documents", async () => {
    const { client, winner, ticket, parties } = await assigned();
    const purchase = aPurchase(parties);
    const put = (by: Client, at: string, body: unknown) => by.put(`/internal/tickets/${at}`, body);
    const rows: [string, Client, string, unknown, number, string][] = [
      ['no body', client, `${ticket}/purchases/${purchase.id}`, {}, 422, 'purchase'],
      ['another id', client, `${ticket}/purchases/${newId()}`, { purchase }, 422, 'purchase.id'],
      [
        'another ticket',
        client,
        `${ticket}/purchases/${purchase.id}`,
        { purchase: { ...purchase, ticket_id: newId() } },
        422,
        'purchase.ticket_id',
      ],
      [
        'no amount',
        client,
        `${ticket}/purchases/${purchase.id}`,
        { purchase: { ...purchase, amount: '12' } },
        422,
        'purchase.amount',
      ],
      ['malformed ids', client, 'x/purchases/y', { purchase }, 404, 'not_found'],
      ['unknown ticket', client, `${newId()}/purchases/${purchase.id}`, { purchase }, 404, 'ticket_not_found'],
      ['stranger', platform.as(), `${ticket}/purchases/${purchase.id}`, { purchase }, 404, 'ticket_not_found'],
      ['not the buyer', winner, `${ticket}/purchases/${purchase.id}`, { purchase }, 404, 'purchase_not_found'],
    ];
    for (const [name, by, at, body, status, fault] of rows) {
      const answer = await put(by, at, body);
      expect([name, answer.status, answer.data.code ?? answer.data.errors?.[0].path]).toEqual([name, status, fault]);
    }
    expect(await shown(client, ticket)).toEqual([]);
  });

  test("of another company's document under its own name changes nothing", async () => {
    const { client, ticket, parties } = await assigned();
    const purchase = aPurchase(parties);
    await handOver(client, purchase);
    const thief = platform.as();
    const own = await newTicket(thief);
    const claimed = { ...purchase, ticket_id: own, buyer_company_id: thief.caller.companyId, version: 9 };
    await handOver(thief, claimed);
    expect((await shown(client, ticket)).map(({ _id }) => _id)).toEqual([purchase.id]);
    expect(await shown(thief, own)).toEqual([]);
  });
});
