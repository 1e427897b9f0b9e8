import { type ClockHistory, clocks, type StatusChange, type Targets } from '../../clocks/clocks.ts';
import { frenchHolidays } from '../../clocks/french-holidays.ts';
import { type Hours, workingTime } from '../../clocks/working-time.ts';

const week = [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' }));
const lille: Hours = { time_zone: 'Europe/Paris', openings: week, holidays: 'FR', closed: ['2026-12-24'] };
const hour = 3_600_000;
const targets: Targets = {
  response: { amount: 4, unit: 'hours' },
  arrival: { amount: 10, unit: 'hours' },
  finish: { amount: 5, unit: 'days' },
  warn_percent: 75,
};

const moment = (text: string) => new Date(`${text}:00+01:00`);
const change = (text: string, status: StatusChange['status'], asks_client = false): StatusChange => ({
  at: moment(text),
  status,
  asks_client,
});
const history = (changes: StatusChange[], given: Partial<ClockHistory> = {}): ClockHistory => ({
  changes,
  moves: [],
  arrived_at: null,
  ...given,
});

// 27 November 2026 is a Friday.
const opened = change('2026-11-27T17:40', 'opened');

test('four hours from Friday 17:40 end on Monday 11:40; five days at the same time of the day', () => {
  const { response, finish } = clocks(history([opened]), targets, lille, moment('2026-11-27T17:50'));
  const none = { reached_at: null, pause: null, late_ms: 0 };
  expect(response).toEqual({
    ...none,
    state: 'running',
    due_at: moment('2026-11-30T11:40'),
    warn_at: moment('2026-11-30T10:40'),
    left_ms: 4 * hour - 600_000,
  });
  expect(finish).toMatchObject({ state: 'running', due_at: moment('2026-12-02T17:40') });
});

test('what waits for the client stops the clocks; they go on with what was left', () => {
  const quoted = [opened, change('2026-11-30T09:00', 'validation')];
  const { response, arrival } = clocks(history(quoted), targets, lille, moment('2026-12-01T12:00'));
  expect(response).toMatchObject({
    state: 'met',
    reached_at: moment('2026-11-30T09:00'),
    left_ms: 2 * hour + 2_400_000,
  });
  expect(arrival).toMatchObject({
    state: 'paused',
    pause: 'quotes_to_decide',
    due_at: null,
    left_ms: 8 * hour + 2_400_000,
  });
  const decided = [...quoted, change('2026-12-02T17:00', 'validated')];
  const after = clocks(history(decided), targets, lille, moment('2026-12-02T17:30')).arrival;
  expect(after).toMatchObject({ state: 'running', pause: null, due_at: moment('2026-12-03T15:40') });
});

test.each([
  [true, { state: 'paused', pause: 'client_asked' }],
  [false, { state: 'running', pause: null }],
])('who asked for the plan decides whether it waits for the client (%s)', (asks_client, wanted) => {
  const asked = history([opened, change('2026-11-30T08:00', 'toplan', asks_client)]);
  expect(clocks(asked, targets, lille, moment('2026-11-30T09:00')).arrival).toMatchObject(wanted);
});

test('a reopened ticket has the time that it had left; what was late stays late', () => {
  const days = { ...targets, finish: { amount: 1, unit: 'days' } as const };
  const done = [opened, change('2026-11-28T11:40', 'finished')];
  expect(clocks(history(done), days, lille, moment('2026-12-09T00:00')).finish).toMatchObject({
    state: 'met',
    left_ms: 6 * hour,
  });
  const again = [...done, change('2026-12-09T10:00', 'opened')];
  const running = { state: 'running', due_at: moment('2026-12-09T16:00') };
  expect(clocks(history(again), days, lille, moment('2026-12-09T11:00')).finish).toMatchObject(running);
  const late = [...again, change('2026-12-09T18:00', 'closed')];
  const missed = { state: 'missed', late_ms: 2 * hour, reached_at: moment('2026-12-09T18:00') };
  expect(clocks(history(late), days, lille, moment('2026-12-10T00:00')).finish).toMatchObject(missed);
});

test('a moved due date holds until the next pause, and what is late by the former one no longer is', () => {
  const moves = [{ at: moment('2026-12-01T09:00'), clock: 'response' as const, due_at: moment('2026-12-05T12:00') }];
  const before = clocks(history([opened]), targets, lille, moment('2026-12-01T09:00')).response;
  expect(before).toMatchObject({ state: 'missed', late_ms: 7 * hour + 1_200_000 });
  const moved = clocks(history([opened], { moves }), targets, lille, moment('2026-12-01T09:00')).response;
  expect(moved).toMatchObject({ state: 'running', due_at: moment('2026-12-05T12:00'), left_ms: 39 * hour, late_ms: 0 });
});

test('arrival is when the first visit or work began, and no earlier than the ticket', () => {
  const visited = (arrived_at: Date) =>
    clocks(history([opened], { arrived_at }), targets, lille, moment('2026-12-03T09:00'));
  expect(visited(moment('2026-11-30T10:00')).arrival).toMatchObject({
    state: 'met',
    reached_at: moment('2026-11-30T10:00'),
  });
  expect(visited(moment('2026-11-30T10:00')).response).toMatchObject({ state: 'met' });
  expect(visited(moment('2026-11-20T10:00')).arrival).toMatchObject({ state: 'met', reached_at: opened.at });
});

test('without a time, or before it is opened, a ticket has no clock', () => {
  const none = { ...targets, arrival: null };
  expect(clocks(history([opened]), none, lille, opened.at).arrival).toBeNull();
  expect(clocks(history([]), targets, lille, opened.at).response).toBeNull();
});

test('a place is open while its wall clock says so: the night on which it goes back is an hour longer', () => {
  const nights: Hours = {
    time_zone: 'Europe/Paris',
    openings: [{ day: 7, from: '01:00', to: '04:00' }],
    holidays: null,
    closed: [],
  };
  const { between } = workingTime(nights);
  const day = (text: string) => [Date.parse(`${text}T00:00Z`) - 12 * hour, Date.parse(`${text}T12:00Z`)] as const;
  expect(between(...day('2026-10-18'))).toBe(3 * hour);
  expect(between(...day('2026-10-25'))).toBe(4 * hour);
  expect(between(...day('2026-03-29'))).toBe(2 * hour);
});

test('a place that opens too seldom for it has no due date', () => {
  const seldom = { ...lille, openings: [{ day: 1, from: '08:00', to: '08:01' }] };
  expect(workingTime(seldom).after(0, 100 * hour)).toBeNull();
});

test('public holidays of France', () => {
  const wanted = {
    2024: ['04-01', '05-09', '05-20'],
    2026: ['04-06', '05-14', '05-25'],
    2038: ['04-26', '06-03', '06-14'],
  };
  for (const [year, days] of Object.entries(wanted)) {
    for (const day of [...days, '01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25'])
      expect(frenchHolidays(Number(year))).toContain(`${year}-${day}`);
    expect(frenchHolidays(Number(year)).size).toBe(11);
  }
});
