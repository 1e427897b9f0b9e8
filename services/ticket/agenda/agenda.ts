import { newId } from '@app/kernel';
import { addDate, reschedule } from '../dates/dates.ts';
import { openStatuses } from '../statistics/ticket-entries.ts';
import type { Period } from '../tickets/lists/agenda-keys.ts';
import { type Actor, statusOf, type Ticket, type TicketDate, type View } from '../tickets/ticket.ts';
import { visibleDates } from '../tickets/visibility.ts';

/** `canceled`: it will not take place, because somebody said so or because the ticket is over. */
export type AgendaState = 'planned' | 'done' | 'canceled';
export type AgendaDate = { date: TicketDate; state: AgendaState };

/** The visits and work of a ticket that this view sees and that have a part in the period, in no order. */
export function agendaDates(ticket: Ticket, own: View, { from, to }: Period): AgendaDate[] {
  return agendaOf(ticket, own).filter(
    ({ date: { start, end } }) => start < to && (end > from || start.getTime() >= from.getTime()),
  );
}

function agendaOf(ticket: Ticket, own: View): AgendaDate[] {
  const isOpen = openStatuses.includes(statusOf(ticket)) && (own.state === 'client' || own.state === 'active');
  return visibleDates(ticket, own).flatMap((date): AgendaDate[] => {
    if (date.type === 'actual') return [{ date, state: 'done' }];
    // The actual date that confirmed it says when it was.
    if (date.state === 'done') return [];
    return [{ date, state: date.state === 'planned' && isOpen ? 'planned' : 'canceled' }];
  });
}

/**
 * Whether this party may cancel the date and plan another one instead, as the moves of the ticket have it. It asks their rules, of
 * which the second depends on what the first one leads to.
 */
export function isMovable(
  ticket: Ticket,
  actor: Exclude<Actor, { party: 'timer' }>,
  { date, state }: AgendaDate,
): boolean {
  if (state !== 'planned') return false;
  const now = ticket.updated_at;
  try {
    const without = reschedule(ticket, actor, now, date._id).ticket;
    addDate(without, actor, now, { ...date, _id: newId(now), company_id: actor.companyId });
    return true;
  } catch {
    return false;
  }
}
