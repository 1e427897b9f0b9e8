import { newId } from '@app/kernel';
import { createTicket } from '../../creation/create-ticket.ts';
import { assignView, withStatus, withViewFor } from '../../tickets/lifecycle/decision.ts';
import { bucketsAfter, bucketsOf, type ListQuery, listPlan } from '../../tickets/lists/ticket-list-plan.ts';
import { storedForm, ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { createTicketTimes } from '../../tickets/stores/ticket-times-store.ts';
import { type Priority, priorities, statuses, type Ticket, typologies, type UserRef } from '../../tickets/ticket.ts';
import type { Viewer } from '../../tickets/visibility.ts';
import { useTicketStores } from '../tickets/stores/ticket-stores.ts';

const page = 20;
const start = Date.parse('2026-01-01T00:00:00.500Z');
const minute = 60_000;
const today = new Date('2026-11-22T10:00:00.000Z');
const client: Viewer = { companyId: newId(), companyKind: 'client' };
const neighbour: Viewer = { companyId: newId(), companyKind: 'client' };
const elder: Viewer = { companyId: newId(), companyKind: 'client' };
const contractor: Viewer = { companyId: newId(), companyKind: 'contractor' };
const [locations, managers] = [Array.from({ length: 4 }, () => newId()), Array.from({ length: 3 }, () => newId())];
const equipments = Array.from({ length: 5 }, () => newId());
const [everywhere, seldom] = [newId(), newId()];

const stores = useTicketStores(() => today);
let ours: Ticket[];

/**
 * Two clients with 600 tickets each, minute by minute, in every status and typology, all with one
 * contractor, some proposed to another.
 */
beforeAll(async () => {
  ours = population(client);
  const saved = [...ours, ...population(neighbour)].map(storedForm);
  await stores.connection.model('Ticket').collection.insertMany(saved as never);
});

function population({ companyId }: Viewer): Ticket[] {
  const by: UserRef = { _id: newId(), firstName: 'A', lastName: 'B', email: 'a@b.c', company_id: companyId };
  const [candidate, other] = [
    { id: everywhere, company_id: contractor.companyId },
    { id: seldom, company_id: null },
  ];
  return Array.from({ length: 600 }, (_, index) => {
    const at = new Date(start + index * minute);
    const typology_id = typologyOf(index) as string;
    const places = {
      location_ids: [locations[index % 4] ?? ''],
      manager_ids: [managers[index % 3] ?? ''],
      equipment_ids: [equipments[index % 5] ?? ''],
    };
    const input = { title: titleOf(index), typology_id, priority: priorities[index % 4] as Priority, ...places };
    const ticket = createTicket({ input, number: numberOf(index), client: { _id: companyId, name: 'C' }, by }, at);
    const pending = { state: 'pending', status: 'proposed', expires_at: null } as const;
    const seen = withViewFor(ticket, candidate, pending);
    const status = statusOf(index) ?? 'opened';
    const worked = withStatus(assignView(seen, seen.views[1]?._id ?? '', at), status);
    return index % 10 === 0 ? withViewFor(worked, other, pending) : worked;
  });
}

const numberOf = (index: number) => `T-${String(index).padStart(6, '0')}`;
const titleOf = (index: number) => `${index % 20 === 0 ? 'Fuite d’eau' : 'Panne'} à l’Étage ${index % 7}`;

const time = (index: number) => new Date(start + index * minute);
const statusOf = (n: number) => statuses[n % statuses.length];
const typologyOf = (n: number) => Object.values(typologies)[n % 5];

const [here, there] = [{ location_id: locations[1] ?? '' }, { location_id: locations[2] ?? '' }];
const manager_id = managers[1] ?? '';
const { curatif, sinistre, maintenance } = typologies;
/** Each documented filter, and combinations; the last says which of our 600 tickets a page is taken from, by their numbers. */
const filters: [string, Partial<ListQuery>, (n: number) => boolean][] = [
  ['nothing', {}, () => true],
  [
    'a place with one below it',
    { location_ids: [locations[0], locations[3]] as string[] },
    (n) => n % 4 === 0 || n % 4 === 3,
  ],
  ['created_after', { created_after: time(500) }, (n) => n >= 500],
  ['created_before', { created_before: time(7) }, (n) => n < 7],
  ['both', { created_after: time(300), created_before: time(310) }, (n) => n >= 300 && n < 310],
  ['updated_after', { updated_after: time(589) }, (n) => n > 589],
  ['updated_after, of nearly all', { updated_after: time(9) }, (n) => n > 9],
  ['updated_after, of years ago', { updated_after: new Date(0) }, () => true],
  ['assigned_after', { assigned_after: time(589) }, (n) => n > 589],
  ['assigned_after, of nearly all', { assigned_after: time(9) }, (n) => n > 9],
  ['interventions', { interventions: true }, (n) => typologyOf(n) !== maintenance],
  ['maintenances', { maintenances: true }, (n) => typologyOf(n) === maintenance],
  ['typology', { typology: sinistre }, (n) => typologyOf(n) === sinistre],
  ['status', { status: ['validated'] }, (n) => statusOf(n) === 'validated'],
  ['several statuses', { status: ['opened', 'closed', 'created'] }, (n) => /opened|closed/.test(statusOf(n) ?? '')],
  ['every status', { status: [...statuses] }, () => true],
  [
    'status and typology',
    { status: ['visit'], typology: curatif },
    (n) => statusOf(n) === 'visit' && typologyOf(n) === curatif,
  ],
  [
    'status and created_after',
    { status: ['visit'], created_after: time(400) },
    (n) => statusOf(n) === 'visit' && n >= 400,
  ],
  ['location_id', here, (n) => n % 4 === 1],
  ['equipment_id', { equipment_id: equipments[1] ?? '' }, (n) => n % 5 === 1],
  ['location_id and status', { ...there, status: ['visit'] }, (n) => n % 4 === 2 && statusOf(n) === 'visit'],
  ['location_id and typology', { ...there, typology: curatif }, (n) => n % 4 === 2 && typologyOf(n) === curatif],
  ['location_id and every status', { ...here, status: [...statuses] }, (n) => n % 4 === 1],
  ['manager_id', { manager_id }, (n) => n % 3 === 1],
  ['manager_id and status', { manager_id, status: ['opened'] }, (n) => n % 3 === 1 && statusOf(n) === 'opened'],
  ['priority', { priority: 'high' }, (n) => priorities[n % 4] === 'high'],
  [
    'priority, status and typology',
    { priority: 'low', status: ['closed'], typology: sinistre },
    (n) => priorities[n % 4] === 'low' && statusOf(n) === 'closed' && typologyOf(n) === sinistre,
  ],
  ['contractor_id', { contractor_id: seldom }, (n) => n % 10 === 0],
  [
    'contractor_id and status',
    { contractor_id: seldom, status: ['draft', 'opened'] },
    (n) => n % 10 === 0 && /draft|opened/.test(statusOf(n) ?? ''),
  ],
  ['q, a number', { q: 't-000042' }, (n) => n === 42],
  ['q, a number without its zeros', { q: '420' }, (n) => n === 420],
  ['q, the beginning of a word', { q: 'FUI' }, (n) => n % 20 === 0],
  ['q, a word without its accent', { q: 'etage' }, () => true],
];

test.each(filters)(
  'a list by %s gives the right tickets, reads little more than it gives and never scans',
  async (_name, query, matches) => {
    const expected = ours
      .filter((_, n) => matches(n))
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

const atPlaces: [string, Partial<ListQuery>, (n: number) => boolean][] = [
  ['nothing', {}, () => true],
  ['status', { status: ['visit'] }, (n) => statusOf(n) === 'visit'],
  [
    'typology and time',
    { typology: sinistre, created_after: time(300) },
    (n) => typologyOf(n) === sinistre && n >= 300,
  ],
  ['updated_after', { updated_after: time(500) }, (n) => n > 500],
  ['location_id', here, (n) => n % 4 === 1],
  ['q', { q: 'fuite' }, (n) => n % 20 === 0],
];

test.each(atPlaces)(
  'a list of a user limited to places by %s is in order, and reads no other places',
  async (_name, query, matches) => {
    const limited = { ...client, placeIds: [locations[0] ?? '', locations[1] ?? ''] };
    const expected = ours.filter((_, n) => n % 4 < 2 && matches(n)).map(({ _id }) => _id);
    expect(expected.length).toBeGreaterThan(0);
    expect(await allIds({ limit: page, ...query }, limited)).toEqual(expected.sort());
    expect(await allIds({ limit: page, order: 'desc', ...query }, limited)).toEqual(expected.toReversed());
    const { stages } = await explain({ limit: page, ...query }, limited);
    expect([stages.includes('COLLSCAN'), stages.includes('SORT')]).toEqual([false, false]);
  },
);

test('the counts of a user limited to places are those of the places', async () => {
  const placeIds = [locations[3] ?? ''];
  const late = { _id: { $in: ours.slice(0, 8).map(({ _id }) => _id) } };
  await ticketCollection(stores.connection).updateMany(late, { $set: { clock_due_at: time(0) } });
  expect((await stores.tickets.counts(client)).overdue).toBe(8);
  const { status: counts, overdue } = await stores.tickets.counts({ ...client, placeIds });
  expect(overdue).toBe(2);
  const byStatus = Map.groupBy(
    ours.filter((_, n) => n % 4 === 3),
    ({ views }) => views[0]?.status,
  );
  expect(counts).toEqual(Object.fromEntries([...byStatus].map(([status, all]) => [status, all.length])));
});

test('an amount of a quote finds its tickets among all of the client, the newest first, by the index', async () => {
  const tickets = ticketCollection(stores.connection);
  const quoted = [3, 300, 597].map((n) => ours[n]?._id ?? '');
  await tickets.updateMany({ _id: { $in: quoted } }, { $set: { quote_amounts: [10, 261.25] } });
  await tickets.updateMany({ client_id: neighbour.companyId }, { $set: { quote_amounts: [261.25] } });
  const query = { limit: page, order: 'desc', quote_from: 261.25, quote_to: 261.25 } as const;
  expect(await idsOf(query, client)).toEqual(quoted.toReversed());
  expect(await idsOf({ ...query, cursor: quoted[2] ?? '' }, client)).toEqual([quoted[1], quoted[0]]);
  expect(await idsOf({ ...query, priority: priorities[1] as Priority }, client)).toEqual([quoted[2]]);
  expect(await idsOf(query, { ...client, placeIds: [locations[0] ?? ''] })).toEqual([quoted[1]]);
  const { plan, stages } = await explain(query, client);
  expect([stages.includes('COLLSCAN'), stages.includes('SORT')]).toEqual([false, false]);
  expect(plan.executionStats).toMatchObject({ totalDocsExamined: 3 });
  await tickets.updateMany({}, { $set: { quote_amounts: [] } });
});

test('of a user limited to places more is not counted for a file than is looked through', async () => {
  const { tickets } = stores;
  const many = Array.from({ length: 200 }, () => newId());
  expect(await tickets.count({ limit: page }, { ...client, placeIds: many }, 501)).toBe(501);
  expect(await tickets.count({ limit: page }, { ...client, placeIds: many.slice(0, 100) }, 501)).toBe(0);
  expect(await tickets.count({ limit: page, ...here }, client, 501)).toBe(150);
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

test('every change of updated_at moves a ticket in the order of lists too', async () => {
  const { connection } = stores;
  const times = createTicketTimes({ connection, now: () => today });
  const [changed, advanced, noted, followed] = population(elder).slice(0, 4) as [Ticket, Ticket, Ticket, Ticket];
  const all = [changed, advanced, noted, followed];
  const saved = all.map((ticket) => ({ ...ticket, ...bucketsOf(ticket) }));
  const tickets = connection.model('Ticket').collection;
  await tickets.insertMany(saved as never);
  const rename = (ticket: Ticket) => ({ ticket: { ...ticket, title: 'y' }, events: [] });
  await stores.tickets.change(changed._id, rename, { write: null });
  await connection.transaction((session) => times.advance(advanced._id, session));
  await times.reserveNote(noted._id, 1);
  await times.advanceTo(followed._id, today);
  const query = { limit: 10, updated_after: new Date(today.getTime() - 1), cursor: '0'.repeat(24) };
  expect(await idsOf(query, elder)).toEqual(all.map(({ _id }) => _id));
  await tickets.deleteMany({ 'views.company_id': elder.companyId });
});

test('a number finds the newest ticket of it, by the index', async () => {
  expect(await stores.tickets.idOfNumber('T-000042', client)).toBe(ours[42]?._id);
  expect(await stores.tickets.idOfNumber('T-000042', { companyId: newId(), companyKind: 'client' })).toBeNull();
});

async function idsOf(query: ListQuery, viewer: Viewer): Promise<string[]> {
  return (await stores.tickets.list(query, viewer)).items.map(({ _id }) => _id);
}

/** The ids of all pages. */
async function allIds(query: ListQuery, viewer: Viewer): Promise<string[]> {
  const given: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next = await stores.tickets.list({ ...query, ...(cursor ? { cursor } : {}) }, viewer);
    given.push(...next.items.map(({ _id }) => _id));
    cursor = next.cursor;
  }
  return given;
}

type Stage = { stage: string; inputStage?: Stage; inputStages?: Stage[] };
type Explained = {
  queryPlanner: { winningPlan: Stage };
  executionStats: { nReturned: number; totalDocsExamined: number; totalKeysExamined: number };
};

/** How MongoDB carries out the plan of a page. */
async function explain(query: ListQuery, viewer: Viewer) {
  const { filter, hint } = listPlan(query, viewer, today);
  const tickets = ticketCollection(stores.connection).find(filter as never, { hint });
  const page = tickets.sort({ _id: query.order === 'desc' ? -1 : 1 }).limit(query.limit);
  const plan = (await page.explain('executionStats')) as unknown as Explained;
  return { plan, stages: stagesOf(plan.queryPlanner.winningPlan) };
}

function stagesOf({ stage, inputStage, inputStages = [] }: Stage): string[] {
  const inputs = inputStage ? [inputStage, ...inputStages] : inputStages;
  return [stage, ...inputs.flatMap(stagesOf)];
}
