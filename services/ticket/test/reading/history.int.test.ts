import type { InvoiceLineSnapshot, PurchaseSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';
import { ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { type Client, type Platform, pdf, startPlatform } from '../platform.ts';
import { aPurchase } from '../purchases/fixtures.ts';

let platform: Platform;
let client: Client;
let [winner, loser]: [Client & { id: string }, Client & { id: string }] = [] as never;
const tickets = '/api/v3.0/tickets';

beforeAll(async () => {
  platform = await startPlatform();
  client = platform.as();
  [winner, loser] = [await platform.contractorOf(client), await platform.contractorOf(client)];
});
afterAll(() => platform.stop());

type Item = {
  at: string;
  by: { company_id: string } | null;
  operation: string;
  from: string;
  to: string;
  text: string;
};
const historyOf = async (path: string, who: Client, query = ''): Promise<Item[]> =>
  (await who.get(`${path}/history${query}`)).data.items;
const lines = (items: Item[]) => items.map(({ operation, from, to, text }) => [operation, from, to, text]);
const aTicket = async () => `${tickets}/${(await client.post(tickets, { title: 'Leak' })).data.ticket_id}`;

async function aStory(): Promise<string> {
  const path = await aTicket();
  await client.post(`${path}/propose`, { contractor_ids: [winner.id, loser.id] });
  await loser.upload(`${path}/quotes`, { reference: 'D-2', price: '20' });
  await winner.upload(`${path}/quotes`, { reference: 'D-1', price: '10' });
  const { quotes } = (await winner.get(path)).data;
  await client.put(`${path}/quotes/${quotes[0]._id}/validate`);
  await winner.upload(`${path}/documents`, {}, pdf);
  await client.call('patch', path, { priority: 'high', title: 'Flood' });
  await client.put(`${path}/finish`, {});
  return path;
}

test('its client reads who did what, and when', async () => {
  const path = await aStory();
  const items = await historyOf(path, client);
  expect(lines(items)).toEqual([
    ['create', null, null, null],
    ['propose', 'opened', 'proposed', null],
    ['add_quote', 'proposed', 'validation', 'D-2 20'],
    ['add_quote', null, null, 'D-1 10'],
    ['validate_quote', 'validation', 'validated', 'D-1 10'],
    ['add_document', null, null, pdf.name],
    ['edit', null, null, 'priority, title'],
    ['finish', 'validated', 'finished', null],
  ]);
  const ids = [client, loser, winner].map(({ caller }) => caller.companyId);
  const [owner, second, first] = ids;
  expect(items.map(({ by }) => by?.company_id)).toEqual([owner, owner, second, first, owner, first, owner, owner]);
  expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).sort());
  expect(items[1]?.by).toMatchObject({ _id: client.caller.userId, firstName: client.caller.firstName });
});

test('a contractor reads what concerns its own view, in its own statuses, and nothing of its competitors', async () => {
  const path = await aStory();
  expect(lines(await historyOf(path, winner))).toEqual([
    ['create', null, null, null],
    ['propose', null, 'proposed', null],
    ['add_quote', null, null, 'D-1 10'],
    ['validate_quote', 'proposed', 'validated', 'D-1 10'],
    ['add_document', null, null, pdf.name],
    ['edit', null, null, 'priority, title'],
    ['finish', 'validated', 'finished', null],
  ]);
  const lost = await historyOf(path, loser);
  expect(lines(lost)).toEqual([
    ['create', null, null, null],
    ['propose', null, 'proposed', null],
    ['add_quote', null, null, 'D-2 20'],
    ['withdraw', 'proposed', 'canceled', null],
  ]);
  expect(lost.at(-1)?.by).toBeNull();
  for (const [reader, other] of [
    [winner, loser],
    [loser, winner],
  ] as const) {
    const shown = JSON.stringify(await historyOf(path, reader));
    expect([other.caller.companyId, other.id].filter((id) => shown.includes(id))).toEqual([]);
  }
  expect((await platform.as().get(`${path}/history`)).status).toBe(404);
});

test('that a competitor accepted first looks as if the client had withdrawn the proposal', async () => {
  const path = await aTicket();
  await client.post(`${path}/propose`, { contractor_ids: [winner.id, loser.id] });
  await winner.post(`${path}/accept`);
  expect(await historyOf(path, loser)).toMatchObject([
    { operation: 'create' },
    { operation: 'propose' },
    { operation: 'withdraw', by: null, from: 'proposed', to: 'canceled', text: null },
  ]);
});

test('what a competitor does to the ticket of a contractor shows as a mere update', async () => {
  const path = await aTicket();
  await client.post(`${path}/assign`, { contractor_id: winner.id });
  const times = { start: Date.now() + 3_600_000, end: Date.now() + 7_200_000 };
  const { date } = (await client.post(`${path}/dates`, { type: 'planned', ...times })).data;
  await client.put(`${path}/dates/${date._id}/not-done`);
  await client.post(`${path}/propose`, { contractor_ids: [loser.id] });
  await loser.upload(`${path}/quotes`, { reference: 'D-2', price: '20' });
  const items = await historyOf(path, winner);
  expect(lines(items).slice(-2)).toEqual([
    ['propose', 'toreplan', 'proposed', null],
    ['update', 'proposed', 'validation', null],
  ]);
  expect(items.at(-1)?.by).toBeNull();
  expect(lines(await historyOf(path, loser)).map(([operation]) => operation)).toEqual([
    'create',
    'plan_intervention',
    'intervention_not_done',
    'propose',
    'add_quote',
  ]);
});

