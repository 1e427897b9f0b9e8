import type { Ticket } from '../ticket.ts';
import { visibleDates } from '../visibility.ts';

export type Period = { from: Date; to: Date };

type Ids = { client_id?: string; contractor_id?: string; manager_id?: string };
/** What of an agenda is wanted. `place_ids`: places with all below them. */
export type AgendaFilter = Ids & { place_ids?: readonly string[] };

const weekMs = 7 * 86_400_000;
/** Of one view: the latest ones count. */
const maxWeeks = 200;

/** The weeks, counted from 1970, that have a part in a period. */
export function weeksOf({ from, to }: Period): number[] {
  const [first, last] = [Math.floor(from.getTime() / weekMs), Math.floor(to.getTime() / weekMs)];
  return Array.from({ length: Math.max(Math.min(last - first + 1, maxWeeks), 1) }, (_, index) => first + index);
}

/** Company and week, so that one index finds the dates of every company. */
export function agendaKey(companyId: string, week: number): string {
  return `${companyId}${week}`;
}

/** The keys by which agendas find a ticket: of each company, the weeks in which it sees dates. */
export function agendaKeys(ticket: Pick<Ticket, 'views' | 'dates' | 'client_id'>): string[] {
  return ticket.views.flatMap((view) => {
    const { company_id } = view;
    if (company_id === null) return [];
    const dates = visibleDates(ticket, view);
    const weeks = new Set(dates.flatMap(({ start, end }) => weeksOf({ from: start, to: end })));
    const latest = [...weeks].sort((one, other) => one - other).slice(-maxWeeks);
    return latest.map((week) => agendaKey(company_id, week));
  });
}
