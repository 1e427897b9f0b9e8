// Both parties go by these times (docs/tickets.md), so they follow from what happened alone.
import type { TicketStatus } from '@app/contracts';
import { aroundTheClock, type Hours, type Measure, workingTime } from './working-time.ts';

export const clockNames = ['response', 'arrival', 'finish'] as const;
export type ClockName = (typeof clockNames)[number];

/** `hours` are of working time. `days` have 24 hours each, around the clock. */
export type Target = { amount: number; unit: 'hours' | 'days' };
/** Null: this has no time. A warning comes when `warn_percent` of it has passed. */
export type Targets = Record<ClockName, Target | null> & { warn_percent: number };

/** A status of the ticket from then on. `asks_client`: its contractor asked the client for the next step. */
export type StatusChange = { at: Date; status: TicketStatus; asks_client: boolean };
/** A due date that somebody moved, at that time. */
export type DueMove = { at: Date; clock: ClockName; due_at: Date };

/** What happened to a ticket since it was opened, in order. `arrived_at`: when the first visit or work began. */
export type ClockHistory = { changes: readonly StatusChange[]; moves: readonly DueMove[]; arrived_at: Date | null };

export const pauses = [
  'quotes_to_decide',
  'quotes_declined',
  'contractor_to_choose',
  'client_asked',
  'canceled',
] as const;
export type Pause = (typeof pauses)[number];

/** `late_ms` and `left_ms` are in the time of the clock. `due_at`, with `warn_at`, is null while a pause holds it off. */
export type Clock = {
  state: 'running' | 'paused' | 'met' | 'missed';
  due_at: Date | null;
  /** When so little is left that a warning comes. */
  warn_at: Date | null;
  /** When what it waits for happened. */
  reached_at: Date | null;
  pause: Pause | null;
  left_ms: number;
  late_ms: number;
};

/** What waits for the client stops the clocks. Until a ticket has a contractor they run: whoever opened it waits. */
const pace: Record<TicketStatus, 'runs' | 'runs unless asked' | 'over' | Pause> = {
  draft: 'over',
  opened: 'runs',
  waiting: 'runs',
  proposed: 'runs',
  declined: 'contractor_to_choose',
  waiting_contractor: 'runs',
  assigned: 'runs',
  toplan: 'runs unless asked',
  waitingplan: 'runs unless asked',
  toreplan: 'runs',
  visit: 'runs',
  visit_devis: 'runs',
  validation: 'quotes_to_decide',
  validated: 'runs',
  dropped: 'quotes_declined',
  intervention: 'runs',
  intervention_finish: 'runs',
  finished: 'over',
  closed: 'over',
  canceled: 'canceled',
  removed: 'canceled',
};

const finished: readonly TicketStatus[] = ['finished', 'closed'];

/** From then on each clock has been reached. */
export function isFinished(status: TicketStatus): boolean {
  return finished.includes(status);
}

/** A contractor accepted or quoted, or a date is planned. */
const responded: readonly TicketStatus[] = [
  'waiting_contractor',
  'visit',
  'visit_devis',
  'validation',
  'validated',
  'intervention',
  'intervention_finish',
  ...finished,
];

/**
 * The clocks of a ticket at `now`; null for what has no time, or if the ticket was not opened. Times before the present policy count by it
 * as well: whoever changes a policy, or a priority, changes what is due, and not what has passed.
 */
export function clocks(
  history: ClockHistory,
  targets: Targets,
  hours: Hours,
  now: Date,
): Record<ClockName, Clock | null> {
  const clockOf = (name: ClockName): Clock | null => {
    const target = targets[name];
    if (target === null || history.changes.length === 0) return null;
    const measure = target.unit === 'hours' ? workingTime(hours) : aroundTheClock;
    const allowedMs = target.amount * (target.unit === 'hours' ? 3_600_000 : 86_400_000);
    const warnedMs = (allowedMs * (100 - targets.warn_percent)) / 100;
    return runClock(history, { name, measure, allowedMs, warnedMs, now: now.getTime() });
  };
  return { response: clockOf('response'), arrival: clockOf('arrival'), finish: clockOf('finish') };
}

