import { type InvoiceLineSnapshot, invoiceLineChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually } from '@app/testing';
import { type Client, type Platform, startPlatform } from '../../test/platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const tickets = '/api/v3.0/tickets';

/** A ticket of `client` on which `a` and `b` are asked: the ids of the views by company. */
async function aTicketOfTwo(given: { client: Client; a: Client & { id: string }; b: Client & { id: string } }) {
  const { client, a, b } = given;
  const ticket = (await client.post(tickets, { title: 'Leak' })).data.ticket_id as string;
  await client.post(`${tickets}/${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  const { views } = (await client.get(`${tickets}/${ticket}`)).data;
  const viewOf = ({ caller }: Client): string =>
    views.find(({ company_id }: { company_id: string }) => company_id === caller.companyId)._id;
  return { ticket, views: { client: viewOf(client), a: viewOf(a), b: viewOf(b) } };
}

async function parties() {
  const client = platform.as();
  return { client, a: await platform.contractorOf(client), b: await platform.contractorOf(client) };
}

type On = { client: Client; ticket: string; view: string };

/** The line of a new invoice on a view. */
function aLine({ client, ticket, view }: On, given: Partial<InvoiceLineSnapshot> = {}): InvoiceLineSnapshot {
  return {
    invoice_id: newId(),
    client_id: client.caller.companyId,
    version: 1,
    line: {
      ticket_id: ticket,
      view_id: view,
      reference: 'FA-2026-311',
      price: '1284.5',
      supplier: { name: 'Froid Service', siren: '732829320', siret: '73282932000074' },
      amounts: { ht: 1284.5, tva: 256.9, ttc: 1541.4 },
      added_at: '2026-11-20T14:31:09.377Z',
    },
    ...given,
  };
}

const moved = (
  facts: InvoiceLineSnapshot,
  change: Partial<NonNullable<InvoiceLineSnapshot['line']>>,
): InvoiceLineSnapshot => ({
  ...facts,
  version: facts.version + 1,
  line: { ...(facts.line as NonNullable<InvoiceLineSnapshot['line']>), ...change },
});
const gone = (facts: InvoiceLineSnapshot): InvoiceLineSnapshot => ({
  ...facts,
  version: facts.version + 1,
  line: null,
});

const handOver = (client: Client, facts: InvoiceLineSnapshot, ticket = facts.line?.ticket_id) =>
  client.put(`/internal/tickets/${ticket}/invoice-lines/${facts.invoice_id}`, facts);
const tell = (...lines: InvoiceLineSnapshot[]) =>
  platform.broker.publish(
    toCloudEvents(
      'invoice-reconciliation',
      lines.map((facts) => invoiceLineChanged(facts, new Date(), facts.invoice_id)),
    ),
  );

async function shown(reader: Client, ticket: string): Promise<string[]> {
  const { invoices } = (await reader.get(`${tickets}/${ticket}`)).data;
  const list = (await reader.get(`${tickets}?limit=200`)).data.tickets;
  expect(list.find(({ _id }: { _id: string }) => _id === ticket).invoices).toEqual(invoices);
  return invoices.map(({ _id }: { _id: string }) => _id);
}
const told = (invoice: string) =>
  platform.heard.filter(
    ({ type, payload }) => type === 'ticket.invoice_added.v1' && (payload['invoice'] as { id: string }).id === invoice,
  );

test('a line is read at once by the client and by the contractor of its view, with its fields, and told once', async () => {
  const all = await parties();
  const { client, a, b } = all;
  const { ticket, views } = await aTicketOfTwo(all);
  const line = aLine({ client, ticket, view: views.a });
  expect((await handOver(client, line)).status).toBe(204);
  expect((await handOver(client, line)).status).toBe(204);
  await tell(line, line);
  expect((await client.get(`${tickets}/${ticket}`)).data.invoices).toEqual([
    {
      _id: line.invoice_id,
      reference: 'FA-2026-311',
      price: '1284.5',
      invoice_id: line.invoice_id,
      supplier: { name: 'Froid Service', siren: '732829320', siret: '73282932000074' },
      amounts: { ht: 1284.5, tva: 256.9, ttc: 1541.4 },
    },
  ]);
  expect(await Promise.all([client, a, b].map((reader) => shown(reader, ticket)))).toEqual([
    [line.invoice_id],
    [line.invoice_id],
    [],
  ]);
  const own = aLine({ client, ticket, view: views.client });
  await tell(own);
  await eventually(async () => expect(await shown(client, ticket)).toEqual([line.invoice_id, own.invoice_id].sort()));
  expect([await shown(a, ticket), await shown(b, ticket)]).toEqual([[line.invoice_id], []]);
  await eventually(() =>
    expect(told(own.invoice_id).map(({ audience }) => audience)).toEqual([[client.caller.companyId]]),
  );
  expect(told(line.invoice_id).map(({ audience }) => [...audience].sort())).toEqual([
    [client.caller.companyId, a.caller.companyId].sort(),
  ]);
  expect(told(line.invoice_id)[0]?.payload).toMatchObject({
    ticket: { id: ticket, title: 'Leak' },
    invoice: { id: line.invoice_id, reference: 'FA-2026-311', amount: 1284.5, added_at: '2026-11-20T14:31:09.377Z' },
  });
});

test('it moves to another view and another ticket, is corrected and taken away; each view it comes to is told', async () => {
  const all = await parties();
  const { client, a, b } = all;
  const [first, second] = [await aTicketOfTwo(all), await aTicketOfTwo(all)];
  const line = aLine({ client, ticket: first.ticket, view: first.views.a });
  const onB = moved(line, { view_id: first.views.b, added_at: '2026-11-21T10:00:00.000Z' });
  const elsewhere = moved(onB, {
    ticket_id: second.ticket,
    view_id: second.views.a,
    added_at: '2026-11-21T11:00:00.000Z',
  });
  const corrected = moved(elsewhere, { price: '10.00', amounts: { ht: 10, tva: 2, ttc: 12 } });
  const away = gone(corrected);
  const back = {
    ...corrected,
    version: 6,
    line: { ...(corrected.line as object), added_at: '2026-11-21T12:00:00.000Z' },
  };
  await handOver(client, line);
  await handOver(client, onB);
  expect([await shown(a, first.ticket), await shown(b, first.ticket)]).toEqual([[], [line.invoice_id]]);
  await handOver(client, elsewhere);
  expect([await shown(client, first.ticket), await shown(a, second.ticket)]).toEqual([[], [line.invoice_id]]);
  await handOver(client, corrected);
  expect((await client.get(`${tickets}/${second.ticket}`)).data.invoices).toMatchObject([
    { price: '10.00', amounts: { ht: 10 } },
  ]);
  expect((await handOver(client, away, second.ticket)).status).toBe(204);
  expect(await shown(client, second.ticket)).toEqual([]);
  await tell(back as InvoiceLineSnapshot);
  await eventually(async () => expect(await shown(client, second.ticket)).toEqual([line.invoice_id]));
  await eventually(() => expect(told(line.invoice_id)).toHaveLength(4));
  const [c, ofA, ofB] = [client, a, b].map(({ caller }) => caller.companyId);
  const heardBy = told(line.invoice_id).map(({ audience }) => [...audience].sort().join());
  expect(heardBy.sort()).toEqual(
    [
      [c, ofA],
      [c, ofB],
      [c, ofA],
      [c, ofA],
    ]
      .map((pair) => pair.sort().join())
      .sort(),
  );
});

test('versions in any order end right; what is taken away stays away', async () => {
  const all = await parties();
  const { client } = all;
  const { ticket, views } = await aTicketOfTwo(all);
  const line = aLine({ client, ticket, view: views.a });
  const away = gone(line);
  const later = aLine({ client, ticket, view: views.a });
  await handOver(client, away, ticket);
  await tell(line);
  await handOver(client, line);
  await tell(later);
  await eventually(async () => expect(await shown(client, ticket)).toEqual([later.invoice_id]));
  await eventually(() => expect(told(later.invoice_id)).toHaveLength(1));
  expect(told(line.invoice_id)).toEqual([]);
});

test('twenty hand-overs of a line beside as many events: one line, one event', async () => {
  const all = await parties();
  const { client } = all;
  const { ticket, views } = await aTicketOfTwo(all);
  const line = aLine({ client, ticket, view: views.a });
  const handed = Array.from({ length: 20 }, async () => (await handOver(client, line)).status);
  await tell(...Array.from({ length: 20 }, () => line));
  expect(new Set(await Promise.all(handed))).toEqual(new Set([204]));
  expect(await shown(client, ticket)).toEqual([line.invoice_id]);
  const last = aLine({ client, ticket, view: views.a });
  await handOver(client, last);
  await eventually(() => expect(told(last.invoice_id)).toHaveLength(1));
  expect(told(line.invoice_id)).toHaveLength(1);
});

test('a hand-over is refused for what the path does not name, for other companies and for views that are not there', async () => {
  const all = await parties();
  const { client, a } = all;
  const { ticket, views } = await aTicketOfTwo(all);
  const line = aLine({ client, ticket, view: views.a });
  const stranger = platform.as();
  const foreign = aLine({ client: stranger, ticket, view: views.a });
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

test("an invoice that another client has already cannot be taken over under one's own name", async () => {
  const all = await parties();
  const { ticket, views } = await aTicketOfTwo(all);
  const line = aLine({ client: all.client, ticket, view: views.a });
  await handOver(all.client, line);
  const others = await parties();
  const theirs = await aTicketOfTwo(others);
  const claimed = aLine(
    { client: others.client, ticket: theirs.ticket, view: theirs.views.a },
    { invoice_id: line.invoice_id, version: 9 },
  );
  const { status, data } = await handOver(others.client, claimed);
  expect([status, data.code]).toEqual([404, 'invoice_not_found']);
  expect([await shown(all.client, ticket), await shown(others.client, theirs.ticket)]).toEqual([[line.invoice_id], []]);
});

test('a line moves the time of its ticket, and nothing else of it', async () => {
  const all = await parties();
  const { ticket, views } = await aTicketOfTwo(all);
  const before = (await all.client.get(`${tickets}/${ticket}`)).data;
  await handOver(all.client, aLine({ client: all.client, ticket, view: views.a }));
  const after = (await all.client.get(`${tickets}/${ticket}`)).data;
  expect({ ...after, invoices: [], updated_at: before.updated_at }).toEqual(before);
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
});
