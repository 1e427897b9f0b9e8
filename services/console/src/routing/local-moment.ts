export const dayMs = 86_400_000;

/** The first and last hour of the day that are proposed for planned work. */
const firstHour = 8;
const lastHour = 17;

const parts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;

/** What a clock in the time zone shows, `2026-11-24T11:05:31`. */
function clockAt(ms: number, timeZone: string): string {
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone, ...parts }).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes) => shown.find((part) => part.type === type)?.value ?? '';
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}`;
}

/** The reading of a clock, in ms as if the clock showed UTC; NaN if it is none. */
const asUtc = (clock: string) => Date.parse(`${clock}Z`);

/** A moment as `<input type="datetime-local">` takes it: in the user's time zone, to the minute. */
export function localInput(iso: string, timeZone: string): string {
  return clockAt(Date.parse(iso), timeZone).slice(0, 16);
}

/** Tomorrow at this hour, as such a field takes it; at night, the nearest of those hours. */
export function tomorrowByDay(now: Date, timeZone: string): string {
  const [day, time = ''] = localInput(new Date(now.getTime() + dayMs).toISOString(), timeZone).split('T');
  const hour = Math.min(Math.max(Number(time.slice(0, 2)), firstHour), lastHour);
  return `${day}T${String(hour).padStart(2, '0')}:00`;
}

/** The moment in the value of such a field; null if it is empty or invalid. */
export function momentOf(input: string, timeZone: string): string | null {
  const reading = asUtc(input);
  return input === '' || Number.isNaN(reading) ? null : momentAt(reading, timeZone);
}

/**
 * The moment at which a clock in the time zone shows this reading. If the clock shows this reading
 * twice, the first of the two moments; if it skips the reading, the moment an hour later on the
 * clock.
 */
export function momentAt(reading: number, timeZone: string): string {
  const fromUtc = (ms: number) => asUtc(clockAt(ms, timeZone)) - ms;
  // Computed with the offset from UTC a day before and a day after: they differ only around a
  // change of the clock.
  const first = reading - fromUtc(reading - dayMs);
  const second = reading - fromUtc(reading + dayMs);
  const shows = (ms: number) => ms + fromUtc(ms) === reading;
  return new Date(shows(second) && !shows(first) ? second : first).toISOString();
}

/**
 * The value of such a field, moved by as much as another field was; unchanged if one of the values
 * is invalid.
 */
export function movedAlong(input: string, { from, to }: { from: string; to: string }): string {
  const ms = asUtc(input) + asUtc(to) - asUtc(from);
  return Number.isNaN(ms) ? input : new Date(ms).toISOString().slice(0, 16);
}
