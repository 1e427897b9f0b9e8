import { newId } from '@app/kernel';
import ICAL from 'ical.js';
import type { Ticket } from '../../tickets/ticket.ts';
import { type Client, idOf, newTicket, outcome, plansOf, ticketOfTwo, usePlatform } from '../platform.ts';

const noon = Date.parse('2026-10-24T10:00:00.000Z');
let clock = noon;
const platform = usePlatform({ now: () => new Date(clock) });
const quiet = usePlatform({ quiet: true });
const day = 86_400_000;
beforeEach(() => {
  clock = noon;
});

const week = 'from=2026-10-20&to=2026-11-20';
const agenda = async (reader: Client, query = week) => {
  const { status, data } = await reader.get(`/agenda?${query}`);
  expect([status, data]).toEqual([200, expect.anything()]);
  return data.entries as Record<string, unknown>[];
};
const plan = async (planner: Client, path: string, at: string, given: object = {}) => {
  const [start, end] = [Date.parse(at), Date.parse(at) + 3_600_000].map((ms) => new Date(ms).toISOString());
  const { status, data } = await planner.post(`${path}/dates`, { start, end, type: 'planned', ...given });
  expect(status).toBe(201);
  return data.date._id as string;
};

/** The events of the feed, as a calendar program reads them. */
async function feed(reader: Client, query = '') {
  const { status, data, headers } = await reader.get(`/agenda/feeds/any.ics?${query}`);
  expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(headers['cache-control']).toBe('private, max-age=300');
  const root = new ICAL.Component(ICAL.parse(data));
  for (const zone of root.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const events = root.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  return { text: data as string, events, etag: headers['etag'] as string };
}

/** A ticket of `client`, which `a` has and `b` was asked for; at a place whose clocks are known. */
async function given(title = 'Leak in the hall') {
  const made = await ticketOfTwo(platform);
  const { client, a, path } = made;
  const site = (await client.post('/api/v3.0/locations', { name: 'Siège, Lille; été' })).data.location._id;
  const room = (await client.post('/api/v3.0/locations', { name: 'Roof', parent_id: site })).data.location._id;
  const admin = platform.as({ ...client.caller, permissions: ['tickets', 'admin'] });
  const hours = { openings: [{ day: 1, from: '08:00', to: '18:00' }], holidays: null, closed: [] };
  const hoursOf = [null, site].map((location_id) => ({ ...hours, location_id, time_zone: 'Europe/Paris' }));
  expect((await admin.put('/clock-settings', { policies: [], hours: hoursOf })).status).toBe(200);
  expect((await client.patch(path, { location_ids: [room], title })).status).toBe(200);
  await a.post(`${path}/accept`);
  return { ...made, site, room };
}

test('both parties see what is planned and what was done, in the time zone of the place; others see nothing', async () => {
  const { client, a, b, path, room, ticket } = await given();
  const visit = await plan(a, path, '2026-10-26T08:00:00Z', { category: 'visit' });
  const shown = {
    _id: visit,
    category: 'visit',
    state: 'planned',
    start: '2026-10-26T08:00:00.000Z',
    end: '2026-10-26T09:00:00.000Z',
    time_zone: 'Europe/Paris',
    movable: true,
    ticket: { _id: ticket, number: expect.any(String), title: 'Leak in the hall', status: 'visit' },
    client: { _id: client.caller.companyId, name: client.caller.companyName },
    places: [{ _id: room, name: 'Roof' }],
  };
  expect(await agenda(client)).toEqual([{ ...shown, contractor: { _id: a.id, name: 'Fixit' } }]);
  expect(await agenda(a)).toEqual([{ ...shown, contractor: null }]);
  for (const stranger of [b, platform.as()]) {
    expect(await agenda(stranger)).toEqual([]);
    expect((await feed(stranger)).events).toEqual([]);
  }
  await plan(a, path, '2026-10-26T08:30:00Z', { category: 'visit', type: 'actual' });
  const done = { state: 'done', start: '2026-10-26T08:30:00.000Z', movable: false };
  for (const reader of [client, a]) expect(await agenda(reader)).toMatchObject([done]);
  expect(await agenda(client, 'from=2026-10-26T09:30Z&to=2026-11-20')).toEqual([]);
  expect(await agenda(client, 'from=2026-10-26T09:29Z&to=2026-11-20')).toHaveLength(1);
});

test('filters: a place with what is below it, a contractor, a manager; a limited user is held to their places', async () => {
  const { client, a, b, path, site, room } = await given();
  await plan(a, path, '2026-10-26T08:00:00Z');
  const count = async (reader: Client, query: string) => (await agenda(reader, `${week}&${query}`)).length;
  expect([await count(client, `place_id=${site}`), await count(client, `place_id=${newId()}`)]).toEqual([1, 0]);
  expect([await count(client, `contractor_id=${a.id}`), await count(client, `contractor_id=${b.id}`)]).toEqual([1, 0]);
  expect(await count(client, `manager_id=${newId()}`)).toBe(0);
  expect(outcome(await a.get(`/agenda?${week}&contractor_id=${a.id}`))).toEqual([403, 'contractor_id_clients_only']);
  const other = (await client.post('/api/v3.0/locations', { name: 'Elsewhere' })).data.location._id;
  const limitedTo = (place: string) => platform.as({ ...client.caller, userId: newId(), placeIds: [place] });
  const counts = async (place: string) => [
    (await agenda(limitedTo(place))).length,
    (await feed(limitedTo(place))).events.length,
  ];
  expect([await counts(site), await counts(room), await counts(other)]).toEqual([
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
  // The address of a user who has lost the right to see tickets stays, and shows nothing.
  const accountant = platform.as({ ...client.caller, permissions: ['accounting'] });
  for (const path of [`/agenda?${week}`, '/agenda/feeds/any.ics'])
    expect(outcome(await accountant.get(path))).toEqual([403, 'forbidden']);
});

test('a contractor reads the dates of all its clients, or of one; its calendar names the client of each', async () => {
  const { client, a, path } = await given();
  const second = platform.as({ companyName: 'Mairie' });
  const entry = await second.post('/api/v3.0/contractors', { name: 'Fixit', company_id: a.caller.companyId });
  expect((await a.put(`/api/v3.0/clients/requests/${entry.data._id}`)).status).toBe(204);
  const theirs = await newTicket(second, { title: 'Broken gate' });
  await second.post(`${theirs}/assign`, { contractor_id: entry.data._id });
  const [first, other] = [await plan(a, path, '2026-10-26T08:00:00Z'), await plan(a, theirs, '2026-10-26T10:00:00Z')];
  const ids = async (query: string) => (await agenda(a, `${week}${query}`)).map(({ _id }) => _id);
  expect(await ids('')).toEqual([first, other]);
  expect(await ids(`&client_id=${second.caller.companyId}`)).toEqual([other]);
  expect(await ids(`&client_id=${client.caller.companyId}`)).toEqual([first]);
  expect(await ids(`&client_id=${newId()}`)).toEqual([]);
  const own = client.caller.companyId;
  expect(outcome(await client.get(`/agenda?${week}&client_id=${own}`))).toEqual([403, 'client_id_contractors_only']);
  const { number } = (await second.get(theirs)).data;
  const summaries = async (reader: Client) => (await feed(reader)).events.map(({ summary }) => summary);
  expect(await summaries(a)).toContain(`Work · Mairie · ${number} Broken gate`);
  expect(await summaries(second)).toEqual([`Work · ${number} Broken gate`]);
});

test.each([
  ['a period of more than 62 days', 'from=2026-01-01&to=2026-03-05', ['to']],
  ['a period that ends before it begins', 'from=2026-01-02&to=2026-01-01', ['to']],
  ['no period', '', ['from', 'to']],
])('%s is refused', async (_what, query, at) => {
  expect(outcome(await platform.as().get(`/agenda?${query}`))).toEqual([422, at]);
});

test('a date is movable as far as the moves of its ticket have it, also once it has passed', async () => {
  const { client, a, path } = await given();
  const movable = async (reader: Client) => (await agenda(reader)).map((entry) => entry['movable']);
  const visit = await plan(a, path, '2026-10-26T08:00:00Z', { category: 'visit' });
  clock = noon + 10 * day;
  await platform.app.timers.sweep();
  expect((await client.get(path)).data.status).toBe('visit_devis');
  expect([await movable(client), await movable(a)]).toEqual([[true], [true]]);
  expect((await client.post(`${path}/reschedule`, { date_id: visit })).status).toBe(200);
  await plan(client, path, '2026-11-10T08:00:00Z', { category: 'visit' });
  const work = await plan(a, path, '2026-11-12T08:00:00Z');
  // A visit cannot be planned any more once work is.
  expect(await movable(a)).toEqual([false, true]);
  expect((await a.post(`${path}/reschedule`, { date_id: work })).status).toBe(200);
  expect(await agenda(a)).toHaveLength(1);
  await client.put(`${path}/cancel`, {});
  expect(await agenda(client)).toEqual([]);
});

test('a contractor that lost the ticket keeps what it did; what it had planned is canceled in its calendar', async () => {
  const { client, a, b, path } = await given();
  const uid = `${await plan(a, path, '2026-10-26T08:00:00Z')}@dates`;
  const before = (await feed(a)).events.find((event) => event.uid === uid);
  await client.post(`${path}/reschedule`, {});
  expect((await client.post(`${path}/assign`, { contractor_id: b.id })).status).toBe(200);
  const theirs = await plan(b, path, '2026-10-27T08:00:00Z');
  expect([await agenda(a), (await agenda(b)).map(({ _id }) => _id)]).toEqual([[], [theirs]]);
  const canceled = async () =>
    (await feed(a)).events.map((event) => [event.uid, event.component.getFirstPropertyValue('status')]);
  expect(await canceled()).toEqual([[uid, 'CANCELLED']]);
  const after = (await feed(a)).events.find((event) => event.uid === uid);
  expect(after?.sequence).toBeGreaterThan(before?.sequence as number);
  clock = noon + 31 * day;
  expect(await canceled()).toEqual([]);
});

test('a calendar program reads names, long lines and moments around a change of the clocks as they are', async () => {
  const title = `Fuite, vanne; "3\\4" 🚰 ${'é😀'.repeat(50)}`;
  const { client, a, path, ticket } = await given(title);
  await plan(a, path, '2026-10-25T00:30:00Z');
  await plan(a, path, '2026-10-25T01:30:00Z');
  await plan(a, path, '2026-07-14T07:00:00Z', { end: '2026-07-14T07:00:00Z' });
  const { text, events, etag } = await feed(client, 'language=fr');
  const number = (await client.get(path)).data.number;
  expect(events.map(({ summary }) => summary)).toEqual(Array(2).fill(`Intervention · ${number} ${title}`));
  expect(events[0]?.location).toBe('Roof');
  expect(events[0]?.description).toBe(`Fixit\nhttp://console.test/tickets/${ticket}`);
  // 02:30 of that night is there twice; programs take the first one.
  expect(events.map(({ startDate }) => [startDate.toString(), startDate.zone?.tzid])).toEqual(
    Array(2).fill(['2026-10-25T02:30:00', 'Europe/Paris']),
  );
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const again = await client.call('get', '/agenda/feeds/any.ics?language=fr', undefined, { 'if-none-match': etag });
  expect([again.status, again.data]).toEqual([304, '']);
  await client.patch(path, { title: 'Short' });
  expect((await feed(client, 'language=fr')).etag).not.toBe(etag);
});

/** Stores `count` tickets of the owner, each with actual visits at these moments. */
async function insertTickets(owner: Client, count: number, startsOf: (index: number) => Date[]) {
  const stored = await quiet.connection.collection<Ticket>('tickets').findOne({ _id: idOf(await newTicket(owner)) });
  const { companyId: company_id } = owner.caller;
  const insert = Array.from({ length: count }, (_, index) => {
    const dates = startsOf(index).map((start) => {
      const date = { _id: newId(), company_id, category: 'visit', type: 'actual', state: 'done' };
      return { ...date, start, end: start, created_at: start };
    });
    const agenda = [...new Set(dates.map(({ start }) => `${company_id}${Math.floor(start.getTime() / (7 * day))}`))];
    const views = [{ ...stored?.views[0], _id: newId() }];
    return { ...stored, _id: newId(), number: `T-${index}`, views, dates, agenda };
  });
  await quiet.connection.collection('tickets').insertMany(insert as never);
}

test('a limit counts what is in the period: tickets with dates before and after it, and none within, are not read', async () => {
  const owner = quiet.as();
  const [before, within, after] = [-2 * 3_600_000, 0, 5 * 3_600_000].map((ms) => new Date(noon + ms)) as [
    Date,
    Date,
    Date,
  ];
  await insertTickets(owner, 2_001, (index) => (index === 2_000 ? [before, within] : [before, after]));
  const period = (from: number, to: number) =>
    `from=${new Date(noon + from * 3_600_000).toISOString()}&to=${new Date(noon + to * 3_600_000).toISOString()}`;
  expect(await agenda(owner, period(-1, 1))).toMatchObject([{ start: within.toISOString() }]);
  // What begins with the period is in it, what begins with its end is not.
  expect(await agenda(owner, period(-1, 0))).toEqual([]);
  expect(await agenda(owner, period(0, 5))).toHaveLength(1);
  expect(outcome(await owner.get(`/agenda?${period(-3, 1)}`))).toEqual([422, 'list_too_broad']);
});

test('only tickets with dates in the wanted weeks are read, by the index', async () => {
  const owner = quiet.as();
  await insertTickets(owner, 400, (index) => [new Date(noon + (index - 200) * day)]);
  let entries: unknown[] = [];
  const plans = await plansOf(quiet.connection, async () => {
    entries = await agenda(owner, 'from=2026-10-22&to=2026-10-29');
  });
  expect(entries).toHaveLength(7);
  const [read, ...more] = plans.filter(({ ns }) => ns.endsWith('.tickets'));
  expect([more, read?.planSummary, read?.hasSortStage ?? false]).toEqual([[], 'IXSCAN { agenda: 1, _id: 1 }', false]);
  expect(read?.docsExamined).toBeLessThanOrEqual(14);
});
