import { listIn, neighboursOf } from '../../src/pages/tickets/list/list-neighbours.ts';
import {
  aboutOf,
  askedBy,
  begunDate,
  inOrder,
  laterDates,
  type Move,
  priceOf,
  undoOf,
} from '../../src/pages/tickets/moves/moves.ts';
import { dateState, shownDates } from '../../src/pages/tickets/sections/shown-dates.ts';
import type { HistoryItem, Note } from '../../src/pages/tickets/tickets.ts';
import { noteReaders } from '../../src/pages/tickets/timeline/note-readers.ts';
import { timelineOf } from '../../src/pages/tickets/timeline/timeline-entries.ts';
import {
  countOf,
  filtersOf,
  isSearch,
  listQuery,
  savedViews,
  type Ticket,
  workDate,
} from '../../src/pages/tickets/views.ts';

const id = '0123456789abcdef01234567';
const move = (operation: string, given: Partial<Move> = {}): Move => ({
  ...{
    operation: operation as Move['operation'],
    method: 'POST',
    path: `/api/v3.0/tickets/${id}/${operation}`,
    to: 'opened',
    needs: [],
  },
  ...given,
});

test('a view is a list of statuses, the newest first; a status of its own goes before it', () => {
  expect(listQuery({}, 'client')).toEqual({ order: 'desc' });
  expect(listQuery({ view: 'to-assign' }, 'client')).toEqual({
    order: 'desc',
    status: ['opened', 'waiting', 'declined'],
  });
  expect(
    listQuery({ view: 'to-assign', status: 'waiting', q: 'leak', priority: 'high', order: 'asc' }, 'client'),
  ).toEqual({
    ...{ order: 'asc', status: ['waiting'], q: 'leak', priority: 'high' },
  });
  expect(listQuery({ view: 'to-assign' }, 'contractor')).toEqual({ order: 'desc' });
});

test('filters by what the directory and the places hold are for clients, and take ids alone', () => {
  expect(listQuery({ contractor: id, place: id, manager: id }, 'client')).toEqual({
    ...{ order: 'desc', contractor_id: id, location_id: id, manager_id: id },
  });
  const takes = (party: 'client' | 'contractor', value: string) => filtersOf(party).place(value);
  expect([takes('client', id), takes('client', 'nonsense'), takes('contractor', id)]).toEqual([true, false, false]);
});

test.each([
  ['leak', true],
  ['T-000012', true],
  ['é', true],
  ['—', false],
  ['a '.repeat(11), false],
  ['a'.repeat(101), false],
])('%j is a search: %s', (text, taken) => {
  expect(isSearch(text)).toBe(taken);
});

test('a view has as many tickets as its statuses together, and may have more where one was counted to the limit', () => {
  const counts = { status: { opened: 2, waiting: 1, closed: 1_000 }, limit: 1_000 };
  expect(countOf(['opened', 'waiting'], counts)).toEqual({ count: 3, isMore: false });
  expect(countOf(['opened', 'closed'], counts)).toEqual({ count: 1_002, isMore: true });
  expect(countOf(['finished'], counts)).toEqual({ count: 0, isMore: false });
});

const [passed, yesterday, tomorrow, later] = [
  ...(['2026-11-20T08:00:00.000Z', '2026-11-23T08:00:00.000Z'] as const),
  ...(['2026-11-25T08:00:00.000Z', '2026-12-02T08:00:00.000Z'] as const),
];

test.each([
  ['the first to come', 'intervention', [later, null, passed, tomorrow], [], tomorrow],
  ['else the last that has passed', 'intervention_finish', [passed, yesterday], [], yesterday],
  ['none without one', 'intervention', [null], [], null],
  ['when it was done, though it was planned for later', 'finished', [tomorrow], [passed, yesterday], yesterday],
  ['the last that has passed, of what was finished without a report', 'closed', [yesterday, tomorrow], [], yesterday],
  ['none, if it was canceled before', 'canceled', [tomorrow], [], null],
] as const)('the date of the work is %s', (_case, status, planned, done, date) => {
  const dates = { intervention_scheduled_at: [...planned], intervention_occured_at: [...done] };
  expect(workDate({ status, ...dates }, new Date('2026-11-24T12:00:00Z'))).toBe(date);
});

test('a date that was planned is not to come any more once the ticket is over', () => {
  expect(dateState({ state: 'planned' }, { status: 'intervention' })).toBe('planned');
  expect(dateState({ state: 'planned' }, { status: 'finished' })).toBe('was_planned');
  expect(dateState({ state: 'done' }, { status: 'finished' })).toBe('done');
});

test('what the preferences hold is believed as far as it is views', () => {
  expect(savedViews([{ name: 'Mine', query: 'q=x' }, null, 7, { name: 'x' }])).toEqual([
    { name: 'Mine', query: 'q=x' },
  ]);
  expect(savedViews({})).toEqual([]);
  expect(savedViews(undefined)).toEqual([]);
});

