import type { Ticket } from '../../tickets/list-query.ts';

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

type Dated = Pick<Ticket, 'visit_scheduled_at' | 'intervention_scheduled_at'>;

/** The planned dates of the tickets from the beginning of the day, where the user is, for a week; each in its order. */
export function agendaOf<T extends Dated>(tickets: readonly T[], now: Date) {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const stops = tickets
    .flatMap((ticket) =>
      [...ticket.visit_scheduled_at, ...ticket.intervention_scheduled_at].flatMap((at) => (at ? [{ ticket, at }] : [])),
    )
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const between = (from: number, to: number) =>
    stops.filter(({ at }) => Date.parse(at) >= midnight + from * dayMs && Date.parse(at) < midnight + to * dayMs);
  return { today: between(0, 1), week: between(1, 7) };
}
