import { type InvoiceLineSnapshot, type PurchaseSnapshot, userChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually } from '@app/testing';
import { ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { aLine } from '../invoices/fixtures.ts';
import { type Client, type Contractor, idOf, newTicket, pdf, proposedTo, usePlatform } from '../platform.ts';
import { aPurchase } from '../purchases/fixtures.ts';

const platform = usePlatform();
let client: Client;
let [winner, loser]: [Contractor, Contractor] = [] as never;

beforeAll(async () => {
  client = platform.as();
  [winner, loser] = [await platform.contractorOf(client), await platform.contractorOf(client)];
});

type Item = {
  at: string;
  by: { _id: string | null; firstName: string | null; company_id: string } | null;
  operation: string;
  from: string;
  to: string;
  text: string;
};
const historyOf = async (path: string, who: Client, query = ''): Promise<Item[]> =>
  (await who.get(`${path}/history${query}`)).data.items;
/** The whole history, in pages of that many. */
async function pagesOf(path: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data } = await client.get(`${path}/history?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
    items.push(...data.items);
    cursor = data.cursor;
  }
  return items;
}
const lines = (items: Item[]) => items.map(({ operation, from, to, text }) => [operation, from, to, text]);
const aTicket = () => newTicket(client);

async function aStory(): Promise<string> {
  const { path } = await proposedTo(client, winner, loser);
  await loser.upload(`${path}/quotes`, { reference: 'D-2', price: '20' });
  await winner.upload(`${path}/quotes`, { reference: 'D-1', price: '10' });
  const { quotes } = (await winner.get(path)).data;
  await client.put(`${path}/quotes/${quotes[0]._id}/validate`);
  await winner.upload(`${path}/documents`, {}, pdf);
  await client.patch(path, { priority: 'high', title: 'Flood' });
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

test('that the quote of a contractor is no longer validated is told with the move by which it lost the ticket', async () => {
  const { path } = await proposedTo(client, winner);
  const { quote } = (await winner.upload(`${path}/quotes`, { reference: 'D-1', price: '10' })).data;
  await client.put(`${path}/quotes/${quote._id}/validate`);
  await client.post(`${path}/assign`, { contractor_id: loser.id });
  expect((await client.get(path)).data.quotes).toMatchObject([{ status: 'declined', validated: false }]);
  const ended = ['end_validation', null, null, 'D-1 10'];
  expect(lines(await historyOf(path, client)).slice(-2)).toEqual([['assign', 'validated', 'assigned', null], ended]);
  expect(lines(await historyOf(path, winner)).slice(-2)).toEqual([['withdraw', 'validated', 'canceled', null], ended]);
  expect(lines(await historyOf(path, loser))).not.toContainEqual(ended);
});

test('that a competitor accepted first looks as if the client had withdrawn the proposal', async () => {
  const { path } = await proposedTo(client, winner, loser);
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

/** A ticket with `winner` on it, and `loser` asked; a line of it as reconciliation tells it. */
async function aTicketOfTwo() {
  const made = await proposedTo(client, winner, loser);
  await winner.post(`${made.path}/accept`);
  const lineOn = (who: Client, reference: string, added_at: string) =>
    aLine({ client: client.caller.companyId, ticket: made.ticket, view: made.viewOf(who) }, { reference, added_at });
  const put = async (snapshot: InvoiceLineSnapshot) => {
    const url = `/internal/tickets/${made.ticket}/invoice-lines/${snapshot.invoice_id}`;
    expect((await client.put(url, snapshot)).status).toBe(204);
  };
  return { ...made, lineOn, put };
}
/** After whatever this file does itself, however long that takes. */
const later = Date.now() + 3_600_000;
const after = (seconds: number) => new Date(later + seconds * 1000).toISOString();

const doers = (items: Item[]) => items.map(({ by, operation }) => [operation, by?.firstName]);

test('purchases and invoices stand in it, with who added and removed them, for those who see them, and never for a competitor', async () => {
  const { path, ticket, lineOn, put } = await aTicketOfTwo();
  const [buyer, supplier] = [client, winner].map(({ caller }) => caller.companyId) as [string, string];
  const purchase = (given: Partial<PurchaseSnapshot>) => ({ purchase: aPurchase({ ticket, buyer, supplier }, given) });
  const by = client.caller.userId;
  const purchases = [
    purchase({ reference: 'PO-1', created_at: after(1), created_by: by }),
    purchase({
      kind: 'purchase_request',
      reference: 'PR-1',
      created_at: after(2),
      updated_by: by,
      updated_at: after(6),
      deleted: true,
    }),
    purchase({ reference: 'PO-2', created_at: after(3), updated_by: by, updated_at: after(7), deleted: true }),
  ];
  expect((await client.put('/internal/purchases', { purchases })).status).toBeLessThan(300);
  const [first, second] = [lineOn(winner, 'FA-1', after(4)), lineOn(client, 'FA-2', after(5))];
  await put({ ...first, moved_at: first.line.added_at, moved_by: by });
  await put({ ...second, moved_at: second.line.added_at, moved_by: null });
  // A corrected number is no new entry.
  await put({ ...second, version: 2, line: { ...second.line, reference: 'FA-3' } });
  await put({ ...first, version: 2, line: null, moved_at: after(8), moved_by: by });
  const shown = async (who: Client) => (await historyOf(path, who)).slice(3);
  const all = await shown(client);
  expect(lines(all)).toEqual([
    ['add_purchase', null, null, 'purchase_order PO-1'],
    ['add_purchase', null, null, 'purchase_request PR-1'],
    ['add_purchase', null, null, 'purchase_order PO-2'],
    ['add_invoice', null, null, 'FA-1'],
    ['add_invoice', null, null, 'FA-2'],
    ['remove_purchase', null, null, 'purchase_request PR-1'],
    ['remove_purchase', null, null, 'purchase_order PO-2'],
    ['remove_invoice', null, null, 'FA-1'],
  ]);
  const [at, anyone] = [{ _id: by, company_id: buyer }, { company_id: buyer }];
  expect(all.map((one) => one.by)).toMatchObject([at, anyone, anyone, at, null, at, at, at] as object[]);
  const seen = await shown(winner);
  expect(lines(seen).map(([operation, , , text]) => [operation, text])).toEqual([
    ['add_purchase', 'purchase_order PO-1'],
    ['add_purchase', 'purchase_order PO-2'],
    ['add_invoice', 'FA-1'],
    ['remove_purchase', 'purchase_order PO-2'],
    ['remove_invoice', 'FA-1'],
  ]);
  expect(JSON.stringify(await historyOf(path, loser))).not.toMatch(/_purchase|_invoice|PO-|PR-|FA-/);
  expect((await platform.as().get(`${path}/history`)).status).toBe(404);
});

test('an invoice that moves on leaves what it was on, by whom its new place says, and each side reads its own', async () => {
  const [here, there] = [await aTicketOfTwo(), await aTicketOfTwo()];
  const invoice_id = newId();
  const steps = [
    { on: here, who: winner, moved_by: null },
    { on: here, who: client, moved_by: client.caller.userId },
    { on: there, who: client, moved_by: client.caller.userId },
  ];
  for (const [index, { on, who, moved_by }] of steps.entries()) {
    const [version, moved_at] = [index + 1, after(index + 1)];
    await on.put({ ...on.lineOn(who, 'FA-1', moved_at), invoice_id, version, moved_at, moved_by });
  }
  const shown = async ({ path }: { path: string }, who: Client) =>
    (await historyOf(path, who)).slice(3).map(({ operation, by }) => [operation, by?._id ?? null]);
  const user = client.caller.userId;
  expect(await shown(here, client)).toEqual([
    ['add_invoice', null],
    ['remove_invoice', user],
    ['add_invoice', user],
    ['remove_invoice', user],
  ]);
  expect(await shown(here, winner)).toEqual([
    ['add_invoice', null],
    ['remove_invoice', user],
  ]);
  expect(await shown(there, client)).toEqual([['add_invoice', user]]);
  expect(await shown(there, winner)).toEqual([]);
});

test('who added a document or a purchase document, or linked an invoice, has the name of today', async () => {
  const { path, ticket, lineOn, put } = await aTicketOfTwo();
  const { companyId, userId } = client.caller;
  await client.upload(`${path}/documents`, {}, pdf);
  const purchase = aPurchase({ ticket, buyer: companyId }, { created_by: userId, created_at: after(1) });
  await client.put('/internal/purchases', { purchases: [{ purchase }] });
  const told = lineOn(client, 'FA-1', after(2));
  await put({ ...told, moved_at: told.line.added_at, moved_by: userId });
  const user = { id: userId, company_id: companyId, last_name: 'Martin', email: 'a@b.c', phone: null, permissions: [] };
  for (const [version, first_name] of ['Ada', 'Erased'].entries()) {
    const told = userChanged({ user: { ...user, first_name, active: true, version: version + 1 } }, new Date());
    await platform.broker.publish(toCloudEvents('identity', [told]));
    await eventually(async () =>
      expect(doers((await historyOf(path, client)).slice(3))).toEqual([
        ['add_document', first_name],
        ['add_purchase', first_name],
        ['add_invoice', first_name],
      ]),
    );
  }
});

test('pages follow each other by their cursors', async () => {
  const path = await aStory();
  expect(await pagesOf(path, 3)).toEqual(await historyOf(path, client));
  for (const cursor of ['x', `1-${'g'.repeat(24)}`, '1-']) {
    expect((await client.get(`${path}/history?cursor=${cursor}`)).status).toBe(422);
  }
});

test('500 entries are kept, the newest', async () => {
  const path = await aStory();
  const _id = idOf(path);
  const stored = ticketCollection(platform.connection);
  const [entry] = (await stored.findOne({ _id }))?.history ?? [];
  await stored.updateOne({ _id }, { $set: { history: Array.from({ length: 500 }, () => entry) as never } });
  await client.put(`${path}/close`, {});
  const kept = (await stored.findOne({ _id }))?.history ?? [];
  expect([kept.length, kept.at(-1)?.operation]).toEqual([500, 'close']);
});

test('of more than 1,000 documents the newest are listed', async () => {
  const path = await aTicket();
  await client.upload(`${path}/documents`, {}, pdf);
  const stored = platform.connection.collection<{ _id: string; added_at: Date }>('documents');
  const first = await stored.findOne({ ticket_id: idOf(path) });
  // Made in the seconds before, so that the uploaded one is the newest.
  const earlier = Array.from({ length: 1_000 }, (_, index) => {
    const added_at = new Date(Number(first?.added_at) - (index + 1) * 1_000);
    return { ...first, _id: newId(added_at), outbox: [], added_at, file: { name: `${index}.pdf` } };
  });
  await stored.insertMany(earlier);
  const added = (await pagesOf(path, 200)).filter(({ operation }) => operation === 'add_document');
  const names = added.map(({ text }) => text);
  expect([names.length, names[0], names.at(-1)]).toEqual([1_000, '998.pdf', pdf.name]);
});

test('the views say who was asked, until when, and why it declined; a contractor sees its own', async () => {
  const { path } = await proposedTo(client, winner, loser);
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
