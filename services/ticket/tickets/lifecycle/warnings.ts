import { type NewEvent, ticketDueSoon, ticketOverdue } from '@app/contracts';
import { type ClockName, clockNames } from '../../clocks/clocks.ts';
import { activeView, nextTime, type Ticket, type TicketClock, ticketRef } from '../ticket.ts';
import { type ClockRules, earliest, ruledBy } from './ticket-clocks.ts';
import { notificationEvents } from './ticket-notifications.ts';

/** `next`: when the next warning of the ticket comes; null: none is ahead. */
type Warnings = { told: string[]; events: NewEvent[]; next: Date | null };

/**
 * The warnings whose time has come, each once for its clock and due date: to the client, and to the contractor that has the ticket.
 * `told`: those of before. `placeIds`: its places, with all above them.
 */
export function warningsOf(ticket: Ticket, told: readonly string[], placeIds: string[], now: Date): Warnings {
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
  const events = passed.flatMap((warning) => eventsOf(ticket, warning, placeIds, nextTime(ticket, now)));
  return { told: passed.map(keyOf), events, next: earliest(ahead) };
}

/**
 * What counts as told after a change though nobody is told. What the change itself makes late does not come soon. And what the settings
 * of its client alone made late (`rules`: those that hold for the ticket as it was before) is not told at all, if it was due before they
 * were saved: a policy is no news about the past, and would tell it of all open tickets at once, to everybody.
 */
export function untoldBy(before: Ticket, after: Ticket, rules: ClockRules | null): string[] {
  const { clock } = before;
  if (!clock) return [];
  const late = (kind: Warning['kind'], due: TicketClock['due'] | undefined, until: Date) =>
    clockNames.flatMap((name) => {
      const due_at = due?.[name];
      if (!due_at || due_at > until || due_at.getTime() === clock.due[name]?.getTime()) return [];
      return keyOf({ kind, deadline: { clock: name, due_at: due_at.toISOString() } });
    });
  const { updated_at } = after;
  // Who saved them may have had a clock that is ahead.
  const saved = rules && earliest([rules.since, updated_at]);
  const bySettings = saved ? late('overdue', ruledBy({ ...before, clock }, rules).due, saved) : [];
  return [...late('due_soon', after.clock?.due, updated_at), ...bySettings];
}

type Warning = { kind: 'due_soon' | 'overdue'; deadline: { clock: ClockName; due_at: string } };

function keyOf({ kind, deadline }: Warning): string {
  return `${kind}:${deadline.clock}:${deadline.due_at}`;
}

function eventsOf(ticket: Ticket, warning: Warning, placeIds: string[], at: Date): NewEvent[] {
  const { kind, deadline } = warning;
  const contractor = activeView(ticket)?.company_id;
  const audience = [ticket.client_id, ...(contractor ? [contractor] : [])];
  const type = kind === 'due_soon' ? ticketDueSoon : ticketOverdue;
  const told = audience.map((company_id) => {
    const managers = company_id === ticket.client_id ? ticket.manager_ids : [];
    return { company_id, kind, what: keyOf(warning), managers, text: `${deadline.clock} ${deadline.due_at}` };
  });
  return [
    type({ audience, payload: { ticket: ticketRef(ticket), deadline } }, at, ticket._id),
    ...notificationEvents(ticket, told, { by: null, placeIds, at }),
  ];
}
