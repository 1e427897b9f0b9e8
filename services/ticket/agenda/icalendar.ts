// RFC 5545. The libraries that write it convert no times to a zone themselves, and take its definition from others.
import { offsetAt } from '../clocks/working-time.ts';

/** An event of a calendar. `end` may be `start`. `timeZone`: IANA; null: its times are given in UTC. */
export type CalendarEvent = {
  uid: string;
  sequence: number;
  changedAt: Date;
  start: Date;
  end: Date;
  timeZone: string | null;
  status: 'CONFIRMED' | 'CANCELLED';
  summary: string;
  location: string;
  description: string;
  url: string | null;
};

/** A calendar, with the definition of every time zone that it names. */
export function calendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Facility management platform//Agenda//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...zonesOf(events),
    ...events.flatMap(eventLines),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventLines(event: CalendarEvent): string[] {
  const { uid, sequence, changedAt, start, end, timeZone, status, summary, location, description, url } = event;
  const at = (name: string, moment: Date) =>
    timeZone === null
      ? `${name}:${basic(moment.getTime())}Z`
      : `${name};TZID=${timeZone}:${basic(moment.getTime() + offsetAt(timeZone, moment.getTime()))}`;
  const changed = `${basic(changedAt.getTime())}Z`;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    // Without METHOD it is the time of the last change, too.
    `DTSTAMP:${changed}`,
    `LAST-MODIFIED:${changed}`,
    at('DTSTART', start),
    // It must be later than the start.
    ...(end > start ? [at('DTEND', end)] : []),
    `STATUS:${status}`,
    `SUMMARY:${escaped(summary)}`,
    ...(location ? [`LOCATION:${escaped(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escaped(description)}`] : []),
    ...(url === null ? [] : [`URL:${url}`]),
    'END:VEVENT',
  ];
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Each zone as it was in the time of its events: nobody needs its rule for ever. */
function zonesOf(events: readonly CalendarEvent[]): string[] {
  const times = events.flatMap(({ start, end }) => [start.getTime(), end.getTime()]);
  const [first, last] = [Math.min(...times) - dayMs, Math.max(...times) + dayMs];
  const zones = new Set(events.flatMap(({ timeZone }) => timeZone ?? []));
  return [...zones].flatMap((zone) => [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...observances(zone, first, last),
    'END:VTIMEZONE',
  ]);
}

function observances(zone: string, first: number, last: number): string[] {
  const before = offsetAt(zone, first);
  const changes = changesOf(zone, first, last);
  // Whatever was before the first event, its clocks are as they are then.
  const all = [{ at: -before, from: before, to: before }, ...changes];
  const standard = Math.min(...all.map(({ to }) => to));
  return all.flatMap(({ at, from, to }) => {
    const kind = to === standard ? 'STANDARD' : 'DAYLIGHT';
    return [
      `BEGIN:${kind}`,
      `DTSTART:${basic(at + from)}`,
      `TZOFFSETFROM:${offsetText(from)}`,
      `TZOFFSETTO:${offsetText(to)}`,
      `END:${kind}`,
    ];
  });
}

/** When the clocks of a zone change, to the minute. */
function changesOf(zone: string, first: number, last: number) {
  const changes: { at: number; from: number; to: number }[] = [];
  for (let day = first; day < last; day += dayMs) {
    const [from, to] = [offsetAt(zone, day), offsetAt(zone, day + dayMs)];
    if (from === to) continue;
    let [low, high] = [day, day + dayMs];
    while (high - low > minuteMs) {
      const middle = Math.floor((low + high) / 2 / minuteMs) * minuteMs;
      if (middle <= low) break;
      if (offsetAt(zone, middle) === from) low = middle;
      else high = middle;
    }
    changes.push({ at: high, from, to });
  }
  return changes;
}

/** `20261128T090000` of a reading in ms, as if clocks showed UTC. */
function basic(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
}

function offsetText(ms: number): string {
  const minutes = Math.abs(ms) / minuteMs;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${ms < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}

/** Text as a value: other control characters than line breaks are not allowed. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

const maxOctets = 75;

/** A line of at most 75 octets, and its continuations; no character is divided. */
function folded(line: string): string {
  const lines = [''];
  let octets = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > maxOctets) {
      lines.push('');
      // Of the space that begins the next one.
      octets = 1;
    }
    lines.push((lines.pop() ?? '') + character);
    octets += length;
  }
  return lines.join('\r\n ');
}
