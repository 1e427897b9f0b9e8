import {
  type Clock,
  type ClockHistory,
  type ClockName,
  clocks,
  isFinished,
  type Targets,
} from '../../clocks/clocks.ts';
import type { PlaceHours } from '../../clocks/policies.ts';
import type { LogDraft } from '../history.ts';
import { clientView, statusOf, type Ticket, type TicketClock, type View } from '../ticket.ts';

/** What holds for a ticket by the settings of its client, as they are `since` then: its policy, and the hours of its place. */
export type ClockRules = { targets: Targets; hours: PlaceHours; since: Date };
/** Null: no policy fits it. */
export type ClockRulesOf = (ticket: Ticket) => Promise<ClockRules | null>;

/** Limit of the changes that are kept: of those after the opening the oldest are dropped. */
const maxChanges = 500;

/** By which the rules of a ticket are found. */
const classes = ['priority', 'typology_id', 'location_ids', 'domain_ids'] as const;
const parts = [...classes, 'dates', 'clock'] as const;

export function hasSameRules(before: Ticket, after: Ticket): boolean {
  return classes.every((part) => before[part] === after[part]);
}

/** Whether a change may change what is due. A draft has no clocks. */
export function needsClocks(before: Ticket | null, after: Ticket): boolean {
  if (statusOf(after) === 'draft') return false;
  return !before?.clock || statusOf(before) !== statusOf(after) || parts.some((part) => before[part] !== after[part]);
}

/**
 * The ticket after a change, with its clocks by these rules; one that stays finished keeps what it had at its end. `log` tells who made the
 * change.
 */
export function withClock(before: Ticket | null, after: Ticket, rules: ClockRules | null, log?: LogDraft): Ticket {
  const { changes = [], moves = [] } = after.clock ?? {};
  const status = statusOf(after);
  const change = { at: after.updated_at, status, asks_client: asksClient(after, log) };
  const isMoved = !before?.clock || statusOf(before) !== status;
  const [opened, ...later] = isMoved ? [...changes, change] : changes;
  const kept = opened ? [opened, ...later.slice(-maxChanges)] : [];
  if (before?.clock && isFinished(statusOf(before)) && isFinished(status))
    return { ...after, clock: { ...before.clock, changes: kept } };
  return { ...after, clock: ruledBy({ ...after, clock: { changes: kept, moves } }, rules) };
}

type Clocked = Omit<Ticket, 'clock'> & { clock: Pick<TicketClock, 'changes' | 'moves'> };

/** The clock of a ticket by these rules. */
export function ruledBy(ticket: Clocked, rules: ClockRules | null): TicketClock {
  const now = ticket.updated_at;
  const states = rules && clocks(clockHistory(ticket), rules.targets, rules.hours, now);
  const ofEach = <T>(part: (clock: Clock) => T): Record<ClockName, T | null> => {
    const of = (name: ClockName) => (states?.[name] ? part(states[name]) : null);
    return { response: of('response'), arrival: of('arrival'), finish: of('finish') };
  };
  // Of a canceled ticket nothing is expected any more, also if it was late.
  const isExpected = ({ reached_at, pause }: Clock) => reached_at === null && pause !== 'canceled';
  const { changes, moves } = ticket.clock;
  return {
    changes,
    moves,
    rules: rules && { targets: rules.targets, place: rules.hours.location_id },
    due: ofEach((clock) => (isExpected(clock) ? clock.due_at : null)),
    warn: ofEach((clock) => (isExpected(clock) ? clock.warn_at : null)),
    results: ofEach((clock) => (clock.reached_at === null ? null : clock)),
  };
}

/** Its clocks at `now`, as this view sees them; null: it has none. Only the contractor of a ticket may learn why they stand. */
export function clocksSeen(
  ticket: Ticket,
  own: Pick<View, 'state'>,
  hours: PlaceHours | null,
  now: Date,
): Record<ClockName, Clock | null> | null {
  if (!ticket.clock?.rules || (own.state !== 'client' && own.state !== 'active')) return null;
  if (isFinished(statusOf(ticket))) return ticket.clock.results;
  if (!hours) return null;
  // Whoever changed it last may have had a clock that is ahead.
  const at = new Date(Math.max(now.getTime(), ticket.updated_at.getTime()));
  return clocks(clockHistory({ ...ticket, clock: ticket.clock }), ticket.clock.rules.targets, hours, at);
}

/** The earliest due date of what has not happened yet; null: nothing is due, or a pause holds it off. */
export function earliestDue(clock: TicketClock | undefined): Date | null {
  return earliest(Object.values(clock?.due ?? {}));
}

export function earliestWarning(clock: TicketClock | undefined): Date | null {
  return earliest([...Object.values(clock?.due ?? {}), ...Object.values(clock?.warn ?? {})]);
}

export function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => time?.getTime() ?? []);
  return known.length === 0 ? null : new Date(Math.min(...known));
}

/** What somebody says of a date counts no later than the time at which it was said. */
export function clockHistory({ clock, dates }: Pick<Clocked, 'clock' | 'dates'>): ClockHistory {
  const begun = dates
    .filter(({ type }) => type === 'actual')
    .map(({ start, created_at }) => Math.min(start.getTime(), created_at.getTime()));
  return { ...clock, arrived_at: begun.length === 0 ? null : new Date(Math.min(...begun)) };
}

function asksClient(ticket: Ticket, { operation, by }: Partial<LogDraft> = {}): boolean {
  const asks = operation === 'ask_to_plan' || operation === 'ask_for_date';
  return asks && by?.company_id !== clientView(ticket).company_id;
}
