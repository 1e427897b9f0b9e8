import { type NewEvent, notification, ticketDueSoon, ticketOverdue } from '@app/contracts';
import { type ClockName, clockNames } from '../../clocks/clocks.ts';
import { activeView, nextTime, type Ticket, ticketRef } from '../ticket.ts';
import { earliest } from './ticket-clocks.ts';

/** Which warnings were told: each names its clock and due date. */
type Told = readonly string[];
/** `next`: when the next warning of the ticket comes; null: none is ahead. */
type Warnings = { told: string[]; events: NewEvent[]; next: Date | null };

/**
 * The warnings whose time has come, each once for its clock and due date: to the client, and to the contractor that has the ticket.
 * `placeIds`: its places, with all above them.
 */
export function warningsOf(ticket: Ticket, told: Told, placeIds: string[], now: Date): Warnings {
  const untold = clockNames
    .flatMap((clock) => {
      const [due_at, warn_at] = [ticket.clock?.due[clock], ticket.clock?.warn[clock]];
      if (!due_at) return [];
      const deadline = { clock, due_at: due_at.toISOString() };
      return [
        ...(warn_at ? [{ at: warn_at, kind: 'due_soon' as const, deadline }] : []),
        { at: due_at, kind: 'overdue' as const, deadline },
      ];
    })
    .filter((warning) => !told.includes(keyOf(warning)));
  const passed = untold.filter(({ at }) => at <= now).sort((one, other) => one.at.getTime() - other.at.getTime());
  const ahead = untold.filter(({ at }) => at > now).map(({ at }) => at);
  const at = nextTime(ticket, now);
  return {
    told: passed.map(keyOf),
    events: passed.flatMap((warning) => [
      webhookEvent(ticket, warning, at),
      ...notifications(ticket, warning, placeIds, at),
    ]),
    next: earliest(ahead),
  };
}

type Warning = { kind: 'due_soon' | 'overdue'; deadline: { clock: ClockName; due_at: string } };

function keyOf({ kind, deadline }: Warning): string {
  return `${kind}:${deadline.clock}:${deadline.due_at}`;
}

function webhookEvent(ticket: Ticket, { kind, deadline }: Warning, at: Date): NewEvent {
  const type = kind === 'due_soon' ? ticketDueSoon : ticketOverdue;
  return type({ audience: partiesOf(ticket), payload: { ticket: ticketRef(ticket), deadline } }, at, ticket._id);
}

/** Places and managers are the client's: a contractor has neither. */
function notifications(ticket: Ticket, warning: Warning, placeIds: string[], at: Date): NewEvent[] {
  return partiesOf(ticket).map((company_id) => {
    const isClient = company_id === ticket.client_id;
    const to = {
      permission: 'tickets' as const,
      manager_ids: isClient ? ticket.manager_ids : [],
      place_ids: isClient ? placeIds : null,
    };
    const key = `ticket:${ticket._id}:${keyOf(warning)}`;
    const { kind, deadline } = warning;
    return notification({ company_id, kind, key, to, ticket: ticketRef(ticket), text: deadline.due_at }, at);
  });
}

function partiesOf(ticket: Ticket): string[] {
  const contractor = activeView(ticket)?.company_id;
  return [ticket.client_id, ...(contractor ? [contractor] : [])];
}
