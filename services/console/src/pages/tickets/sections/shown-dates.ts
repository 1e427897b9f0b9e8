import { isOver, type Ticket } from '../list-query.ts';
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

export type DateState = TicketDate['state'] | 'was_planned';

/** Work that is done before its day leaves the date planned in the API, also once the ticket is over. */
export function dateState({ state }: Pick<TicketDate, 'state'>, ticket: Pick<Ticket, 'status'>): DateState {
  return state === 'planned' && isOver(ticket) ? 'was_planned' : state;
}
