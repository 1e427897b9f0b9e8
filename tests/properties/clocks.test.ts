import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  type Clock,
  type ClockHistory,
  type ClockName,
  clockNames,
  clocks,
  type StatusChange,
  type Target,
  type Targets,
} from '../../services/ticket/clocks/clocks.ts';
import { frenchHolidays } from '../../services/ticket/clocks/french-holidays.ts';
import type { Hours } from '../../services/ticket/clocks/working-time.ts';
import { checkProperty } from './check-property.ts';

const minute = 60_000;
/** The minutes of three years, in which the clocks change six times. Histories begin in the first two. */
const first = Date.UTC(2025, 0, 1) / minute;
const minutes = 3 * 365 * 1_440;

const offices = [1, 2, 3, 4, 5].flatMap((day) => [
  { day, from: '08:00', to: '12:00' },
  { day, from: '13:30', to: '18:00' },
]);
const nights = [1, 2, 3, 4, 5, 6, 7].flatMap((day) => [
  { day, from: '00:00', to: '02:20' },
  { day, from: '02:40', to: '05:00' },
]);
const calendars: Hours[] = [
  { time_zone: 'Europe/Paris', openings: offices, holidays: 'FR', closed: ['2025-12-24', '2026-03-30'] },
  { time_zone: 'Europe/Paris', openings: nights, holidays: null, closed: [] },
  { time_zone: 'America/New_York', openings: nights, holidays: 'FR', closed: ['2026-11-01'] },
  { time_zone: 'Australia/Lord_Howe', openings: [{ day: 7, from: '00:00', to: '24:00' }], holidays: null, closed: [] },
  { time_zone: 'Pacific/Auckland', openings: offices, holidays: null, closed: [] },
];

