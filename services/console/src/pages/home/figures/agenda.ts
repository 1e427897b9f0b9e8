import type { Ticket } from '../../tickets/list-query.ts';

const dayMs = 86_400_000;
const days = 7;

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
  return { today: between(0, 1), week: between(1, days) };
}
