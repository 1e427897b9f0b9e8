import type { CountedLine } from '@app/contracts';
import { newId } from '@app/kernel';
import { type Profiled, profiled } from '@app/testing';
import { aLine } from '../invoices/fixtures.ts';
import { type Client, idOf, newTicket, outcome, ticketOfTwo, usePlatform } from '../platform.ts';
import { aPurchase } from '../purchases/fixtures.ts';

const minute = 60_000;
const noon = Date.parse('2026-11-27T12:00:00.000Z');
let clock = noon;
const platform = usePlatform({ now: () => new Date(clock) });
afterEach(() => {
  clock = noon;
});
const after = (minutes: number) => {
  clock += minutes * minute;
};

/** The items of a figure, once everything is counted. */
async function figure(reader: Client, path: string): Promise<Record<string, unknown>[]> {
  await platform.app.statistics.count();
  const { status, data } = await reader.get(`/statistics/tickets/${path}`);
  expect([status, data.pending]).toEqual([200, 0]);
  return data.items;
}
const place = async (client: Client) => (await client.post('/api/v3.0/locations', { name: 'Here' })).data.location._id;
const pushLine = (client: Client, line: ReturnType<typeof aLine>) =>
  client.put(`/internal/tickets/${line.line.ticket_id}/invoice-lines/${line.invoice_id}`, line);
const pushPurchase = (client: Client, purchase: ReturnType<typeof aPurchase>) =>
  client.put('/internal/purchases', { purchases: [{ purchase }] });

/** A ticket of `a`, which `b` was asked for too. */
async function accepted() {
  const made = await ticketOfTwo(platform);
  await made.a.post(`${made.path}/accept`);
  const client_id = made.client.caller.companyId;
  const counted = (given: Partial<CountedLine>): CountedLine => {
    return { kind: 'invoice', currency: 'EUR', issue_date: '2026-10-31', key: newId(), replaces: [], ...given };
  };
  const line = (ht: number, given: Partial<CountedLine> = {}) =>
    aLine(
      { client: client_id, ticket: made.ticket, view: made.viewOf(made.a) },
      { amounts: { ht, tva: 0, ttc: ht }, price: String(ht), counted: counted(given) },
    );
  return { ...made, line, parties: { ticket: made.ticket, buyer: client_id, supplier: made.a.caller.companyId } };
}

test('open tickets are counted in the statuses that each company sees, with their age, until they are done or removed', async () => {
  const { client, a, b, path } = await ticketOfTwo(platform);
  const here = await place(client);
  const own = await newTicket(client, { location_ids: [here] });
  const item = (status: string, oldest = '2026-11-27') => ({ status, count: 1, oldest });
  const grouped = (status: string) => item(status, '2026-11-01');
  expect(await figure(client, 'open')).toEqual([item('opened'), item('proposed')]);
  expect(await figure(b, 'open')).toEqual([item('proposed')]);
  expect(await figure(client, 'open?group_by=place')).toEqual([
    { place: here, name: 'Here', ...grouped('opened') },
    { place: null, name: null, ...grouped('proposed') },
  ]);
  after(4 * 24 * 60);
  expect(await figure(client, 'open?group_by=age')).toMatchObject([{ age: '3-7' }, { age: '3-7' }]);
  await a.post(`${path}/accept`);
  await client.post(`${own}/remove`);
  expect(await figure(client, 'open?group_by=contractor')).toEqual([
    { contractor: a.id, name: 'Fixit', ...grouped('waiting_contractor') },
  ]);
  expect(await figure(a, 'open?group_by=client')).toEqual([
    // The company is not known here: nothing tells of companies in this test.
    { client: client.caller.companyId, name: null, ...grouped('waiting_contractor') },
  ]);
  expect(await figure(b, 'open')).toEqual([]);
  await client.put(`${path}/finish`);
  expect(await figure(client, 'open')).toEqual([]);
});

