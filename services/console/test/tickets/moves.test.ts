import { consequences, moves as names } from '../../src/pages/tickets/moves/move-texts.en.ts';
import {
  type Ask,
  aboutOf,
  askedBy,
  begunDate,
  inOrder,
  laterDates,
  type Move,
  undoOf,
} from '../../src/pages/tickets/moves/moves.ts';
import { ticketStatuses } from '../../src/words/status-words.ts';

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

type Row = [asked: Ask, needs: string[], moves: (keyof typeof names)[]];

const asked: Row[] = [
  ['nothing', [], ['submit', 'accept', 'take_charge', 'ask_to_plan', 'ask_for_date', 'reopen']],
  ['contractors', ['contractor_ids'], ['propose']],
  ['contractor', ['contractor_id'], ['assign']],
  ['reason', [], ['decline', 'cancel']],
  ['dates', ['start', 'end'], ['plan_visit', 'plan_intervention', 'visit_done', 'intervention_done']],
  ['dates', ['start', 'end'], ['visit_done_late', 'intervention_done_late']],
  ['reschedule', [], ['reschedule']],
  ['quote', ['reference', 'price', 'contractor_id'], ['add_quote', 'add_extra_quote']],
  ['confirm', [], ['qualify', 'unassign', 'finish', 'close', 'remove', 'validate_quote', 'decline_quote']],
  ['confirm', [], ['visit_not_done', 'intervention_not_done']],
];

test.each(asked)('%s is asked, as the API needs %j, for %j', (ask, needs, operations) => {
  for (const operation of operations) expect(askedBy(move(operation, { needs }), 'assigned')).toBe(ask);
});

test('these are all moves', () => {
  expect(asked.flatMap(([, , operations]) => operations).sort()).toEqual(Object.keys(names).sort());
});

test('whoever is asked for a reason or a confirmation is told what follows', () => {
  const withTextOfTheirOwn = ['remove', 'visit_not_done', 'intervention_not_done'];
  const told = asked.flatMap(([ask, , operations]) => (ask === 'reason' || ask === 'confirm' ? operations : []));
  expect([...Object.keys(consequences), ...withTextOfTheirOwn].sort()).toEqual(told.sort());
});

const statuses = Object.keys(ticketStatuses) as (keyof typeof ticketStatuses)[];

test.each(statuses)('no move is lost from the bar of a ticket that is %s', (status) => {
  const operations = Object.keys(names).sort();
  for (const party of ['client', 'contractor'] as const) {
    const { primary, others } = inOrder(
      operations.map((operation) => move(operation)),
      status,
      party,
    );
    const shown = [...(primary ? [primary] : []), ...others].map(({ operation }) => operation);
    expect(shown.sort()).toEqual(operations);
  }
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
    category,
    state,
    start: `2026-11-${day}T08:00:00Z`,
    end: `2026-11-${day}T09:00:00Z`,
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
