import { isSearch } from '../../src/api/search-text.ts';
import { neighboursOf } from '../../src/pages/tickets/list/list-neighbours.ts';
import {
  countOf,
  filtersOf,
  listQuery as listQueryIn,
  overdueIn,
  type Ticket,
  workDate,
} from '../../src/pages/tickets/list-query.ts';
import { dateState, shownDates } from '../../src/pages/tickets/sections/shown-dates.ts';
import type { HistoryItem, Note } from '../../src/pages/tickets/tickets.ts';
import { noteReaders } from '../../src/pages/tickets/timeline/note-readers.ts';
import { timelineOf } from '../../src/pages/tickets/timeline/timeline-entries.ts';
import { listIn } from '../../src/routing/from-list.ts';
import { savedQuery } from '../../src/session/saved-filters/saved-query.ts';

const id = '0123456789abcdef01234567';
const listQuery = (...[filter, party]: [Parameters<typeof listQueryIn>[0], 'client' | 'contractor']) =>
  listQueryIn(filter, party, 'Europe/Paris');

test('a view is a list of statuses, the newest first; a status of its own goes before it', () => {
  expect(listQuery({}, 'client')).toEqual({ order: 'desc' });
  expect(listQuery({ view: 'to-assign' }, 'client')).toEqual({
    order: 'desc',
    status: ['opened', 'waiting', 'declined'],
  });
  expect(
    listQuery({ view: 'to-assign', status: 'waiting', q: 'leak', priority: 'high', order: 'asc' }, 'client'),
  ).toEqual({
    order: 'asc',
    status: ['waiting'],
    q: 'leak',
    priority: 'high',
  });
  expect(listQuery({ view: 'to-assign' }, 'contractor')).toEqual({ order: 'desc' });
});

test('filters by what the directory and the places hold are for clients, and take ids alone', () => {
  expect(listQuery({ contractor: id, place: id, manager: id }, 'client')).toEqual({
    order: 'desc',
    contractor_id: id,
    location_id: id,
    manager_id: id,
  });
  const takes = (party: 'client' | 'contractor', value: string) => filtersOf(party).place(value);
  expect([takes('client', id), takes('client', 'nonsense'), takes('contractor', id)]).toEqual([true, false, false]);
  expect(listQuery({ client: id }, 'contractor')).toEqual({ order: 'desc', client_id: id });
  expect([filtersOf('contractor').client(id), filtersOf('client').client(id)]).toEqual([true, false]);
});

test.each([
  ['leak', true],
  ['T-000012', true],
  ['é', true],
  ['—', false],
  ['a '.repeat(11), false],
])('%j is a search: %s', (text, taken) => {
  expect(isSearch(text)).toBe(taken);
});

test('a view has as many tickets as its statuses together, and may have more where one was counted to the limit', () => {
  const counts = { status: { opened: 2, waiting: 1, closed: 1_000 }, overdue: 3, limit: 1_000 };
  expect(countOf(['opened', 'waiting'], counts)).toEqual({ count: 3, isMore: false });
  expect(countOf(['opened', 'closed'], counts)).toEqual({ count: 1_002, isMore: true });
  expect(countOf(['finished'], counts)).toEqual({ count: 0, isMore: false });
  expect(overdueIn(counts)).toEqual({ count: 3, isMore: false });
  expect(overdueIn({ ...counts, overdue: null })).toBeUndefined();
  expect(overdueIn({ ...counts, overdue: 1_000 })).toEqual({ count: 1_000, isMore: true });
});

const [passed, yesterday, tomorrow, later] = [
  '2026-11-20T08:00:00.000Z',
  '2026-11-23T08:00:00.000Z',
  '2026-11-25T08:00:00.000Z',
  '2026-12-02T08:00:00.000Z',
];

test.each([
  ['the first to come', 'intervention', [later, null, passed, tomorrow], [], tomorrow],
  ['else the last that has passed', 'intervention_finish', [passed, yesterday], [], yesterday],
  ['none without one', 'intervention', [null], [], null],
  ['when it was done, though it was planned for later', 'finished', [tomorrow], [passed, yesterday], yesterday],
  ['the last that has passed, of what was finished without a report', 'closed', [yesterday, tomorrow], [], yesterday],
  ['none, if it was canceled before', 'canceled', [tomorrow], [], null],
  ['that of the visit', 'visit_devis', [], [], passed],
] as const)('the date of the work is %s', (_case, status, planned, done, date) => {
  const dates = {
    intervention_scheduled_at: [...planned],
    intervention_occured_at: [...done],
    visit_scheduled_at: [passed],
  };
  expect(workDate({ status, ...dates }, new Date('2026-11-24T12:00:00Z'))).toBe(date);
});