test('deadlines count as kept or missed once they were reached, for the client and for the contractor that has the ticket', async () => {
  const client = platform.as({ permissions: ['admin'] });
  const target = (amount: number) => ({ amount, unit: 'days' });
  const openings = [{ day: 1, from: '08:00', to: '18:00' }];
  const settings = {
    policies: [{ priority: 'none', response: target(1), arrival: null, finish: target(2) }],
    hours: [{ time_zone: 'Europe/Paris', openings }],
  };
  expect((await client.put('/clock-settings', settings)).status).toBe(200);
  const { a, b, path } = await ticketOfTwo(platform, client);
  expect(await figure(client, 'deadlines')).toEqual([]);
  after(25 * 60);
  await a.post(`${path}/accept`);
  after(10);
  await client.put(`${path}/finish`);
  const items = [
    { clock: 'finish', result: 'in_time', count: 1 },
    { clock: 'response', result: 'late', count: 1 },
  ];
  for (const reader of [client, a]) expect(await figure(reader, 'deadlines')).toMatchObject(items);
  expect(await figure(client, 'deadlines?group_by=contractor')).toMatchObject(
    items.map((one) => ({ contractor: a.id, ...one })),
  );
  expect(await figure(b, 'deadlines')).toEqual([]);
  const listed = async (part: string) =>
    (await client.get(`/api/v3.0/tickets?counted_in=deadlines.${part}`)).data.tickets;
  expect(await listed('late')).toMatchObject([{ _id: idOf(path) }]);
  expect(outcome(await a.get('/statistics/tickets/deadlines?group_by=contractor'))[0]).toBe(422);
});

test('what was invoiced is summed up by month and place: credit notes less, another currency apart, and nothing twice', async () => {
  const { client, a, b, path, line } = await accepted();
  const here = await place(client);
  await client.patch(path, { location_ids: [here] });
  const [first, credit, replaced] = [line(100.1), line(20, { kind: 'credit_note' }), line(50, { key: 'R' })];
  const corrective = line(40, { kind: 'corrective', replaces: ['R'], issue_date: '2026-11-01' });
  for (const one of [first, credit, replaced, corrective, line(7, { currency: 'CHF' })])
    expect((await pushLine(client, one)).status).toBe(204);
  const [october, november] = [{ period: '2026-10-01' }, { period: '2026-11-01' }];
  const sums = (amount: number, count: number) => ({ currency: 'EUR', amount, amount_with_vat: amount, count });
  const francs = { currency: 'CHF', amount: 7, amount_with_vat: 7, count: 1 };
  const asked = 'spend?group_by=place,month&from=2026-01-01&to=2027-01-01';
  expect(await figure(client, asked)).toEqual([
    { ...october, place: here, name: 'Here', ...francs },
    { ...october, place: here, name: 'Here', ...sums(80.1, 2) },
    { ...november, place: here, name: 'Here', ...sums(40, 1) },
  ]);
  expect(await figure(a, 'spend?from=2026-11-01&to=2026-11-02')).toEqual([sums(40, 1)]);
  expect(await figure(b, 'spend')).toEqual([]);
  const told = { status: 'approved' as const, reason: null, note: null, at: '2026-11-20T00:00:00.000Z' };
  await pushLine(client, { ...first, version: 2, line: { ...first.line, supplier_status: told } });
  expect(await figure(a, 'invoices?from=2026-10-01&to=2026-11-01')).toMatchObject([
    { standing: 'approved', currency: 'EUR', amount: 100.1 },
    { standing: 'received', currency: 'CHF', amount: 7 },
    { standing: 'received', currency: 'EUR', amount: -20 },
  ]);
  const { invoice_id, client_id, moved_at } = corrective;
  const gone = { invoice_id, client_id, version: 2, line: null, moved_at, moved_by: null };
  expect((await client.put(`/internal/tickets/${idOf(path)}/invoice-lines/${invoice_id}`, gone)).status).toBe(204);
  await client.patch(path, { location_ids: [] });
  expect(await figure(client, asked)).toEqual([
    { ...october, place: null, name: null, ...francs },
    { ...october, place: null, name: null, ...sums(130.1, 3) },
  ]);
});

