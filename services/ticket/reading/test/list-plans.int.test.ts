import { newId } from '@app/kernel';
import { runMigrations } from '@app/migrations';
import { ensureIndexes } from '@app/runtime';
import { testDatabase, testLogger } from '@app/testing';
import { createTicket } from '../../creation/create-ticket.ts';
import { migrations } from '../../migrations/index.ts';
import { createNoteStore } from '../../notes/note-store.ts';
import { assignView, withStatus, withViewFor } from '../../tickets/decision.ts';
import { statuses, type Ticket, typologies, type UserRef } from '../../tickets/ticket.ts';
import { bucketsAfter, bucketsOf, type ListQuery, listPlan } from '../../tickets/ticket-list-plan.ts';
import { createTicketStore } from '../../tickets/ticket-store.ts';
import { createTicketTimes } from '../../tickets/ticket-times-store.ts';
import type { Viewer } from '../../tickets/visibility.ts';

type Stage = { stage: string; inputStage?: Stage; inputStages?: Stage[] };
type Plan = {
  queryPlanner: { winningPlan: Stage };
  executionStats: { nReturned: number; totalDocsExamined: number; totalKeysExamined: number };
};

const page = 20;
const start = Date.parse('2026-01-01T00:00:00.500Z');
const minute = 60_000;
const today = new Date('2026-11-22T10:00:00.000Z');
const client: Viewer = { companyId: newId(), companyKind: 'client' };
const neighbour: Viewer = { companyId: newId(), companyKind: 'client' };
const elder: Viewer = { companyId: newId(), companyKind: 'client' };
const contractor: Viewer = { companyId: newId(), companyKind: 'contractor' };

let database: Awaited<ReturnType<typeof testDatabase>>;
let store: ReturnType<typeof createTicketStore>;
let ours: Ticket[];

/** Two clients with 600 tickets each, minute by minute, in every status and typology, all with one contractor. */
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
  const saved = [...ours, ...population(neighbour)].map((ticket) => ({ ...ticket, ...bucketsOf(ticket) }));
  await connection.model('Ticket').collection.insertMany(saved as never);
});
afterAll(() => database.drop());

function population({ companyId }: Viewer): Ticket[] {
  const by: UserRef = { _id: newId(), firstName: 'A', lastName: 'B', email: 'a@b.c', company_id: companyId };
  const candidate = { id: newId(), company_id: contractor.companyId };
  return Array.from({ length: 600 }, (_, index) => {
    const at = new Date(start + index * minute);
    const typology_id = Object.values(typologies)[index % 5] as string;
    const ticket = createTicket(
      { input: { title: 'x', typology_id }, number: `T-${index}`, client: { _id: companyId, name: 'C' }, by },
      at,
    );
    const seen = withViewFor(ticket, candidate, { state: 'pending', status: 'proposed', expires_at: null });
    return withStatus(assignView(seen, seen.views[1]?._id ?? '', at), statuses[index % statuses.length] ?? 'opened');
  });
}

const time = (index: number) => new Date(start + index * minute);
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
];

test.each(filters)(
  'a list by %s gives the right tickets, reads little more than it gives and never scans',
  async (_name, query, matches) => {
    const expected = ours
      .filter(matches)
      .map(({ _id }) => _id)
      .sort();
    expect(expected.length).toBeGreaterThan(0);
    const found = await store.list({ limit: page, ...query }, client);
    expect(found.map(({ _id }) => _id)).toEqual(expected.slice(0, page));
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
  const first = await store.list(query, contractor);
  const second = await store.list({ ...query, cursor: first.at(-1)?._id ?? '' }, contractor);
  const third = await store.list({ ...query, cursor: second.at(-1)?._id ?? '' }, contractor);
  expect([...first, ...second, ...third].map(({ _id }) => _id)).toEqual(visible);
  const { plan, stages } = await explain(query, contractor);
  expect([stages.includes('COLLSCAN'), stages.includes('SORT')]).toEqual([false, false]);
  expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(225);
  expect(await store.list({ limit: 10, status: ['removed'] }, contractor)).toEqual([]);
});

test('a cursor goes on where the page before ended, by the index', async () => {
  const sorted = ours.map(({ _id }) => _id).sort();
  const query = { limit: page, cursor: sorted[299] ?? '' };
  expect((await store.list(query, client)).map(({ _id }) => _id)).toEqual(sorted.slice(300, 300 + page));
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
  // A key for each ticket given, one for each two days asked about, and what the two days before had in them.
  const most = page + (bucketsAfter(time(0), today)?.length ?? 0) + 50;
  for (const index of [0, 300, 500]) {
    expect(await examined(by(time(index)), client)).toBeLessThanOrEqual(most + index);
    expect(await examined({ ...by(time(0)), cursor: ids[index] ?? '' }, client)).toBeLessThanOrEqual(most);
  }
});

test.each(windows)('the pages of %s give every ticket of the window once, in order of ids', async (_name, by) => {
  const expected = ours.slice(101).map(({ _id }) => _id);
  const given: string[] = [];
  for (let cursor: string | undefined; given.length < 600; cursor = given.at(-1)) {
    const next = await store.list({ limit: 100, ...by(time(100)), ...(cursor ? { cursor } : {}) }, client);
    if (next.length === 0) break;
    given.push(...next.map(({ _id }) => _id));
  }
  expect(given).toEqual(expected.sort());
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
    // One version had no buckets; it also changes tickets that have some, and leaves them as they are.
    const moved = changed.map((ticket) => ({ ...ticket, ...bucketsOf(ticket), updated_at: today, assigned_at: today }));
    await tickets.insertMany([...old, ...moved] as never);
    const all = async () => (await store.list({ limit: 200, ...by(time(-1)) }, elder)).length;
    const late = async () => (await store.list({ limit: 40, ...by(new Date(today.getTime() - 1)) }, elder)).length;
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
  expect((await store.list(query, elder)).map(({ _id }) => _id)).toEqual(all.map(({ _id }) => _id));
  await tickets.deleteMany({ 'views.company_id': elder.companyId });
});

test('a number finds the newest ticket of it, by the index', async () => {
  expect(await store.idOfNumber('T-42', client)).toBe(ours[42]?._id);
  expect(await store.idOfNumber('T-42', { companyId: newId(), companyKind: 'client' })).toBeNull();
});

async function explain(query: ListQuery, viewer: Viewer): Promise<{ plan: Plan; stages: string[] }> {
  const { filter, hint } = listPlan(query, viewer, today);
  const cursor = database.connection
    .model('Ticket')
    .collection.find(filter, { hint })
    .sort({ _id: 1 })
    .limit(query.limit);
  const plan = (await cursor.explain('executionStats')) as unknown as Plan;
  return { plan, stages: stagesOf(plan.queryPlanner.winningPlan) };
}

function stagesOf({ stage, inputStage, inputStages = [] }: Stage): string[] {
  return [stage, ...[...(inputStage ? [inputStage] : []), ...inputStages].flatMap(stagesOf)];
}