test('a date that was planned is not to come any more once the ticket is over', () => {
  expect(dateState({ state: 'planned' }, { status: 'intervention' })).toBe('planned');
  expect(dateState({ state: 'planned' }, { status: 'finished' })).toBe('was_planned');
  expect(dateState({ state: 'done' }, { status: 'finished' })).toBe('done');
});

test('a saved query is the same whatever is selected, and in whatever order it was chosen', () => {
  expect(savedQuery('status=opened&i=1&q=a%20b')).toBe(savedQuery('q=a+b&status=opened'));
  expect(savedQuery('')).toBe('');
});

test('days are those of the user’s time zone; the last one is within the range', () => {
  const day = (iso: string) => String(Date.parse(iso));
  const dates = { created_from: '2026-03-28', created_to: '2026-03-29', work_to: '2026-03-29', due_to: '2026-03-28' };
  expect(listQuery({ ...dates, due_from: '2026-03-28', quote_from: '700.5' }, 'client')).toEqual({
    order: 'desc',
    created_after: day('2026-03-27T23:00:00Z'),
    // The clock changes on the last day.
    created_before: day('2026-03-29T22:00:00Z'),
    due_after: day('2026-03-27T23:00:00Z'),
    due_before: day('2026-03-28T23:00:00Z'),
    work_before: day('2026-03-29T22:00:00Z'),
    quote_from: 700.5,
  });
  expect(filtersOf('contractor').work_from('2026-03-28')).toBe(false);
});

test('the composer names the companies that read a note: who declined or lost the ticket does not', () => {
  const view = (name: string, state: string) => ({ role: 'contractor', state, name });
  const ticket = {
    client: { _id: id, name: 'Mairie' },
    views: [
      view('Fixit', 'active'),
      view('Slow', 'canceled'),
      view('No', 'declined'),
      { role: 'client', state: 'client', name: null },
    ],
  } as unknown as Pick<Ticket, 'client' | 'views'>;
  expect(noteReaders('public', ticket, 'Mairie')).toEqual(['Mairie', 'Fixit']);
  expect(noteReaders('internal', ticket, 'Fixit')).toEqual(['Fixit']);
  expect(noteReaders('managers', ticket, 'Mairie')).toBeNull();
});

test('the timeline holds notes between what happened, the newest first', () => {
  const event = (at: string) => ({ _id: at, at }) as HistoryItem;
  const note = { _id: 'n', created_at: '2026-11-24T11:00:00.000Z' } as Note;
  const entries = timelineOf([event('2026-11-24T10:00:00.000Z'), event('2026-11-24T12:00:00.000Z')], [note]);
  expect(entries.map(({ kind, at }) => [kind, at.slice(11, 13)])).toEqual([
    ['event', '12'],
    ['note', '11'],
    ['event', '10'],
  ]);
});

test.each([
  ['in the middle', 'b', 1, 'a', 'c'],
  ['first', 'a', 0, null, 'b'],
  ['last', 'c', 2, 'b', null],
  ['gone: what took its place comes next', 'x', 1, 'a', 'b'],
  ['gone from the end', 'x', 3, 'c', null],
  ['gone from the beginning', 'x', 0, null, 'a'],
  ['never in the list', 'x', null, null, null],
] as const)('beside a ticket of a list stand others: %s', (_what, ticket, place, previous, next) => {
  expect(neighboursOf(['a', 'b', 'c'], ticket, place)).toEqual({ previous, next });
});

test('a ticket may have been opened from no list', () => {
  expect([null, 'x', {}, { list: 7 }, { list: '' }].map(listIn)).toEqual([null, null, null, null, '']);
});

test('a date that took place just as planned is shown once, another one beside the plan', () => {
  const planned = {
    ...({ category: 'intervention', type: 'planned', state: 'done' } as const),
    start: '2026-11-24T08:00:00Z',
    end: '2026-11-24T10:00:00Z',
  };
  const actual = { ...planned, type: 'actual' as const };
  const later = { ...actual, end: '2026-11-24T11:00:00Z' };
  expect(shownDates([planned, actual])).toEqual([actual]);
  expect(shownDates([planned, later])).toEqual([planned, later]);
  const missed = { ...planned, state: 'not_done' as const };
  expect(shownDates([missed, actual])).toEqual([missed, actual]);
});