test('commitments: an order takes the place of the quote that it names, and what is left is not invoiced', async () => {
  const { client, a, b, path, line, parties } = await accepted();
  const quote = (await a.upload(`${path}/quotes`, { reference: 'D-1', price: '99.995' })).data.quote._id;
  expect(await figure(client, 'quotes')).toMatchObject([
    { state: 'pending', count: 1, amount: 100, amount_with_vat: 0 },
  ]);
  await client.put(`${path}/quotes/${quote}/validate`);
  const kinds = async (reader: Client) =>
    (await figure(reader, 'commitments')).map(({ kind, amount, amount_with_vat }) => [kind, amount, amount_with_vat]);
  expect(await kinds(client)).toEqual([['agreed', 100, 0]]);
  const given = { supplier_contractor_id: a.id, date: '2026-11-20T00:00:00.000Z', amount: 120, includes_vat: false };
  const order = aPurchase(parties, { ...given, quote_id: quote });
  const withVat = aPurchase(parties, { ...given, includes_vat: true });
  for (const one of [order, withVat]) expect((await pushPurchase(client, one)).status).toBe(200);
  expect(await kinds(client)).toEqual([['ordered', 120, 120]]);
  await pushPurchase(client, { ...withVat, version: 2, deleted: true });
  await pushPurchase(client, withVat);
  await client.put(`${path}/finish`);
  await pushLine(client, line(50));
  expect(await kinds(a)).toEqual([
    ['ordered', 120, 0],
    ['invoiced', 50, 50],
  ]);
  const left = { state: 'done', count: 1, amount_with_vat: 0, oldest: '2026-11-01' };
  const byContractor = [{ contractor: a.id, name: 'Fixit', ...left, amount: 70 }];
  expect(await figure(client, 'uninvoiced?group_by=contractor')).toEqual(byContractor);
  const accountant = platform.as({ ...client.caller, permissions: ['accounting'] });
  expect(await figure(accountant, 'uninvoiced')).toMatchObject([{ amount: 70 }]);
  // What another one was ordered to do is no matter of this one.
  const ofOther = aPurchase({ ...parties, supplier: b.caller.companyId }, { ...given, supplier_contractor_id: b.id });
  await pushPurchase(client, ofOther);
  expect(await figure(client, 'uninvoiced')).toMatchObject([{ amount: 190 }]);
  expect(await figure(a, 'uninvoiced')).toMatchObject([{ state: 'done', amount: 70 }]);
  await pushPurchase(client, { ...ofOther, version: 2, deleted: true });
  await pushLine(client, line(70));
  for (const reader of [client, a]) expect(await figure(reader, 'uninvoiced')).toEqual([]);
});

test('planned visits and work are those of open tickets that are to come', async () => {
  const { client, a, b, path } = await accepted();
  const start = noon + 24 * 60 * minute;
  const date = { start, end: start + minute, type: 'planned' };
  expect((await a.post(`${path}/dates`, { ...date, category: 'visit' })).status).toBe(201);
  const shown = { period: '2026-11-28', category: 'visit', count: 1 };
  for (const reader of [client, a]) expect(await figure(reader, 'planned?group_by=day')).toEqual([shown]);
  expect(await figure(client, 'planned?from=2026-11-29')).toEqual([]);
  expect(await figure(b, 'planned')).toEqual([]);
  await client.put(`${path}/cancel`, { reason_cancel: 'no' });
  expect(await figure(client, 'planned')).toEqual([]);
});

