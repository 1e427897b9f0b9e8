import { newId } from '@app/kernel';
import { runMigrations } from '@app/migrations';
import { ensureIndexes } from '@app/runtime';
import { testDatabase, testLogger } from '@app/testing';
import { createTicket } from '../../creation/create-ticket.ts';
import { migrations } from '../../migrations/index.ts';
import { createNoteStore } from '../../notes/note-store.ts';
import { assignView, withStatus, withViewFor } from '../../tickets/lifecycle/decision.ts';
import { bucketsAfter, bucketsOf, type ListQuery, listPlan } from '../../tickets/lists/ticket-list-plan.ts';
import { storedForm } from '../../tickets/stores/ticket-collection.ts';
import { createTicketStore } from '../../tickets/stores/ticket-store.ts';
import { createTicketTimes } from '../../tickets/stores/ticket-times-store.ts';
import { type Priority, priorities, statuses, type Ticket, typologies, type UserRef } from '../../tickets/ticket.ts';
import type { Viewer } from '../../tickets/visibility.ts';
import { explainPlan } from './explain-plan.ts';

const page = 20;
const start = Date.parse('2026-01-01T00:00:00.500Z');
const minute = 60_000;
const today = new Date('2026-11-22T10:00:00.000Z');
const client: Viewer = { companyId: newId(), companyKind: 'client' };
const neighbour: Viewer = { companyId: newId(), companyKind: 'client' };
const elder: Viewer = { companyId: newId(), companyKind: 'client' };
const contractor: Viewer = { companyId: newId(), companyKind: 'contractor' };
const [locations, managers] = [Array.from({ length: 4 }, () => newId()), Array.from({ length: 3 }, () => newId())];
const [everywhere, seldom] = [newId(), newId()];

let database: Awaited<ReturnType<typeof testDatabase>>;
let store: ReturnType<typeof createTicketStore>;
let ours: Ticket[];

/**
 * Two clients with 600 tickets each, minute by minute, in every status and typology, all with one
 * contractor, some proposed to another.
 */
beforeAll(async () => {
  database = await testDatabase();
  const { connection } = database;
  const relay = { watch() {}, committed() {}, start() {}, stop: async () => {} };
  store = createTicketStore({
    connection,
    relay,
    notes: createNoteStore({ connection, relay, now: () => today }),
    now: () => today,
  });
  await ensureIndexes(connection);
  ours = population(client);
  const saved = [...ours, ...population(neighbour)].map(storedForm);
  await connection.model('Ticket').collection.insertMany(saved as never);
});
afterAll(() => database.drop());

function population({ companyId }: Viewer): Ticket[] {
  const by: UserRef = { _id: newId(), firstName: 'A', lastName: 'B', email: 'a@b.c', company_id: companyId };
  const [candidate, other] = [
    { id: everywhere, company_id: contractor.companyId },
    { id: seldom, company_id: null },
  ];
  return Array.from({ length: 600 }, (_, index) => {
    const at = new Date(start + index * minute);
    const typology_id = Object.values(typologies)[index % 5] as string;
    const places = { location_ids: [locations[index % 4] ?? ''], manager_ids: [managers[index % 3] ?? ''] };
    const input = { title: titleOf(index), typology_id, priority: priorities[index % 4] as Priority, ...places };
    const ticket = createTicket({ input, number: numberOf(index), client: { _id: companyId, name: 'C' }, by }, at);
    const pending = { state: 'pending', status: 'proposed', expires_at: null } as const;
    const seen = withViewFor(ticket, candidate, pending);
    const status = statuses[index % statuses.length] ?? 'opened';
    const worked = withStatus(assignView(seen, seen.views[1]?._id ?? '', at), status);
    return index % 10 === 0 ? withViewFor(worked, other, pending) : worked;
  });
}

const numberOf = (index: number) => `T-${String(index).padStart(6, '0')}`;
const titleOf = (index: number) => `${index % 20 === 0 ? 'Fuite d’eau' : 'Panne'} à l’Étage ${index % 7}`;

const time = (index: number) => new Date(start + index * minute);
const at =
  (index: number) =>
  ({ location_ids }: Ticket) =>
    location_ids[0] === locations[index];
const leaks = ({ title }: Ticket) => title.startsWith('Fuite');
const isIn =
  (status: string) =>
  ({ views }: Ticket) =>
    views[0]?.status === status;

