import type { TicketDate } from '../tickets.ts';

type Shown = Pick<TicketDate, 'category' | 'type' | 'state' | 'start' | 'end'>;

/**
 * The dates without those planned ones that took place exactly as planned: the actual date says the
 * same.
 */
export function shownDates<D extends Shown>(dates: readonly D[]): D[] {
  const key = ({ category, start, end }: D) => `${category} ${start} ${end}`;
  const actual = new Set(dates.filter(({ type }) => type === 'actual').map(key));
  return dates.filter((date) => !(date.type === 'planned' && date.state === 'done' && actual.has(key(date))));
}
