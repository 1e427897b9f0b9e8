import { type InvoiceLineSnapshot, invoiceLineChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually } from '@app/testing';
import { type Client, outcome, proposedTo, ticketOfTwo, tickets, usePlatform } from '../platform.ts';
import { aLine } from './fixtures.ts';

const platform = usePlatform();

/** A ticket that was proposed to `a` and `b`; `lineOn` makes a new line on the view of one of them. */
async function aTicketOfTwo() {
  const made = await ticketOfTwo(platform);
  const of = { client: made.client.caller.companyId, ticket: made.ticket };
  return { ...made, lineOn: (who: Client) => aLine({ ...of, view: made.viewOf(who) }) };
}

type Told = ReturnType<typeof aLine>;
const moved = (told: Told, change: Partial<Told['line']>): Told => ({
  ...told,
  version: told.version + 1,
  line: { ...told.line, ...change },
});
const gone = (told: Told) => ({ ...told, version: told.version + 1, line: null });

const push = (client: Client, snapshot: InvoiceLineSnapshot, ticket = snapshot.line?.ticket_id) =>
  client.put(`/internal/tickets/${ticket}/invoice-lines/${snapshot.invoice_id}`, snapshot);
const publish = (...lines: InvoiceLineSnapshot[]) =>
  platform.broker.publish(
    toCloudEvents(
      'invoice-reconciliation',
      lines.map((snapshot) => invoiceLineChanged(snapshot, new Date(), snapshot.invoice_id)),
    ),
  );

async function shown(reader: Client, ticket: string): Promise<string[]> {
  const { invoices } = (await reader.get(`${tickets}/${ticket}`)).data;
  const list = (await reader.get(`${tickets}?limit=200`)).data.tickets;
  expect(list.find(({ _id }: { _id: string }) => _id === ticket).invoices).toEqual(invoices);
  return invoices.map(({ _id }: { _id: string }) => _id);
}
const published = (invoice: string) => platform.published('invoice_added', invoice);

test('a line is readable at once by the client and the contractor of its view, with its fields, and is published once', async () => {
  const { client, a, b, ticket, lineOn } = await aTicketOfTwo();
  const line = lineOn(a);
  expect((await push(client, line)).status).toBe(204);
  expect((await push(client, line)).status).toBe(204);
  await publish(line, line);
  expect((await client.get(`${tickets}/${ticket}`)).data.invoices).toEqual([
    {
      _id: line.invoice_id,
      reference: 'FA-2026-311',
      price: '1284.5',
      invoice_id: line.invoice_id,
      supplier: { name: 'Froid Service', siren: '732829320', siret: '73282932000074' },
      amounts: { ht: 1284.5, tva: 256.9, ttc: 1541.4 },
      supplier_status: null,
    },
  ]);
  expect(await Promise.all([client, a, b].map((reader) => shown(reader, ticket)))).toEqual([
    [line.invoice_id],
    [line.invoice_id],
    [],
  ]);
  const own = lineOn(client);
  await publish(own);
  await eventually(async () => expect(await shown(client, ticket)).toEqual([line.invoice_id, own.invoice_id].sort()));
  expect([await shown(a, ticket), await shown(b, ticket)]).toEqual([[line.invoice_id], []]);
  await eventually(() =>
    expect(published(own.invoice_id).map(({ audience }) => audience)).toEqual([[client.caller.companyId]]),
  );
  expect(published(line.invoice_id).map(({ audience }) => [...audience].sort())).toEqual([
    [client.caller.companyId, a.caller.companyId].sort(),
  ]);
  expect(published(line.invoice_id)[0]?.payload).toMatchObject({
    ticket: { id: ticket, title: 'Leak in the hall' },
    invoice: { id: line.invoice_id, reference: 'FA-2026-311', amount: 1284.5, added_at: '2026-11-20T14:31:09.377Z' },
  });
});

test('what its supplier was told is read by the client and the contractor that issued the invoice, and by no other one', async () => {
  const { client, a, b, path, lineOn } = await aTicketOfTwo();
  const line = lineOn(a);
  const note = 'One pump is missing';
  const told = { status: 'disputed', reason: 'delivery', note, at: '2026-11-21T10:00:00.000Z' } as const;
  const toldTo = async (reader: Client) =>
    (await reader.get(path)).data.invoices.map((one: { supplier_status: object }) => one.supplier_status);
  await push(client, line);
  await publish(moved(line, { supplier_status: told }), line);
  await eventually(async () => expect(await toldTo(client)).toEqual([told]));
  expect([await toldTo(a), await toldTo(b)]).toEqual([[told], []]);
  await eventually(() => expect(published(line.invoice_id)).toHaveLength(1));
  // A person has put the invoice of another supplier on its view.
  await client.patch(`/api/v3.0/contractors/${a.id}`, { siret: '35600000009075' });
  expect([await toldTo(client), await toldTo(a)]).toEqual([[told], [null]]);
});