/** Each documented filter, and combinations; `matches` says over our 600 tickets what a page is taken from. */
const filters: [string, Partial<ListQuery>, (ticket: Ticket) => boolean][] = [
  ['nothing', {}, () => true],
  ['created_after', { created_after: time(500) }, ({ created_at }) => created_at >= time(500)],
  ['created_before', { created_before: time(7) }, ({ created_at }) => created_at < time(7)],
  [
    'created_after and created_before',
    { created_after: time(300), created_before: time(310) },
    ({ created_at }) => created_at >= time(300) && created_at < time(310),
  ],
  ['updated_after', { updated_after: time(589) }, ({ updated_at }) => updated_at > time(589)],
  ['updated_after, of nearly all', { updated_after: time(9) }, ({ updated_at }) => updated_at > time(9)],
  ['updated_after, of years ago', { updated_after: new Date(0) }, () => true],
  [
    'assigned_after',
    { assigned_after: time(589) },
    ({ assigned_at }) => assigned_at !== null && assigned_at > time(589),
  ],
  [
    'assigned_after, of nearly all',
    { assigned_after: time(9) },
    ({ assigned_at }) => assigned_at !== null && assigned_at > time(9),
  ],
  ['interventions', { interventions: true }, ({ typology_id }) => typology_id !== typologies.maintenance],
  ['maintenances', { maintenances: true }, ({ typology_id }) => typology_id === typologies.maintenance],
  ['typology', { typology: typologies.sinistre }, ({ typology_id }) => typology_id === typologies.sinistre],
  ['status', { status: ['validated'] }, ({ views }) => views[0]?.status === 'validated'],
  [
    'several statuses',
    { status: ['opened', 'closed', 'created'] },
    ({ views }) => ['opened', 'closed'].includes(views[0]?.status ?? ''),
  ],
  ['every status', { status: [...statuses] }, () => true],
  [
    'status and typology',
    { status: ['visit'], typology: typologies.curatif },
    ({ views, typology_id }) => views[0]?.status === 'visit' && typology_id === typologies.curatif,
  ],
  [
    'status and created_after',
    { status: ['visit'], created_after: time(400) },
    ({ views, created_at }) => views[0]?.status === 'visit' && created_at >= time(400),
  ],
  ['location_id', { location_id: locations[1] ?? '' }, at(1)],
  [
    'location_id and status',
    { location_id: locations[2] ?? '', status: ['visit'] },
    (one) => at(2)(one) && isIn('visit')(one),
  ],
  [
    'location_id and typology',
    { location_id: locations[2] ?? '', typology: typologies.curatif },
    (one) => at(2)(one) && one.typology_id === typologies.curatif,
  ],
  ['location_id and every status', { location_id: locations[1] ?? '', status: [...statuses] }, at(1)],
  ['manager_id', { manager_id: managers[1] ?? '' }, ({ manager_ids }) => manager_ids[0] === managers[1]],
  [
    'manager_id and status',
    { manager_id: managers[1] ?? '', status: ['opened'] },
    (one) => one.manager_ids[0] === managers[1] && isIn('opened')(one),
  ],
  ['priority', { priority: 'high' }, ({ priority }) => priority === 'high'],
  [
    'priority, status and typology',
    { priority: 'low', status: ['closed'], typology: typologies.sinistre },
    (one) => one.priority === 'low' && isIn('closed')(one) && one.typology_id === typologies.sinistre,
  ],
  ['contractor_id', { contractor_id: seldom }, ({ views }) => views.length === 3],
  [
    'contractor_id and status',
    { contractor_id: seldom, status: ['draft', 'opened'] },
    ({ views }) => views.length === 3 && ['draft', 'opened'].includes(views[0]?.status ?? ''),
  ],
  ['q, a number', { q: 't-000042' }, ({ number }) => number === 'T-000042'],
  ['q, a number without its zeros', { q: '420' }, ({ number }) => number === 'T-000420'],
  ['q, the beginning of a word', { q: 'FUI' }, leaks],
  ['q, a word without its accent', { q: 'etage' }, () => true],
];

test.each(filters)(
  'a list by %s gives the right tickets, reads little more than it gives and never scans',
  async (_name, query, matches) => {
    const expected = ours
      .filter(matches)
      .map(({ _id }) => _id)
      .sort();
    expect(expected.length).toBeGreaterThan(0);
    expect(await idsOf({ limit: page, ...query }, client)).toEqual(expected.slice(0, page));
    const newest = { limit: page, order: 'desc', ...query } as const;
    expect(await idsOf(newest, client)).toEqual(expected.toReversed().slice(0, page));
    expect((await explain(newest, client)).stages).not.toContain('SORT');
    const { plan, stages } = await explain({ limit: page, ...query }, client);
    expect(stages).not.toContain('COLLSCAN');
    expect(stages).toContain('IXSCAN');
    expect(stages).not.toContain('SORT');
    expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(plan.executionStats.nReturned + 1);
  },
);

test('a contractor lists by client, and never sees what was removed', async () => {
  const visible = ours
    .filter(({ views }) => views[1]?.status !== 'removed')
    .map(({ _id }) => _id)
    .sort();
  const query = { limit: 200, client_id: client.companyId };
  expect(await allIds(query, contractor)).toEqual(visible);
  expect(await allIds({ ...query, order: 'desc' }, contractor)).toEqual(visible.toReversed());
  const { plan, stages } = await explain(query, contractor);
  expect([stages.includes('COLLSCAN'), stages.includes('SORT')]).toEqual([false, false]);
  expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(225);
  expect(await idsOf({ limit: 10, status: ['removed'] }, contractor)).toEqual([]);
});

