const dayMs = 86_400_000;

/** Days in UTC, `2026-11-27`, as statistics have them. */
export function dayFrom(now: Date, days = 0): string {
  return new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);
}

/** The first day of this month, or of one `months` later. */
export function monthFrom(now: Date, months = 0): string {
  return dayFrom(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)));
}

/** The Monday of this week, or of one `weeks` later. */
export function weekFrom(now: Date, weeks = 0): string {
  return dayFrom(now, 7 * weeks - ((now.getUTCDay() + 6) % 7));
}

/** Midnight, where the user is, of today or of some days later. */
export function midnightFrom(now: Date, days = 0): Date {
  const midnight = new Date(now);
  midnight.setHours(24 * days, 0, 0, 0);
  return midnight;
}