/** `warnedMs` is what is left at the warning. */
type Run = { name: ClockName; measure: Measure; allowedMs: number; warnedMs: number; now: number };
/** Something that happened: the clock runs or stops from then on, or its due date was moved to `due`. */
type Step = { at: number; runs: boolean } | { at: number; due: number };

function runClock(history: ClockHistory, { name, measure, allowedMs, warnedMs, now }: Run): Clock {
  const reached = reachedAt(history, name);
  const until = Math.max(reached ?? now, history.changes[0]?.at.getTime() ?? 0);
  // What it waits for may also stop it: the due date that held then stays.
  const steps = stepsOf(history, name).filter(
    ({ at }, index) => index === 0 || (reached === null ? at <= until : at < until),
  );
  let [runs, left, due] = [false, allowedMs, null as number | null];
  // `left` is what was left at `counted`.
  let [since, late, counted] = [until, 0, until];
  for (const step of [...steps, { at: until, runs: false, ends: true }]) {
    if (runs && due !== null) late += measure.between(Math.max(since, due), step.at);
    since = step.at;
    if ('ends' in step) break;
    if ('due' in step) {
      [left, due, late, counted] = [measure.between(step.at, step.due), runs ? step.due : null, 0, step.at];
      continue;
    }
    // A due date that has passed stays where it is.
    if (step.runs && due === null) [due, counted] = [measure.after(step.at, left), step.at];
    else if (!step.runs && due !== null && step.at < due) [left, due] = [measure.between(step.at, due), null];
    runs = step.runs;
  }
  const last = history.changes.findLast(({ at }) => at.getTime() <= until);
  const missed = due !== null && until > due;
  const warned = due === null ? null : measure.after(counted, Math.max(left - warnedMs, 0));
  const stop = last && !runs ? stopOf(last) : null;
  const paused = stop === 'over' ? null : stop;
  return {
    state: missed ? 'missed' : reached !== null ? 'met' : paused ? 'paused' : 'running',
    due_at: due === null ? null : new Date(due),
    warn_at: warned === null ? null : new Date(warned),
    reached_at: reached === null ? null : new Date(reached),
    pause: reached === null ? paused : null,
    left_ms: due === null ? left : measure.between(until, due),
    late_ms: late,
  };
}

function stepsOf({ changes, moves }: ClockHistory, name: ClockName): Step[] {
  const moved = moves.filter(({ clock }) => clock === name);
  const steps: Step[] = [
    ...changes.map((change) => ({ at: change.at.getTime(), runs: stopOf(change) === null })),
    ...moved.map(({ at, due_at }) => ({ at: at.getTime(), due: due_at.getTime() })),
  ];
  return steps.sort((one, other) => one.at - other.at);
}

/** Why the clocks stand; null: they run. */
function stopOf({ status, asks_client }: StatusChange): Pause | 'over' | null {
  const own = pace[status];
  if (own === 'runs unless asked') return asks_client ? 'client_asked' : null;
  return own === 'runs' ? null : own;
}

/** When what a clock waits for happened, in ms; null: not yet. A reopened ticket is no longer finished; who responded, or came, has done so. */
export function reachedAt({ changes, arrived_at }: ClockHistory, name: ClockName): number | null {
  if (name === 'finish') {
    const open = changes.findLastIndex(({ status }) => !finished.includes(status));
    return changes[open + 1]?.at.getTime() ?? null;
  }
  const opened = changes[0]?.at.getTime() ?? 0;
  const wanted = name === 'response' ? responded : finished;
  const moved = changes.find(({ status }) => wanted.includes(status))?.at.getTime() ?? null;
  if (arrived_at === null) return moved;
  // Who came has responded. A date may begin before the ticket did.
  return Math.min(Math.max(arrived_at.getTime(), opened), moved ?? Number.POSITIVE_INFINITY);
}