test('a cursor goes on where the page before ended, by the index', async () => {
  const sorted = ours.map(({ _id }) => _id).sort();
  const query = { limit: page, cursor: sorted[299] ?? '' };
  expect(await idsOf(query, client)).toEqual(sorted.slice(300, 300 + page));
  expect(await idsOf({ ...query, order: 'desc' }, client)).toEqual(sorted.slice(299 - page, 299).toReversed());
  const { plan } = await explain(query, client);
  expect(plan.executionStats.totalDocsExamined).toBe(page);
});

const windows: [string, (after: Date) => Partial<ListQuery>][] = [
  ['updated_after', (after) => ({ updated_after: after })],
  ['assigned_after', (after) => ({ assigned_after: after })],
];

test.each(windows)('a page of %s costs the same anywhere in a window of any size', async (_name, by) => {
  const examined = async (query: Partial<ListQuery>, viewer: Viewer) => {
    const { plan, stages } = await explain({ limit: page, ...query }, viewer);
    const { totalDocsExamined, totalKeysExamined } = plan.executionStats;
    expect([stages.includes('SORT'), stages.includes('COLLSCAN'), totalDocsExamined]).toEqual([false, false, page]);
    return totalKeysExamined;
  };
  const ids = ours.map(({ _id }) => _id).sort();
  // One key for each ticket of the page, one for each bucket, and those in the first bucket that
  // are too early.
  const most = page + (bucketsAfter(time(0), today)?.length ?? 0) + 50;
  for (const index of [0, 300, 500]) {
    expect(await examined(by(time(index)), client)).toBeLessThanOrEqual(most + index);
    expect(await examined({ ...by(time(0)), cursor: ids[index] ?? '' }, client)).toBeLessThanOrEqual(most);
  }
});

test.each(windows)('the pages of %s give every ticket of the window once, in order of ids', async (_name, by) => {
  const expected = ours.slice(101).map(({ _id }) => _id);
  expect(await allIds({ limit: 100, ...by(time(100)) }, client)).toEqual(expected.sort());
});

/** Every migration from its beginning, as after a restart of an old copy. */
async function migrateAgain(): Promise<void> {
  const { connection } = database;
  await connection.collection('migrations').deleteMany({});
  await runMigrations({ connection, migrations, logger: testLogger() });
}

test.each(windows)(
  '%s finds tickets stored by the previous version, before and after their migration',
  async (_name, by) => {
    const tickets = database.connection.model('Ticket').collection;
    const [old, changed] = [population(elder).slice(0, 50), population(elder).slice(50, 100)];
    // A release without buckets also changes tickets that have some, and leaves the buckets as they
    // are.
    const moved = changed.map((ticket) => ({ ...ticket, ...bucketsOf(ticket), updated_at: today, assigned_at: today }));
    await tickets.insertMany([...old, ...moved] as never);
    const all = async () => (await idsOf({ limit: 200, ...by(time(-1)) }, elder)).length;
    const late = async () => (await idsOf({ limit: 40, ...by(new Date(today.getTime() - 1)) }, elder)).length;
    expect(await all()).toBe(100);
    await migrateAgain();
    expect([await all(), await late()]).toEqual([100, 40]);
    await tickets.deleteMany({ 'views.company_id': elder.companyId });
  },
);

test('every change of updated_at moves a ticket in the order of lists too', async () => {
  const { connection } = database;
  const times = createTicketTimes({ connection, now: () => today });
  const [changed, advanced, noted, followed] = population(elder).slice(0, 4) as [Ticket, Ticket, Ticket, Ticket];
  const all = [changed, advanced, noted, followed];
  const saved = all.map((ticket) => ({ ...ticket, ...bucketsOf(ticket) }));
  const tickets = connection.model('Ticket').collection;
  await tickets.insertMany(saved as never);
  await store.change(changed._id, (ticket) => ({ ticket: { ...ticket, title: 'y' }, events: [] }));
  await connection.transaction((session) => times.advance(advanced._id, session));
  await times.reserveNote(noted._id, 1);
  await times.advanceTo(followed._id, today);
  const query = { limit: 10, updated_after: new Date(today.getTime() - 1), cursor: '0'.repeat(24) };
  expect(await idsOf(query, elder)).toEqual(all.map(({ _id }) => _id));
  await tickets.deleteMany({ 'views.company_id': elder.companyId });
});

test('a number finds the newest ticket of it, by the index', async () => {
  expect(await store.idOfNumber('T-000042', client)).toBe(ours[42]?._id);
  expect(await store.idOfNumber('T-000042', { companyId: newId(), companyKind: 'client' })).toBeNull();
});

async function idsOf(query: ListQuery, viewer: Viewer): Promise<string[]> {
  return (await store.list(query, viewer)).items.map(({ _id }) => _id);
}

/** The ids of all pages. */
async function allIds(query: ListQuery, viewer: Viewer): Promise<string[]> {
  const given: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next = await store.list({ ...query, ...(cursor ? { cursor } : {}) }, viewer);
    given.push(...next.items.map(({ _id }) => _id));
    cursor = next.cursor;
  }
  return given;
}

function explain(query: ListQuery, viewer: Viewer) {
  return explainPlan(database.connection, listPlan(query, viewer, today), query);
}
