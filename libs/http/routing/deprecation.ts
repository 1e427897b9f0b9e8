import type { Deprecated } from './route.ts';

/** The notice that docs/api.md promises. */
const noticeMonths = 6;

/**
 * The headers of every response of a deprecated route. @throws Error if a date is invalid, or callers get less notice
 * than promised
 */
export function deprecationHeaders({ since, sunset }: Deprecated): Record<string, string> {
  const [announced, gone] = [dayOf(since), dayOf(sunset)];
  const earliest = new Date(announced);
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths);
  if (gone < earliest) throw new Error(`sunset ${sunset} is less than ${noticeMonths} months after ${since}`);
  return { Deprecation: `@${announced.getTime() / 1000}`, Sunset: gone.toUTCString() };
}

/** The beginning of a day, as `2026-11-23`. */
function dayOf(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) throw new Error(`${text} is not a day such as 2026-11-23`);
  return day;
}
