// Node 24 has no Temporal without a flag. All that is asked of a time zone here is its offset at a moment, which `Intl` knows.
import { offsetAt } from '@app/kernel';
import { frenchHolidays } from './french-holidays.ts';

/** `day`: 1 is Monday, 7 Sunday. `from` and `to`: `HH:MM` on the wall clock of the place, up to `24:00`. */
export type Opening = { day: number; from: string; to: string };

/** When people work at a place. `closed`: days without work, as `YYYY-MM-DD`, besides the public holidays. */
export type Hours = {
  time_zone: string;
  openings: readonly Opening[];
  holidays: 'FR' | null;
  closed: readonly string[];
};

/** Measures time, in ms. `after`: the first moment at which `ms` have passed since `from`; null: not within ten years. */
export type Measure = { between(from: number, to: number): number; after(from: number, ms: number): number | null };

export const aroundTheClock: Measure = {
  between: (from, to) => Math.max(to - from, 0),
  after: (from, ms) => from + ms,
};

/** Counts only the time in which the place is open: while its wall clock reads between `from` and `to` of an opening. */
export function workingTime(hours: Hours): Measure {
  return {
    between(from, to) {
      let total = 0;
      for (const [start, end] of spans(hours, from, to))
        total += Math.max(Math.min(end, to) - Math.max(start, from), 0);
      return total;
    },
    after(from, ms) {
      if (ms <= 0) return from;
      let left = ms;
      for (const [start, end] of spans(hours, from, from + furthestMs)) {
        const begin = Math.max(start, from);
        if (end - begin >= left) return begin + left;
        left -= Math.max(end - begin, 0);
      }
      return null;
    },
  };
}

type Span = readonly [from: number, to: number];

const dayMs = 86_400_000;
const halfHourMs = 1_800_000;
const furthestMs = 3_653 * dayMs;
/** More than any zone is from UTC. */
const widestMs = 15 * 3_600_000;

/** The spans of every day of the place that has a part between two moments, in order. */
function* spans(hours: Hours, from: number, to: number): Generator<Span> {
  const last = Math.floor((to + widestMs) / dayMs);
  for (let day = Math.floor((from - widestMs) / dayMs); day <= last; day++) yield* spansOn(hours, day);
}

const known = new WeakMap<Hours, Map<number, readonly Span[]>>();

/** When the place is open on a day of its own calendar, counted from 1970. */
function spansOn(hours: Hours, day: number): readonly Span[] {
  const days = known.get(hours) ?? new Map<number, readonly Span[]>();
  if (days.size === 0) known.set(hours, days);
  const found = days.get(day) ?? openOn(hours, day);
  days.set(day, found);
  return found;
}

function openOn({ time_zone, openings, holidays, closed }: Hours, day: number): Span[] {
  const date = new Date(day * dayMs).toISOString().slice(0, 10);
  // The first day of 1970 was a Thursday.
  const weekday = ((((day + 3) % 7) + 7) % 7) + 1;
  const today = openings.filter((opening) => opening.day === weekday);
  if (today.length === 0) return [];
  if (closed.includes(date) || (holidays && frenchHolidays(Number(date.slice(0, 4))).has(date))) return [];
  const periods = periodsAround(time_zone, day);
  const open = today.flatMap(({ from, to }) =>
    periods.map(({ start, end, offset }): Span => {
      const midnight = day * dayMs - offset;
      return [Math.max(midnight + msOf(from), start), Math.min(midnight + msOf(to), end)];
    }),
  );
  return open.filter(([from, to]) => from < to).sort(([one], [other]) => one - other);
}

type Period = { start: number; end: number; offset: number };

/** Periods of one offset from UTC each, which cover a day. Zones change their clocks on a half hour, of UTC too. */
function periodsAround(timeZone: string, day: number): Period[] {
  const [start, end] = [day * dayMs - widestMs, (day + 1) * dayMs + widestMs];
  const offset = offsetAt(timeZone, start);
  if (offset === offsetAt(timeZone, end)) return [{ start, end, offset }];
  const halves = Array.from({ length: (end - start) / halfHourMs }, (_, index) => start + index * halfHourMs);
  return halves.map((at) => ({ start: at, end: at + halfHourMs, offset: offsetAt(timeZone, at) }));
}

function msOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
}
