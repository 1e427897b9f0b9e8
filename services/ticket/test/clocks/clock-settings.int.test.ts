import { type AuditRecord, auditRecorded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, rowsOfCsv } from '@app/testing';
import { ruledBy } from '../../tickets/lifecycle/ticket-clocks.ts';
import { ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import { type Client, idOf, newTicket, outcome, tickets, usePlatform } from '../platform.ts';

/** A Friday, 17:40 in Lille. */
const friday = new Date('2026-11-27T16:40:00.000Z');
const hour = 3_600_000;
let time = friday;
const platform = usePlatform({ now: () => time });
beforeEach(() => {
  time = friday;
});

const openings = [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' }));
const lille = { location_id: null, time_zone: 'Europe/Paris', openings, holidays: 'FR', closed: [] };
const target = (amount: number, unit = 'hours') => ({ amount, unit });
const policy = (given: object = {}) => ({
  priority: 'high',
  location_id: null,
  domain_id: null,
  typology_id: null,
  response: target(4),
  arrival: target(10),
  finish: target(5, 'days'),
  warn_percent: 75,
  ...given,
});
const path = '/clock-settings';
const set = async (client: Client, policies: object[], hours: object[] = [lille]) =>
  expect(await client.put(path, { policies, hours })).toMatchObject({ status: 200, data: { policies, hours } });

async function applyAll(): Promise<void> {
  while (await platform.app.timers.applySettings());
}

const stored = async (ticketPath: string) =>
  (await ticketCollection(platform.connection).findOne({ _id: idOf(ticketPath) })) as unknown as Ticket & {
    clock_due_at: Date | null;
  };
const read = async (client: Client, ticketPath: string) => (await client.get(ticketPath)).data;
const idsOf = async (client: Client, query: string) =>
  (await client.get(`${tickets}?${query}`)).data.tickets.map(({ _id }: { _id: string }) => _id);
const deadlinesInFile = async (client: Client) => {
  const [titles = [], ...rows] = rowsOfCsv((await client.download(`${tickets}/export?sort=due_date`)).data, ',');
  return rows.map((row) => row[titles.indexOf('Deadline (UTC)')]);
};
const overdueOf = async (client: Client) => (await client.get(`${tickets}/counts`)).data.overdue;

/** A client of the time zone of Lille with a policy for high priorities, and a high one that was opened on Friday. */
async function begin() {
  const client = platform.as({ permissions: ['admin'] });
  await set(client, [policy()]);
  return { client, ticket: await newTicket(client, { priority: 'high' }) };
}

test('settings are read as they were set; without a policy, or with one of another priority, a ticket has no clocks', async () => {
  const client = platform.as({ permissions: ['admin'] });
  expect(await client.get(path)).toMatchObject({ status: 200, data: { policies: [], hours: [] } });
  await set(client, [policy()]);
  expect((await client.get(path)).data).toEqual({ policies: [policy()], hours: [lille] });
  const ticket = await newTicket(client, { priority: 'low' });
  expect(await read(client, ticket)).toMatchObject({ clocks: null, response_due_at: null, finish_due_at: null });
});

test('a ticket tells when what is due, what is left, and by which hours', async () => {
  const { client, ticket } = await begin();
  time = new Date(friday.getTime() + hour);
  expect(await read(client, ticket)).toMatchObject({
    response_due_at: '2026-11-30T10:40:00.000Z',
    arrival_due_at: '2026-11-30T16:40:00.000Z',
    finish_due_at: '2026-12-02T16:40:00.000Z',
    clocks: {
      response: { state: 'running', left_ms: 4 * hour - 1_200_000, late_ms: 0, target: target(4), pause: null },
      hours: { time_zone: 'Europe/Paris', openings },
    },
  });
});

test('moves of a ticket stop and end its clocks, and the contractor that has it sees them, no other', async () => {
  const { client, ticket } = await begin();
  const [worker, other] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  await client.post(`${ticket}/propose`, { contractor_ids: [worker.id, other.id] });
  expect(await read(worker, ticket)).toMatchObject({ status: 'proposed', clocks: null, response_due_at: null });
  time = new Date('2026-11-30T08:00:00Z');
  await worker.post(`${ticket}/accept`);
  const response = { state: 'met', reached_at: time.toISOString(), left_ms: 9_600_000 };
  expect((await read(worker, ticket)).clocks).toMatchObject({ response, arrival: { state: 'running' } });
  expect(await read(other, ticket)).toMatchObject({ status: 'canceled', clocks: null });
  time = new Date('2026-11-30T09:00:00Z');
  await worker.post(`${ticket}/ask-to-plan`);
  const { clocks, arrival_due_at } = await read(client, ticket);
  expect([clocks.arrival, arrival_due_at]).toMatchObject([{ state: 'paused', pause: 'client_asked' }, null]);
  time = new Date('2026-12-02T09:00:00Z');
  const start = '2026-12-02T08:30:00.000Z';
  await client.post(`${ticket}/dates`, { type: 'planned', start, end: start });
  await worker.post(`${ticket}/dates`, { type: 'actual', start, end: start });
  const done = (await read(client, ticket)).clocks;
  expect(done).toMatchObject({ arrival: { state: 'met', reached_at: start }, finish: { state: 'met' } });
  expect((await stored(ticket)).clock_due_at).toBeNull();
  expect(await deadlinesInFile(client)).toEqual(['']);
});

test('who reads by a clock that is behind that of the last change sees what that left', async () => {
  const { client, ticket } = await begin();
  const worker = await platform.contractorOf(client);
  await client.post(`${ticket}/assign`, { contractor_id: worker.id });
  time = new Date(friday.getTime() + hour);
  await worker.post(`${ticket}/ask-to-plan`);
  time = friday;
  const { clocks, arrival_due_at } = await read(client, ticket);
  expect([clocks.arrival, arrival_due_at]).toMatchObject([{ state: 'paused', pause: 'client_asked' }, null]);
});

test('of another priority a ticket keeps the time that has passed', async () => {
  const { client, ticket } = await begin();
  await set(client, [policy(), policy({ priority: 'medium', response: target(1) })]);
  time = new Date('2026-11-30T07:30:00Z');
  await client.patch(ticket, { priority: 'medium' });
  const { response } = (await read(client, ticket)).clocks;
  expect(response).toMatchObject({ due_at: '2026-11-30T07:40:00.000Z', left_ms: 600_000 });
});

test('changed settings, and places that move below others, reach open tickets, also one that was saved meanwhile by the former ones', async () => {
  const { client, ticket } = await begin();
  const [site, room] = await Promise.all(
    ['Site', 'Room'].map(async (name) => (await client.post('/api/v3.0/locations', { name })).data.location._id),
  );
  await set(client, [policy(), policy({ location_id: site, response: target(1) })]);
  const there = await newTicket(client, { priority: 'high', location_ids: [room] });
  const before = (await stored(there)).clock;
  await applyAll();
  await client.patch(`/api/v3.0/locations/${room}`, { parent_id: site });
  await applyAll();
  expect((await read(client, there)).response_due_at).toBe('2026-11-30T07:40:00.000Z');
  await set(client, [policy({ response: target(2) })]);
  await applyAll();
  for (const one of [ticket, there]) expect((await read(client, one)).response_due_at).toBe('2026-11-30T08:40:00.000Z');
  await ticketCollection(platform.connection).updateOne({ _id: idOf(there) }, { $set: { clock: before as never } });
  time = new Date(friday.getTime() + 61_000);
  await applyAll();
  expect((await read(client, there)).response_due_at).toBe('2026-11-30T08:40:00.000Z');
  const { version } = await stored(there);
  await set(client, [policy({ response: target(2) })]);
  await applyAll();
  expect((await stored(there)).version).toBe(version);
});

test('what is stored is what the rule gives, after every write', async () => {
  const { client, ticket } = await begin();
  const worker = await platform.contractorOf(client);
  const steps = [
    () => client.post(`${ticket}/assign`, { contractor_id: worker.id }),
    () => worker.post(`${ticket}/ask-to-plan`),
    () => client.patch(ticket, { priority: 'low' }),
    () => client.patch(ticket, { priority: 'high' }),
    () => client.put(`${ticket}/finish`),
    () => client.post(`${ticket}/open`),
  ];
  for (const [index, step] of steps.entries()) {
    time = new Date(friday.getTime() + index * 9 * hour);
    expect((await step()).status).toBe(200);
    const found = await stored(ticket);
    const clock = found.clock as NonNullable<Ticket['clock']>;
    const rules = index === 2 ? null : { targets: policy() as never, hours: lille as never, since: friday };
    expect(ruledBy({ ...found, clock }, rules)?.due).toEqual(clock.due);
    const due = Object.values(clock.due).flatMap((at) => at ?? []);
    expect(found.clock_due_at).toEqual(due.length === 0 ? null : new Date(Math.min(...due.map(Number))));
  }
});

test('lists find and sort what is due; a contractor finds what it has alone', async () => {
  const { client, ticket } = await begin();
  await set(client, [policy(), policy({ priority: 'low', response: target(1) })]);
  const soon = await newTicket(client, { priority: 'low' });
  await newTicket(client, { priority: 'none' });
  const [first, second] = [idOf(soon), idOf(ticket)];
  const monday = (time: string) => Date.parse(`2026-11-30T${time}:00Z`);
  expect(await idsOf(client, `due_after=${monday('07:00')}&sort=due_date`)).toEqual([first, second]);
  expect(await idsOf(client, `due_before=${monday('08:00')}`)).toEqual([first]);
  expect(await idsOf(client, 'overdue=true')).toEqual([]);
  expect(await overdueOf(client)).toBe(0);
  time = new Date(monday('09:00'));
  expect(await idsOf(client, 'overdue=true')).toEqual([first]);
  expect(await overdueOf(client)).toBe(1);
  const dueOf = async (one: string) => (await stored(one)).clock_due_at?.toISOString().slice(0, 16).replace('T', ' ');
  expect(await deadlinesInFile(client)).toEqual(['', await dueOf(soon), await dueOf(ticket)]);
  const worker = await platform.contractorOf(client);
  await client.post(`${soon}/propose`, { contractor_ids: [worker.id] });
  expect([await idsOf(worker, 'overdue=true'), await idsOf(worker, 'sort=due_date')]).toEqual([[], []]);
  expect(await overdueOf(worker)).toBe(0);
  await worker.post(`${soon}/accept`);
  expect(await idsOf(worker, `due_before=${monday('20:00')}`)).toEqual([first]);
  time = new Date(monday('20:00'));
  expect(await overdueOf(worker)).toBe(1);
});

test('the client moves a due date with a reason that its contractor reads; the contractor may not, nor move what was met or is past', async () => {
  const { client, ticket } = await begin();
  const worker = await platform.contractorOf(client);
  await client.post(`${ticket}/assign`, { contractor_id: worker.id });
  time = new Date('2026-12-01T08:00:00Z');
  expect((await read(worker, ticket)).clocks.arrival).toMatchObject({ state: 'missed', late_ms: 4_800_000 });
  const wanted = { clock: 'arrival', due_at: '2026-12-05T11:00:00.000Z', reason: 'The lift is closed' };
  expect(outcome(await worker.put(`${ticket}/due-date`, wanted))).toEqual([403, 'forbidden']);
  expect(outcome(await client.put(`${ticket}/due-date`, { ...wanted, due_at: time }))).toEqual([422, ['due_at']]);
  expect((await client.put(`${ticket}/due-date`, wanted)).status).toBe(200);
  expect((await read(worker, ticket)).clocks.arrival).toMatchObject({
    state: 'running',
    due_at: wanted.due_at,
    late_ms: 0,
  });
  const { items } = (await worker.get(`${ticket}/history`)).data;
  const text = `arrival ${wanted.due_at} ${wanted.reason}`;
  expect(items).toContainEqual(expect.objectContaining({ operation: 'move_due_date', text }));
  await client.put(`${ticket}/finish`);
  expect(outcome(await client.put(`${ticket}/due-date`, wanted))).toEqual([409, 'no_deadline']);
});

test('a preview tells the due dates of each policy at its place, and writes nothing', async () => {
  const client = platform.as();
  const place = newId();
  const night = { ...lille, location_id: place, openings: [{ day: 5, from: '00:00', to: '24:00' }] };
  const body = { policies: [policy(), policy({ location_id: place })], hours: [lille, night], opened_at: friday };
  const { status, data } = await client.post(`${path}/preview`, body);
  expect([status, data.due.map(({ response_due_at }: { response_due_at: string }) => response_due_at)]).toEqual([
    200,
    ['2026-11-30T10:40:00.000Z', '2026-11-27T20:40:00.000Z'],
  ]);
  expect((await client.get(path)).data.policies).toEqual([]);
});

test('a preview of a far time is refused, and a zone is named as the database has it', async () => {
  const client = platform.as({ permissions: ['admin'] });
  const body = { policies: [policy()], hours: [lille], opened_at: 8_640_000_000_000_000 };
  expect(outcome(await client.post(`${path}/preview`, body))).toEqual([422, ['opened_at']]);
  const hours = [{ ...lille, time_zone: 'europe/PARIS' }];
  expect((await client.put(path, { policies: [], hours })).data.hours).toEqual([lille]);
  const offset = [{ ...lille, time_zone: '+05:30' }];
  expect(outcome(await client.put(path, { policies: [], hours: offset }))).toEqual([422, ['hours.0.time_zone']]);
});

test('of a canceled ticket nothing is due any more, though it was late', async () => {
  const { client, ticket } = await begin();
  time = new Date('2026-11-30T12:00:00Z');
  expect(await idsOf(client, 'overdue=true')).toEqual([idOf(ticket)]);
  await client.put(`${ticket}/cancel`);
  expect(await idsOf(client, 'overdue=true')).toEqual([]);
  expect((await stored(ticket)).clock_due_at).toBeNull();
});

test('while a clock stands its due date cannot be moved; who is only asked does not read that one was', async () => {
  const { client, ticket } = await begin();
  const worker = await platform.contractorOf(client);
  const wanted = { clock: 'finish', due_at: '2026-12-05T11:00:00.000Z', reason: 'The lift is closed' };
  expect((await client.put(`${ticket}/due-date`, wanted)).status).toBe(200);
  await client.post(`${ticket}/propose`, { contractor_ids: [worker.id] });
  const read = async () =>
    (await worker.get(`${ticket}/history`)).data.items.map(({ operation }: { operation: string }) => operation);
  expect(await read()).not.toContain('move_due_date');
  await worker.post(`${ticket}/accept`);
  expect(await read()).toContain('move_due_date');
  await worker.post(`${ticket}/ask-to-plan`);
  expect(outcome(await client.put(`${ticket}/due-date`, wanted))).toEqual([409, 'no_deadline']);
});

test('a finished ticket keeps what it had at its end, whatever changes; reopened it goes by what holds then', async () => {
  const { client, ticket } = await begin();
  time = new Date('2026-11-30T11:40:00Z');
  await client.put(`${ticket}/finish`);
  const { clocks } = await read(client, ticket);
  expect(clocks).toMatchObject({
    response: { state: 'missed', late_ms: hour, reached_at: time.toISOString() },
    finish: { state: 'met' },
  });
  expect(clocks.hours).toBeUndefined();
  const always = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
  await set(client, [policy({ response: target(1) }), policy({ priority: 'low' })], [{ ...lille, openings: always }]);
  await applyAll();
  time = new Date('2026-11-30T12:00:00Z');
  await client.put(`${ticket}/close`);
  expect((await read(client, ticket)).clocks).toEqual(clocks);
  await set(client, [], []);
  expect((await read(client, ticket)).clocks).toEqual(clocks);
  await set(client, [policy({ response: target(1) })], [{ ...lille, openings: always }]);
  await client.post(`${ticket}/open`);
  expect((await read(client, ticket)).clocks.response).toMatchObject({ due_at: '2026-11-27T17:40:00.000Z' });
});

test('of two who change settings that they have read the second is told, also at the same time', async () => {
  const { client } = await begin();
  const { headers } = await client.get(path);
  const put = (response: object, tag = headers['etag']) =>
    client.call('put', path, { policies: [policy({ response })], hours: [lille] }, { 'If-Match': tag });
  const answers = await Promise.all([put(target(1)), put(target(2)), put(target(3))]);
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(1);
  for (const answer of answers.filter((one) => one !== taken[0])) expect([409, 412]).toContain(answer.status);
  expect(outcome(await put(target(9)))).toEqual([412, 'precondition_failed']);
  const now = await client.get(path);
  expect([now.data, now.headers['etag']]).toEqual([taken[0]?.data, taken[0]?.headers['etag']]);
  expect((await put(target(9), now.headers['etag'])).status).toBe(200);
});

test('who changed settings, and what, stands in the audit log; saved again as they are, nothing does', async () => {
  const events = await recordEvents(platform.broker, [auditRecorded], newId());
  const { client } = await begin();
  await set(client, [policy()]);
  await set(client, [policy({ response: target(9) })]);
  const own = () => events.filter(({ data }) => (data as AuditRecord).company_id === client.caller.companyId);
  // The first is that of the settings with which the test begins.
  await eventually(() => expect(own()).toHaveLength(2));
  const policies = [4, 9].map((amount) => [
    `high * * *: response ${amount} hours, arrival 10 hours, finish 5 days, 75%`,
  ]);
  const ofTest = own().filter(({ data }) => JSON.stringify(data).includes('response 9 hours'));
  expect(ofTest.map(({ data }) => data)).toMatchObject([
    {
      action: 'clock_settings.changed',
      actor: { user_id: client.caller.userId },
      target: { kind: 'company', id: client.caller.companyId },
      details: { changes: [{ field: 'policies', before: policies[0], after: policies[1] }] },
    },
  ]);
});

const twice = { ...policy(), response: null };
test.each<[string, object, string[]]>([
  ['a foreign place', { policies: [policy({ location_id: newId() })], hours: [lille] }, ['policies.0.location_id']],
  ['a foreign domain', { policies: [policy({ domain_id: newId() })], hours: [lille] }, ['policies.0.domain_id']],
  ['no hours of all places', { policies: [policy()], hours: [] }, ['hours']],
  ['two for the same tickets', { policies: [policy(), twice], hours: [lille] }, ['policies.1']],
  ['two hours of a place', { policies: [], hours: [lille, lille] }, ['hours.1']],
  ['an unknown zone', { policies: [], hours: [{ ...lille, time_zone: 'Lille' }] }, ['hours.0.time_zone']],
  [
    'openings that overlap',
    { policies: [], hours: [{ ...lille, openings: [...openings, { day: 1, from: '17:59', to: '24:00' }] }] },
    ['hours.0.openings.5'],
  ],
  [
    'an opening that ends first',
    { policies: [], hours: [{ ...lille, openings: [{ day: 1, from: '12:00', to: '08:00' }] }] },
    ['hours.0.openings.0'],
  ],
])('%s is refused', async (_, body, paths) => {
  expect(outcome(await platform.as({ permissions: ['admin'] }).put(path, body))).toEqual([422, paths]);
});

test('settings are for admins of clients to set, for their users to read, and for nobody else', async () => {
  const body = { policies: [], hours: [] };
  const user = platform.as({ permissions: ['tickets'] });
  expect(outcome(await user.put(path, body))).toEqual([403, 'forbidden']);
  expect((await user.get(path)).status).toBe(200);
  const contractor = platform.as({ companyKind: 'contractor', permissions: ['admin'] });
  expect(outcome(await contractor.get(path))).toEqual([403, 'clients_only']);
  expect(outcome(await contractor.put(path, body))).toEqual([403, 'clients_only']);
});
