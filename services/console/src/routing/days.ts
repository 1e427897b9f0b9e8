import { dayMs, momentAt } from './local-moment.ts';

/** A calendar day as `<input type="date">` gives it, `2026-11-24`. */
export function isDay(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

/** When the day, or one so many `days` later, begins in the user's time zone. */
export function startOfDay(day: string, timeZone: string, days = 0): string {
  return momentAt(Date.parse(`${day}T00:00:00Z`) + days * dayMs, timeZone);
}

/** The last second of the day in the user's time zone. */
export function endOfDay(day: string, timeZone: string): string {
  return new Date(Date.parse(startOfDay(day, timeZone, 1)) - 1_000).toISOString();
}