test('purchases and invoices stand in it for those who see them, and never for a competitor', async () => {
  const path = await aTicket();
  await client.post(`${path}/propose`, { contractor_ids: [winner.id, loser.id] });
  await winner.post(`${path}/accept`);
  const ticket = path.split('/').at(-1) as string;
  const views = Object.fromEntries(
    (await client.get(path)).data.views.map((view: { company_id: string; _id: string }) => [view.company_id, view._id]),
  );
  const [buyer, supplier] = [client, winner].map(({ caller }) => caller.companyId) as [string, string];
  const after = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const purchase = (given: Partial<PurchaseSnapshot>) => ({ purchase: aPurchase({ ticket, buyer, supplier }, given) });
  const by = client.caller.userId;
  const purchases = [
    purchase({ reference: 'PO-1', created_at: after(1), created_by: by }),
    purchase({ kind: 'purchase_request', reference: 'PR-1', created_at: after(2) }),
    purchase({ reference: 'PO-2', created_at: after(3), deleted: true }),
  ];
  expect((await client.put('/internal/purchases', { purchases })).status).toBeLessThan(300);
  for (const [company, reference, seconds] of [
    [supplier, 'FA-1', 4],
    [buyer, 'FA-2', 5],
  ] as const) {
    const line: NonNullable<InvoiceLineSnapshot['line']> = {
      ...{ ticket_id: ticket, view_id: views[company], reference, price: '10', added_at: after(seconds) },
      supplier: { name: 'Fixit', siren: '732829320', siret: null },
      amounts: { ht: 10, tva: 2, ttc: 12 },
    };
    const snapshot = { invoice_id: newId(), client_id: buyer, version: 1, line };
    const url = `/internal/tickets/${ticket}/invoice-lines/${snapshot.invoice_id}`;
    expect((await client.put(url, snapshot)).status).toBe(204);
  }
  const shown = async (who: Client) => (await historyOf(path, who)).slice(3);
  const all = await shown(client);
  expect(lines(all)).toEqual([
    ['add_purchase', null, null, 'purchase_order PO-1'],
    ['add_purchase', null, null, 'purchase_request PR-1'],
    ['add_invoice', null, null, 'FA-1'],
    ['add_invoice', null, null, 'FA-2'],
  ]);
  expect(all.map((one) => one.by)).toMatchObject([{ _id: by, company_id: buyer }, { company_id: buyer }, null, null]);
  expect(lines(await shown(winner))).toEqual([
    ['add_purchase', null, null, 'purchase_order PO-1'],
    ['add_invoice', null, null, 'FA-1'],
  ]);
  expect(JSON.stringify(await historyOf(path, loser))).not.toMatch(/add_purchase|add_invoice|PO-|PR-|FA-/);
});

test('pages follow each other by their cursors', async () => {
  const path = await aStory();
  const all = await historyOf(path, client);
  const paged: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data } = await client.get(`${path}/history?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
    paged.push(...data.items);
    cursor = data.cursor;
  }
  expect(paged).toEqual(all);
  for (const cursor of ['x', `1-${'g'.repeat(24)}`, '1-']) {
    expect((await client.get(`${path}/history?cursor=${cursor}`)).status).toBe(422);
  }
});

test('a ticket of an early version has what it still holds, and 500 entries are kept', async () => {
  const path = await aStory();
  const _id = path.split('/').at(-1) as string;
  const stored = ticketCollection(platform.connection);
  const [entry] = (await stored.findOne({ _id }))?.history ?? [];
  await stored.updateOne({ _id }, { $unset: { history: 1 } });
  expect(lines(await historyOf(path, client))).toEqual([
    ['create', null, null, null],
    ['add_quote', null, null, 'D-2 20'],
    ['add_quote', null, null, 'D-1 10'],
    ['add_document', null, null, pdf.name],
  ]);
  await stored.updateOne({ _id }, { $set: { history: Array.from({ length: 500 }, () => entry) as never } });
  await client.put(`${path}/close`, {});
  const kept = (await stored.findOne({ _id }))?.history ?? [];
  expect([kept.length, kept.at(-1)?.operation]).toEqual([500, 'close']);
});

test('the views say who was asked, until when, and why it declined; a contractor sees its own', async () => {
  const path = await aTicket();
  await client.post(`${path}/propose`, { contractor_ids: [winner.id, loser.id] });
  await loser.post(`${path}/decline`, { reason: 'no time' });
  const [, first, second] = (await client.get(path)).data.views;
  expect(first).toMatchObject({
    contractor_id: winner.id,
    name: 'Fixit',
    state: 'pending',
    expires_at: null,
    reason: null,
  });
  expect(second).toMatchObject({ contractor_id: loser.id, state: 'declined', reason: 'no time' });
  expect((await winner.get(path)).data.views).toHaveLength(1);
});