test('a line moves to another view and ticket, is corrected and removed; the parties of each new view get an event', async () => {
  const { client, a, b, lineOn, ...first } = await aTicketOfTwo();
  const second = await proposedTo(client, a, b);
  const line = lineOn(a);
  const onB = moved(line, { view_id: first.viewOf(b), added_at: '2026-11-21T10:00:00.000Z' });
  const elsewhere = moved(onB, {
    ticket_id: second.ticket,
    view_id: second.viewOf(a),
    added_at: '2026-11-21T11:00:00.000Z',
  });
  const corrected = moved(elsewhere, { price: '10.00', amounts: { ht: 10, tva: 2, ttc: 12 } });
  const away = gone(corrected);
  const back = { ...moved(corrected, { added_at: '2026-11-21T12:00:00.000Z' }), version: 6 };
  await push(client, line);
  await push(client, onB);
  expect([await shown(a, first.ticket), await shown(b, first.ticket)]).toEqual([[], [line.invoice_id]]);
  await push(client, elsewhere);
  expect([await shown(client, first.ticket), await shown(a, second.ticket)]).toEqual([[], [line.invoice_id]]);
  await push(client, corrected);
  expect((await client.get(`${tickets}/${second.ticket}`)).data.invoices).toMatchObject([
    { price: '10.00', amounts: { ht: 10 } },
  ]);
  expect((await push(client, away, second.ticket)).status).toBe(204);
  expect(await shown(client, second.ticket)).toEqual([]);
  await publish(back);
  await eventually(async () => expect(await shown(client, second.ticket)).toEqual([line.invoice_id]));
  await eventually(() => expect(published(line.invoice_id)).toHaveLength(4));
  const [c, ofA, ofB] = [client, a, b].map(({ caller }) => caller.companyId);
  const audiences = published(line.invoice_id).map(({ audience }) => [...audience].sort().join());
  const expected = [ofA, ofB, ofA, ofA].map((contractor) => [c, contractor].sort().join());
  expect(audiences.sort()).toEqual(expected.sort());
});

test('versions in any order end at the newest; a removed line stays removed', async () => {
  const { client, a, ticket, lineOn } = await aTicketOfTwo();
  const [line, later] = [lineOn(a), lineOn(a)];
  const away = gone(line);
  await push(client, away, ticket);
  await publish(line);
  await push(client, line);
  await publish(later);
  await eventually(async () => expect(await shown(client, ticket)).toEqual([later.invoice_id]));
  await eventually(() => expect(published(later.invoice_id)).toHaveLength(1));
  expect(published(line.invoice_id)).toEqual([]);
});

test('twenty pushes of a line beside as many events: one line, one event', async () => {
  const { client, a, ticket, lineOn } = await aTicketOfTwo();
  const [line, last] = [lineOn(a), lineOn(a)];
  const pushed = Array.from({ length: 20 }, async () => (await push(client, line)).status);
  await publish(...Array.from({ length: 20 }, () => line));
  expect(new Set(await Promise.all(pushed))).toEqual(new Set([204]));
  expect(await shown(client, ticket)).toEqual([line.invoice_id]);
  await push(client, last);
  await eventually(() => expect(published(last.invoice_id)).toHaveLength(1));
  expect(published(line.invoice_id)).toHaveLength(1);
});

test('a push is refused if the path names another line, for other companies and for unknown views', async () => {
  const { client, a, ticket, viewOf, lineOn } = await aTicketOfTwo();
  const line = lineOn(a);
  const stranger = platform.as();
  const foreign = aLine({ client: stranger.caller.companyId, ticket, view: viewOf(a) });
  const path = (at: string, invoice = line.invoice_id) => `/internal/tickets/${at}/invoice-lines/${invoice}`;
  const rows: [string, Client, string, object, number, string][] = [
    ['no body', client, path(ticket), {}, 422, 'invoice_id'],
    ['another invoice', client, path(ticket, newId()), line, 422, 'invoice_id'],
    ['another ticket', client, path(ticket), moved(line, { ticket_id: newId() }), 422, 'line.ticket_id'],
    ['a price that is a number', client, path(ticket), moved(line, { price: 1 as never }), 422, 'line.price'],
    ['a malformed id', client, path('x'), line, 404, 'not_found'],
    ['an unknown ticket', client, path(newId()), line, 404, 'ticket_not_found'],
    ['a stranger', stranger, path(ticket, foreign.invoice_id), foreign, 404, 'ticket_not_found'],
    ['a contractor of the ticket', a, path(ticket), line, 404, 'ticket_not_found'],
    ['an invoice of another client', client, path(ticket, foreign.invoice_id), foreign, 404, 'invoice_not_found'],
    ['an unknown view', client, path(ticket), moved(line, { view_id: newId() }), 404, 'view_not_found'],
  ];
  for (const [name, by, at, body, status, fault] of rows) {
    const answer = await by.put(at, body);
    expect([name, answer.status, answer.data.code ?? answer.data.errors?.[0].path]).toEqual([name, status, fault]);
  }
  expect(await shown(client, ticket)).toEqual([]);
});

test('a client cannot claim an invoice of another client', async () => {
  const [own, other] = [await aTicketOfTwo(), await aTicketOfTwo()];
  const line = own.lineOn(own.a);
  await push(own.client, line);
  const claimed = { ...other.lineOn(other.a), invoice_id: line.invoice_id, version: 9 };
  expect(outcome(await push(other.client, claimed))).toEqual([404, 'invoice_not_found']);
  expect([await shown(own.client, own.ticket), await shown(other.client, other.ticket)]).toEqual([
    [line.invoice_id],
    [],
  ]);
});

test('a line advances updated_at of its ticket, and nothing else', async () => {
  const { client, a, path, lineOn } = await aTicketOfTwo();
  const before = (await client.get(path)).data;
  await push(client, lineOn(a));
  const after = (await client.get(path)).data;
  expect({ ...after, invoices: [], updated_at: before.updated_at }).toEqual(before);
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
});