test('contractors: how long they took to answer, to come and to finish, what they declined, missed and left without report', async () => {
  const { client, a, b, path } = await ticketOfTwo(platform);
  after(45);
  await a.post(`${path}/accept`);
  const second = await newTicket(client);
  await client.post(`${second}/propose`, { contractor_ids: [b.id] });
  after(30);
  await b.post(`${second}/decline`, { reason: 'no' });
  const visit = { category: 'visit', start: clock + 10 * minute, end: clock + 20 * minute };
  await a.post(`${path}/dates`, { ...visit, type: 'planned' });
  after(30);
  expect((await a.post(`${path}/dates`, { ...visit, type: 'actual' })).status).toBe(201);
  after(60);
  await a.put(`${path}/finish`);
  const none = {
    proposed: 0,
    accepted: 0,
    declined: 0,
    visited: 0,
    finished: 0,
    kept: 0,
    missed: 0,
    without_report: 0,
  };
  const noTimes = { minutes_to_accept: null, minutes_to_visit: null, minutes_to_finish: null };
  const ofA = { proposed: 1, accepted: 1, visited: 1, finished: 1, kept: 1, without_report: 1 };
  const times = { minutes_to_accept: 45, minutes_to_visit: 40, minutes_to_finish: 120 };
  const items = await figure(client, 'contractors?group_by=contractor');
  expect(items).toEqual([
    { contractor: a.id, name: 'Fixit', ...none, ...ofA, ...times },
    { contractor: b.id, name: 'Fixit', ...none, ...noTimes, proposed: 2, declined: 1 },
  ]);
  expect(await figure(client, 'contractors?group_by=contractor&limit=1')).toEqual(items.slice(0, 1));
  expect(await figure(client, 'contractors')).toEqual([{ ...none, ...ofA, ...times, proposed: 3, declined: 1 }]);
  expect(await figure(a, 'contractors')).toEqual([{ ...none, ...ofA, ...times }]);
  await client.post(`${path}/open`);
  expect(await figure(a, 'contractors')).toMatchObject([{ finished: 0, without_report: 0, minutes_to_finish: null }]);
});

test.each([
  ['open?group_by=hour', 'group_by'],
  ['open?group_by=place,domain', 'group_by'],
  ['spend?group_by=place&from=2026-01-02', 'from'],
  ['spend?from=2026-02-30', 'from'],
  ['open?group_by=client', 'group_by'],
  ['open?group_by=place,age', 'group_by'],
  ['contractors?from=2026-01-02', 'from'],
])('%s is refused', async (asked, fault) => {
  expect(outcome(await platform.as().get(`/statistics/tickets/${asked}`))).toEqual([422, [fault]]);
});

test('a contractor groups by client, never by contractor, and another permission is not enough', async () => {
  const contractor = platform.as({ companyKind: 'contractor' });
  expect(outcome(await contractor.get('/statistics/tickets/open?group_by=contractor'))).toEqual([422, ['group_by']]);
  const accountant = platform.as({ permissions: ['accounting'] });
  expect(outcome(await accountant.get('/statistics/tickets/open'))).toEqual([403, 'forbidden']);
});

test('what is not counted yet is told, and a question reads rows alone, by their ids', async () => {
  const { client } = await accepted();
  expect((await client.get('/statistics/tickets/open')).data).toMatchObject({ pending: 1, items: [] });
  await platform.app.statistics.count();
  const ask = () => client.get('/statistics/tickets/spend?group_by=place,month');
  const plans: Profiled[] = await profiled({ connection: platform.connection }, ask);
  // The relay looks for its events whenever it likes.
  const isOfRelay = ({ planSummary = '' }: Profiled) => planSummary.includes('outbox');
  const read = plans.filter((one) => /\.(tickets|statistics)$/.test(one.ns) && !isOfRelay(one));
  expect(read.length).toBeGreaterThan(1);
  for (const { planSummary = '' } of read) expect(planSummary).toMatch(/_id|IDHACK|EXPRESS|uncounted/);
});