test('every move is in the bar: the likeliest first, endings last', () => {
  const moves = ['cancel', 'accept', 'plan_visit', 'decline', 'something_new'].map((operation) => move(operation));
  const { primary, others } = inOrder(moves, 'proposed', 'contractor');
  expect(primary?.operation).toBe('accept');
  expect(others.map(({ operation }) => operation)).toEqual(['plan_visit', 'something_new', 'cancel', 'decline']);
});

test('of several quotes none is validated by the main button', () => {
  const quotes = ['a', 'b'].map((path) => move('validate_quote', { path }));
  expect(inOrder(quotes, 'validation', 'client')).toEqual({ primary: null, others: quotes });
  expect(inOrder(quotes.slice(0, 1), 'validation', 'client').primary).toBe(quotes[0]);
});

test.each([
  [move('accept'), 'nothing'],
  [move('propose', { needs: ['contractor_ids'] }), 'contractors'],
  [move('assign', { needs: ['contractor_id'] }), 'contractor'],
  [move('add_quote', { needs: ['reference', 'price', 'contractor_id'] }), 'quote'],
  [move('plan_visit', { needs: ['start', 'end'] }), 'dates'],
  [move('decline'), 'reason'],
  [move('remove'), 'confirm'],
  [move('visit_not_done'), 'confirm'],
  [move('finish'), 'confirm'],
  [move('unassign'), 'confirm'],
  [move('validate_quote'), 'confirm'],
  [move('decline_quote'), 'confirm'],
])('a move asks what it needs: %j', (given, asked) => {
  expect(askedBy(given, 'assigned')).toBe(asked);
});

test.each([
  ['finished', 'nothing', ['reopen', 'finish']],
  ['opened', 'nothing', ['reopen']],
  ['intervention', 'confirm', null],
  ['proposed', 'confirm', null],
] as const)('a ticket that is closed when %s asks: %s', (status, asked, undo) => {
  expect(askedBy(move('close'), status)).toBe(asked);
  expect(undoOf(move('close'), status)).toEqual(undo);
});

test('what is told as done is the planned date of its kind that has begun', () => {
  const date = (category: 'visit' | 'intervention', day: number, state: 'planned' | 'done' = 'planned') => ({
    ...{ category, state, start: `2026-11-${day}T08:00:00Z`, end: `2026-11-${day}T09:00:00Z` },
  });
  const dates = [
    date('intervention', 20, 'done'),
    date('visit', 21),
    date('intervention', 23),
    date('intervention', 26),
  ];
  const done = move('intervention_done', { body: { type: 'actual', category: 'intervention' } });
  expect(begunDate(dates, done, new Date('2026-11-24T12:00:00Z'))).toBe(dates[2]);
  expect(begunDate(dates, done, new Date('2026-11-22T12:00:00Z'))).toBeUndefined();
});

test('work that is done by then leaves later planned dates of its kind planned', () => {
  const planned = { category: 'intervention', state: 'planned', end: '2026-11-26T10:00:00Z' } as const;
  const [before, after] = ['2026-11-24T09:00:00Z', '2026-11-26T09:00:00Z'].map((start) => ({ ...planned, start }));
  const visit = { ...planned, category: 'visit', start: '2026-11-26T09:00:00Z' } as const;
  const missed = { ...visit, category: 'intervention', state: 'not_done' } as const;
  const done = move('intervention_done', { body: { type: 'actual', category: 'intervention' } });
  const all = [before, after, visit, missed].map((date) => date as NonNullable<typeof date>);
  expect(laterDates(all, done, '2026-11-24T12:00:00Z')).toEqual([after]);
  expect(laterDates(all, done, '')).toEqual([]);
});

test('a move is about the quote or date in its path, not about the ticket', () => {
  expect(aboutOf({ path: `/api/v3.0/tickets/${'f'.repeat(24)}/quotes/${id}/validate` })).toBe(id);
  expect(aboutOf({ path: `/api/v3.0/tickets/${id}/accept` })).toBeNull();
});

test.each([
  ['1 234,50', '1234.50'],
  ['1\u202f234,5\u00a0€', '1234.5'],
  ['12.30', '12.30'],
  ['abc', 'abc'],
])('the price %j goes to the API as %j', (written, sent) => {
  expect(priceOf(written)).toBe(sent);
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
    ...{ start: '2026-11-24T08:00:00Z', end: '2026-11-24T10:00:00Z' },
  };
  const actual = { ...planned, type: 'actual' as const };
  const later = { ...actual, end: '2026-11-24T11:00:00Z' };
  expect(shownDates([planned, actual])).toEqual([actual]);
  expect(shownDates([planned, later])).toEqual([planned, later]);
  const missed = { ...planned, state: 'not_done' as const };
  expect(shownDates([missed, actual])).toEqual([missed, actual]);
});