/** Whether the place is open in each minute, read from its wall clock a quarter of an hour at a time: no offset changes within one. */
function openMinutes({ time_zone, openings, holidays, closed }: Hours): Uint8Array {
  const open = new Uint8Array(minutes);
  const clock = new Intl.DateTimeFormat('sv', { timeZone: time_zone, dateStyle: 'short', timeStyle: 'short' });
  const days = new Map<string, Uint8Array>();
  for (let quarter = 0; quarter < minutes; quarter += 15) {
    const [day = '', time = ''] = clock.format((first + quarter) * minute).split(' ');
    let ofDay = days.get(day);
    if (!ofDay) {
      ofDay = new Uint8Array(1_440);
      const weekday = new Date(day).getUTCDay() || 7;
      const isClosed = closed.includes(day) || (holidays && frenchHolidays(Number(day.slice(0, 4))).has(day));
      for (const { day: wanted, from, to } of openings) {
        if (wanted === weekday && !isClosed) ofDay.fill(1, minuteOf(from), minuteOf(to));
      }
      days.set(day, ofDay);
    }
    const start = minuteOf(time);
    open.set(ofDay.subarray(start, start + 15), quarter);
  }
  return open;
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

const opens = calendars.map(openMinutes);
const always = new Uint8Array(minutes).fill(1);

// What counts is written down again here, apart from the table.
const waiting: Record<string, string> = {
  validation: 'quotes_to_decide',
  dropped: 'quotes_declined',
  declined: 'contractor_to_choose',
  canceled: 'canceled',
};
const over = ['finished', 'closed'];
const answered = [
  'waiting_contractor',
  'visit',
  'visit_devis',
  'validation',
  'validated',
  'intervention',
  'intervention_finish',
];

function pauseOf({ status, asks_client }: StatusChange): string | null {
  if ((status === 'toplan' || status === 'waitingplan') && asks_client) return 'client_asked';
  return waiting[status] ?? null;
}

const minuteOfDate = (date: Date) => date.getTime() / minute - first;

/** What has happened by a minute is known in that minute; what it counts is the minute that follows. */
function byTheMinute(
  history: ClockHistory,
  { name, target, warn_percent }: { name: ClockName; target: Target; warn_percent: number },
  open: Uint8Array,
  now: number,
): Clock {
  const changes = history.changes.map((change) => ({ ...change, minute: minuteOfDate(change.at) }));
  const moves = history.moves.filter(({ clock }) => clock === name);
  const opened = changes[0]?.minute ?? 0;
  const arrived = history.arrived_at && Math.max(minuteOfDate(history.arrived_at), opened);
  const allowed = target.amount * (target.unit === 'hours' ? 60 : 1_440);
  let [left, late, due, held, reached] = [allowed, 0, -1, -1, -1];
  /** Since when it runs towards its due date. */
  let since = opened;
  /** When no more than that share of its time was left first. */
  const warned = (until: number) => {
    let [minute, ahead] = [since, count(open, since, until)];
    for (; ahead > (allowed * (100 - warn_percent)) / 100; minute++) ahead -= open[minute] ?? 0;
    return minute;
  };
  let current: StatusChange | undefined;
  let at = opened;
  const runs = () => current !== undefined && pauseOf(current) === null && !over.includes(current.status);
  const clock = (): Clock => {
    const pause = current && !over.includes(current.status) ? pauseOf(current) : null;
    const ends = held >= 0 ? held : runs() ? next(open, at, left) : -1;
    const shown = due >= 0 ? due : ends;
    const missed = shown >= 0 && at > shown;
    return {
      state: missed ? 'missed' : reached >= 0 ? 'met' : pause ? 'paused' : 'running',
      due_at: shown < 0 ? null : new Date((shown + first) * minute),
      warn_at: shown < 0 ? null : new Date((warned(shown) + first) * minute),
      reached_at: reached < 0 ? null : new Date((reached + first) * minute),
      pause: reached < 0 ? (pause as Clock['pause']) : null,
      left_ms: (due >= 0 ? 0 : held >= 0 ? count(open, at, held) : left) * minute,
      late_ms: late * minute,
    };
  };
  const fallDue = () => {
    if (held === at) [due, left, held] = [at, 0, -1];
    if (due < 0 && held < 0 && left === 0) due = at;
  };
  const happens = [
    ...changes.map((one) => one.minute),
    ...moves.map((one) => minuteOfDate(one.at)),
    arrived ?? opened,
    now,
  ];
  let ended: Clock | null = null;
  for (const stop of [...new Set(happens)].sort((one, other) => one - other)) {
    for (const isRunning = runs(); at < stop; at++) {
      if (!isRunning) continue;
      fallDue();
      if (open[at] === 0) continue;
      if (due >= 0) late += 1;
      else if (held < 0) left -= 1;
    }
    if (runs()) fallDue();
    const change = changes.find((one) => one.minute === at);
    const status = change?.status ?? current?.status ?? '';
    const isDone = over.includes(status);
    if (name === 'finish' && !isDone) [reached, ended] = [-1, null];
    const answers = isDone || (name === 'response' && answered.includes(status));
    const comes = name !== 'finish' && arrived !== null && at >= arrived;
    if (reached < 0 && (comes || (name === 'finish' ? isDone : answers))) reached = at;
    // What a change stops had its time until now.
    if (reached === at && at > opened) ended = clock();
    if (change) {
      const ran = runs();
      current = change;
      // A date holds as it was given until the clock stops before it.
      if (ran && !runs() && held > at) [left, held] = [count(open, at, held), -1];
      if (ran && !runs() && due > at) due = -1;
      if (!ran && runs() && due < 0 && held < 0) since = at;
    }
    for (const move of moves) {
      if (minuteOfDate(move.at) !== at) continue;
      [late, due] = [0, -1];
      const moved = minuteOfDate(move.due_at);
      since = at;
      [left, held] = runs() ? [left, moved] : [count(open, at, moved), -1];
    }
    if (runs()) fallDue();
    if (at === now || (name !== 'finish' && reached >= 0)) return ended ?? clock();
  }
  throw new Error('now is the last of all');
}

function count(open: Uint8Array, from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) total += open[at] ?? 0;
  return total;
}