/** The ids of the tickets of a list, once everything is counted. */
async function listed(reader: Client, query: string): Promise<string[]> {
  await platform.app.statistics.count();
  const { status, data } = await reader.get(`/api/v3.0/tickets?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return data.tickets.map(({ _id }: { _id: string }) => _id);
}

test('the list behind a number has the tickets that it counts: as many, and those of the reader alone', async () => {
  const { client, a, b, path, line, parties } = await accepted();
  const date = { start: noon + 24 * 60 * minute, end: noon + 25 * 60 * minute, type: 'planned', category: 'visit' };
  expect((await a.post(`${path}/dates`, date)).status).toBe(201);
  await a.upload(`${path}/quotes`, { reference: 'D-1', price: '100' });
  await pushPurchase(client, aPurchase(parties, { date: '2026-11-20T00:00:00.000Z', amount: 120 }));
  const received = await accepted();
  const ofOther = { ticket: received.ticket, buyer: parties.buyer, supplier: null };
  await received.client.put('/internal/purchases', {
    purchases: [
      { purchase: aPurchase({ ...ofOther, buyer: received.client.caller.companyId }, { kind: 'goods_receipt' }) },
    ],
  });
  await newTicket(client);
  await pushLine(client, line(50));
  const id = idOf(path);
  const counts = async (reader: Client, path: string, of: Record<string, string>) =>
    (await figure(reader, path))
      .filter((item) => Object.entries(of).every(([name, value]) => item[name] === value))
      .reduce((sum, { count }) => sum + Number(count), 0);
  for (const [reader, counted, path, of, ids] of [
    [client, 'open', 'open', {}, 2],
    [client, 'planned.visit', 'planned', { category: 'visit' }, [id]],
    [client, 'planned.intervention', 'planned', { category: 'intervention' }, []],
    [a, 'planned', 'planned', {}, [id]],
    [client, 'ordered', 'commitments', { kind: 'ordered' }, [id]],
    [client, 'invoiced', 'commitments', { kind: 'invoiced' }, [id]],
    [a, 'billed.received', 'invoices', { standing: 'received' }, [id]],
    [a, 'billed.refused', 'invoices', { standing: 'refused' }, []],
    [a, 'quotes.pending', 'quotes', { state: 'pending' }, [id]],
    [client, 'uninvoiced.received', 'uninvoiced', { state: 'received' }, []],
    [received.client, 'uninvoiced.received', 'uninvoiced', { state: 'received' }, [received.ticket]],
    [b, 'quotes', 'quotes', {}, []],
  ] as const) {
    const found = await listed(reader, `counted_in=${counted}`);
    expect([counted, found.length]).toEqual([counted, await counts(reader, path, of)]);
    if (typeof ids !== 'number') expect([counted, found]).toEqual([counted, ids]);
  }
  expect(await listed(client, 'counted_in=ordered&counted_from=2026-11-20&counted_to=2026-11-21')).toEqual([id]);
  expect(await listed(client, 'counted_in=ordered&counted_to=2026-11-20')).toEqual([]);
  expect(await listed(client, 'counted_in=open&sort=updated_at&order=desc&limit=1')).toHaveLength(1);
  expect(await listed(client, `counted_in=open&contractor_id=${a.id}`)).toEqual([id]);
  const ofA = `contractor:${a.id}`;
  for (const [counted, of, ids] of [
    ['work.accepted', ofA, [id]],
    ['work.accepted', `contractor:${newId()}`, []],
    ['invoiced', `${ofA},currency:EUR`, [id]],
    ['invoiced', `${ofA},currency:CHF`, []],
    ['open', 'place:', await listed(client, 'counted_in=open')],
    ['open', `place:${newId()}`, []],
  ] as const) {
    const found = await listed(client, `counted_in=${counted}&counted_of=${of}`);
    expect([counted, of, found]).toEqual([counted, of, ids]);
  }
});

test('who declined a ticket has it no more, and it is behind the number all the same, and behind no other', async () => {
  const { client, a, b, path } = await ticketOfTwo(platform);
  for (const one of [a, b]) expect((await one.post(`${path}/decline`)).status).toBeLessThan(300);
  await newTicket(client);
  for (const one of [a, b]) {
    expect(await listed(client, `counted_in=work.declined&counted_of=contractor:${one.id}`)).toEqual([idOf(path)]);
    expect(await listed(client, `counted_in=work.declined&contractor_id=${one.id}`)).toEqual([]);
  }
});

test('a list of what counts in a figure follows the places that its reader is limited to, and knows its figures', async () => {
  const { client, path } = await accepted();
  const here = await place(client);
  await client.patch(path, { location_ids: [here] });
  await newTicket(client);
  const limited = platform.as({ ...client.caller, placeIds: [here] });
  expect(await listed(limited, 'counted_in=open')).toEqual([idOf(path)]);
  expect(await listed(client, `counted_in=open&location_id=${here}`)).toEqual([idOf(path)]);
  const wrongs = ['counted_in=opened', 'counted_in=open.', 'counted_in=open&counted_from=2026-13-01'];
  for (const wrong of [...wrongs, 'counted_in=open&counted_of=colour:red', 'counted_in=open&counted_of=place'])
    expect([wrong, (await client.get(`/api/v3.0/tickets?${wrong}`)).status]).toEqual([wrong, 422]);
  const { status, data } = await client.download('/api/v3.0/tickets/export?counted_in=open&format=csv&language=en');
  expect([status, String(data).trim().split('\r\n').length]).toEqual([200, 3]);
});

test('accounting lists what each ticket still has to be invoiced, as much as the figure, at its own places and in a file', async () => {
  const { client, a, line, parties } = await accepted();
  const here = await place(client);
  const other = await newTicket(client, { location_ids: [here] });
  await pushPurchase(client, aPurchase(parties, { date: '2026-11-20T00:00:00.000Z', amount: 120 }));
  await pushPurchase(client, aPurchase(parties, { date: '2026-11-21T00:00:00.000Z', kind: 'goods_receipt' }));
  await pushLine(client, line(50));
  const stranger = platform.as({ permissions: ['admin'] });
  const theirs = await newTicket(stranger);
  await client.put(`${other}/finish`);
  await stranger.put(`${theirs}/finish`);
  const accountant = platform.as({ ...client.caller, permissions: ['accounting'] });
  const accruals = async (query = '', reader = accountant) => {
    await platform.app.statistics.count();
    const { status, data } = await reader.get(`/invoice-tickets?${query}`);
    return [status, (data.items ?? []).map(({ _id }: { _id: string }) => _id)];
  };
  const [received, done] = [parties.ticket, idOf(other)];
  expect(await accruals()).toEqual([200, [received, done]]);
  const { items } = (await accountant.get('/invoice-tickets?state=received')).data;
  const left = { amount: 70, amount_with_vat: null, state: 'received', day: '2026-11-21' };
  expect(items).toEqual([expect.objectContaining({ _id: received, contractors: ['Fixit'], places: [], ...left })]);
  expect(await figure(accountant, 'uninvoiced?group_by=contractor')).toMatchObject([{ amount: 70 }, { amount: 0 }]);
  expect(await accruals('from=2026-11-21&to=2026-11-22')).toEqual([200, [received]]);
  expect(await accruals('to=2026-11-21')).toEqual([200, []]);
  expect(await accruals('', platform.as({ ...accountant.caller, placeIds: [here] }))).toEqual([200, [done]]);
  expect(await accruals('', stranger)).toEqual([200, [idOf(theirs)]]);
  for (const refused of [a, platform.as({ ...client.caller, permissions: ['tickets'] })])
    expect((await accruals('', refused))[0]).toBe(403);
  const file = await accountant.download('/invoice-tickets/export?format=csv&language=fr');
  expect(String(file.data)).toMatch(/;Fixit;;Reçu;2026-11-21;70;\r\n/);
  // Of what nobody ordered or quoted it is not known how much is left.
  expect(String(file.data)).toMatch(/;;Here;Fait;[\d-]{10};;$/);
  await pushLine(client, line(70));
  expect(await accruals()).toEqual([200, [done]]);
});
