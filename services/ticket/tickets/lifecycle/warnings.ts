import { type NewEvent, ticketDueSoon, ticketOverdue } from '@app/contracts';
import { clockNames } from '../../clocks/clocks.ts';
import { activeView, nextTime, type Ticket, ticketRef } from '../ticket.ts';
import { earliest } from './ticket-clocks.ts';

/** Which warnings were told: each names its clock and due date. */
type Told = readonly string[];
/** `next`: when the next warning of the ticket comes; null: none is ahead. */
type Warnings = { told: string[]; events: NewEvent[]; next: Date | null };

/** The warnings whose time has come, each once for its clock and due date: to the client, and to the contractor that has the ticket. */
export function warningsOf(ticket: Ticket, told: Told, now: Date): Warnings {
  const untold = clockNames.flatMap((clock) => {
    const [due_at, warn_at] = [ticket.clock?.due[clock], ticket.clock?.warn[clock]];
    if (!due_at) return [];
    const deadline = { clock, due_at: due_at.toISOString() };
    const warnings = [
      ...(warn_at ? [{ at: warn_at, type: ticketDueSoon, deadline }] : []),
      { at: due_at, type: ticketOverdue, deadline },
    ];
    return warnings.filter((warning) => !told.includes(keyOf(warning)));
  });
  const [passed, ahead] = [untold.filter(({ at }) => at <= now), untold.filter(({ at }) => at > now)];
  const contractor = activeView(ticket)?.company_id;
  const audience = [ticket.client_id, ...(contractor ? [contractor] : [])];
  return {
    told: passed.map(keyOf),
    events: passed
      .sort((one, other) => one.at.getTime() - other.at.getTime())
      .map(({ type, deadline }) =>
        type({ audience, payload: { ticket: ticketRef(ticket), deadline } }, nextTime(ticket, now), ticket._id),
      ),
    next: earliest(ahead.map(({ at }) => at)),
  };
}

type Warning = { type: { type: string }; deadline: { clock: string; due_at: string } };

function keyOf({ type, deadline }: Warning): string {
  return `${type.type} ${deadline.clock} ${deadline.due_at}`;
}