function next(open: Uint8Array, from: number, wanted: number): number {
  let [at, left] = [from, wanted];
  for (; left > 0; at++) left -= open[at] ?? 0;
  return at;
}

const running = [
  'opened',
  'proposed',
  'assigned',
  'toplan',
  'waitingplan',
  'toreplan',
  'visit',
  'intervention',
] as const;
const all = [...running, 'validation', 'validated', 'dropped', 'declined', 'canceled', 'finished', 'closed'] as const;
const target = fc.oneof(
  fc.record({ amount: fc.integer({ min: 1, max: 60 }), unit: fc.constant('hours' as const) }),
  fc.record({ amount: fc.integer({ min: 1, max: 12 }), unit: fc.constant('days' as const) }),
);
const targets = fc.record<Targets>({
  response: target,
  arrival: target,
  finish: target,
  warn_percent: fc.constantFrom(25, 75, 90),
});
/** Most waits are short; one in a while goes over a holiday, or a change of the clocks. */
const wait = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 6_000 }));
/** Near the days on which the clocks change, near Christmas and Easter, or anywhere. */
const start = fc.oneof(
  fc
    .constantFrom('2025-03-30', '2025-10-26', '2026-03-29', '2026-10-25', '2025-12-24', '2026-04-03', '2025-11-02')
    .chain((day) => fc.integer({ min: -4_000, max: 600 }).map((offset) => Date.parse(day) / minute - first + offset)),
  fc.integer({ min: 5_000, max: 2 * 365 * 1_440 }),
);

const aHistory = fc
  .record({
    start,
    steps: fc.array(
      fc.record({
        wait,
        status: fc.option(fc.constantFrom(...all), { nil: null, freq: 4 }),
        asks_client: fc.boolean(),
        clock: fc.constantFrom(...clockNames),
        ahead: fc.integer({ min: 1, max: 9_000 }),
      }),
      { maxLength: 8 },
    ),
    arrived: fc.option(fc.integer({ min: -500, max: 9_000 }), { nil: null }),
    further: fc.integer({ min: 0, max: 6_000 }),
    calendar: fc.integer({ min: 0, max: calendars.length - 1 }),
    policies: fc.tuple(targets, targets),
  })
  .map(({ start: opened, steps, arrived, further, ...rest }) => {
    const dateOf = (at: number) => new Date((at + first) * minute);
    const history = {
      changes: [{ at: dateOf(opened), status: 'opened' as const, asks_client: false }] as StatusChange[],
    };
    const moves: ClockHistory['moves'][number][] = [];
    let at = opened;
    for (const { wait: waited, status, asks_client, clock, ahead } of steps) {
      at += waited;
      if (status) history.changes.push({ at: dateOf(at), status, asks_client });
      else moves.push({ at: dateOf(at), clock, due_at: dateOf(at + ahead) });
    }
    const now = at + further;
    const arrived_at = arrived === null ? null : dateOf(Math.min(opened + arrived, now));
    return { ...rest, history: { ...history, moves, arrived_at }, now };
  });

test('clocks are what counting minute by minute gives, by the policy before and by the one after, on 10,000 histories', () => {
  checkProperty(
    fc.property(aHistory, ({ history, now, calendar, policies }) => {
      for (const policy of policies) {
        const computed = clocks(history, policy, calendars[calendar] as Hours, new Date((now + first) * minute));
        for (const name of clockNames) {
          const wanted = policy[name] as Target;
          const open = wanted.unit === 'hours' ? (opens[calendar] as Uint8Array) : always;
          const one = { name, target: wanted, warn_percent: policy.warn_percent };
          const counted = byTheMinute(history, one, open, now);
          // Jest's own comparison would take most of the time.
          if (!isDeepStrictEqual(computed[name], counted))
            expect({ name, ...computed[name] }).toEqual({ name, ...counted });
        }
      }
    }),
    10_000,
  );
});
