// Each company's view of a ticket has its own status (docs/tickets.md), since competitors must not see each other.
import { AppError } from '@app/kernel';
import {
  type Actor,
  activeView,
  isNotified,
  type Status,
  statuses,
  statusOf,
  type Ticket,
  type View,
  viewOfCompany,
} from '../ticket.ts';

/** A status to move from. `opened_with_contractor`: a reopened ticket that kept its contractor. */
type From = Status | 'opened_with_contractor';

/**
 * One operation. `client`, `contractor`, `timer`: the statuses from which this party may do it (for a contractor: the status
 * of its own view); a party that is missing may not. `to`: the statuses it may lead to; empty: the ticket does not move.
 */
type Transition = {
  client?: readonly From[];
  contractor?: readonly From[];
  timer?: readonly From[];
  to: readonly Status[];
};

const active = statuses.filter((status) => !['draft', 'canceled', 'removed', 'closed'].includes(status));
const without = (...left: Status[]) => active.filter((status) => !left.includes(status));

const planned = [
  'opened_with_contractor',
  'waiting_contractor',
  'assigned',
  'toplan',
  'waitingplan',
  'toreplan',
  'visit',
] as const;
const visited = ['visit', 'visit_devis'] as const;
const intervened = ['intervention', 'intervention_finish'] as const;
const quoted = [...planned, 'visit_devis', 'validation', 'validated', 'dropped'] as const;
const decided = ['validation', 'validated', 'dropped'] as const;
const extra = ['intervention', 'intervention_finish', 'finished'] as const;

/** The whole status machine of a ticket. The diagram in docs/ticket-status.md is generated from it. */
export const statusMachine = {
  submit: { client: ['draft'], to: ['opened'] },
  qualify: { client: ['opened'], to: ['waiting'] },
  propose: { client: ['opened', 'waiting', 'proposed', 'declined', 'toreplan', 'dropped'], to: ['proposed'] },
  accept: { contractor: ['proposed'], to: ['waiting_contractor'] },
  decline: { contractor: ['proposed', 'waiting_contractor', 'assigned', 'toplan', 'toreplan'], to: ['declined'] },
  expire: { timer: statuses, to: ['declined'] },
  assign: {
    client: [
      'opened',
      'waiting',
      'proposed',
      'declined',
      'waiting_contractor',
      'assigned',
      'toplan',
      'waitingplan',
      'toreplan',
      'dropped',
      'validated',
      'validation',
    ],
    to: ['assigned'],
  },
  take_charge: { contractor: ['waiting_contractor'], to: ['assigned'] },
  unassign: { client: ['waiting_contractor', 'assigned', 'toplan', 'waitingplan', 'toreplan'], to: ['waiting'] },
  ask_to_plan: both(['waiting_contractor', 'assigned'], ['toplan']),
  ask_for_date: both(['toplan', 'validated', 'toreplan'], ['waitingplan']),
  plan_visit: { client: [...planned, 'dropped'], contractor: [...planned, 'dropped', 'proposed'], to: ['visit'] },
  visits_past: { timer: ['visit'], to: ['visit_devis'] },
  visit_done: both(visited, ['validation', 'toplan']),
  visit_done_late: both(decided, []),
  visit_not_done: both(visited, ['toreplan']),
  add_quote: { client: quoted, contractor: [...quoted, 'proposed'], to: ['validated', 'validation', 'dropped'] },
  add_extra_quote: both(extra, []),
  validate_quote: { client: decided, to: ['validated'] },
  decline_quote: { client: decided, to: ['validated', 'validation', 'dropped'] },
  decide_extra_quote: { client: extra, to: [] },
  plan_intervention: {
    client: [...planned, 'visit_devis', 'validated', 'intervention', 'dropped', 'validation'],
    contractor: [...planned, 'visit_devis', 'validated', 'intervention', 'proposed'],
    to: ['intervention'],
  },
  reschedule: both([...visited, ...intervened], ['toreplan']),
  interventions_past: { timer: ['intervention'], to: ['intervention_finish'] },
  intervention_done: both(intervened, ['finished', 'intervention']),
  intervention_done_late: both(['finished'], []),
  intervention_not_done: both(intervened, ['toreplan']),
  finish: {
    client: without('finished'),
    contractor: without('finished', 'opened', 'waiting', 'proposed', 'declined'),
    to: ['finished'],
  },
  close: { client: active, to: ['closed'] },
  cancel: both(without('finished'), ['canceled']),
  reopen: both(['finished', 'closed', 'canceled', 'declined'], ['opened']),
  edit: { client: statuses.filter((status) => status !== 'removed'), to: [] },
  remove: { client: ['draft', 'opened', 'waiting', 'declined', 'canceled'], to: ['removed'] },
} satisfies Record<string, Transition>;

export type Operation = keyof typeof statusMachine;

function both(from: readonly From[], to: readonly Status[]): Transition {
  return { client: from, contractor: from, to };
}

/**
 * Checks that `actor` may do `operation` now.
 * @returns 'already' if its view is in the status that the operation leads to and the table does not list that status as a
 * start: then nothing changes and there is no event
 * @throws AppError forbidden `forbidden` for the wrong party, conflict `ticket_transition_forbidden` for a wrong status
 */
export function permit(ticket: Ticket, actor: Actor, operation: Operation): 'go' | 'already' {
  const transition: Transition = statusMachine[operation];
  const from = transition[actor.party];
  if (!from) throw new AppError('forbidden', 'forbidden', `${operation} is not for the ${actor.party} of a ticket`);
  const view = viewOf(ticket, actor);
  const status = statusFor(ticket, actor);
  const over = view?.state === 'declined' || view?.state === 'canceled';
  if (!over && mayStartFrom(from, status, ticket)) return 'go';
  if (transition.to.length === 1 && transition.to[0] === status) return 'already';
  throw forbiddenMove(status, operation);
}

/** True if `permit` would return 'go'. */
export function isPermitted(ticket: Ticket, actor: Actor, operation: Operation): boolean {
  const transition: Transition = statusMachine[operation];
  const view = viewOf(ticket, actor);
  if (view?.state === 'declined' || view?.state === 'canceled') return false;
  return mayStartFrom(transition[actor.party] ?? [], statusFor(ticket, actor), ticket);
}

/** The status of the ticket as this party sees it. */
export function statusFor(ticket: Ticket, actor: Actor): Status {
  return viewOf(ticket, actor)?.status ?? statusOf(ticket);
}

export function forbiddenMove(from: Status, operation: string): AppError {
  return refusal(`${operation} is not possible while the ticket is ${from}`, { from, operation });
}

/** The error for an actor whose decision rests on what someone else changed at the same time. */
export function concurrentChangeError(from: Status, operation: Operation): AppError {
  const message = `someone else came before this ${operation}: the ticket is ${from} now; read it again`;
  return refusal(message, { from, operation });
}

function refusal(message: string, details: { from: Status; operation: string }): AppError {
  return new AppError('conflict', 'ticket_transition_forbidden', message, { details });
}

/**
 * Refuses a note, a document or a report from a contractor that declined or lost the ticket (it keeps what it added before),
 * and from everyone once the ticket is removed.
 * @throws AppError conflict `ticket_transition_forbidden`
 */
export function refuseAddition(ticket: Ticket, companyId: string, operation: string): void {
  const view = viewOfCompany(ticket, companyId);
  if (!view) throw new Error('the company has no view of this ticket');
  if (!isNotified(view)) throw forbiddenMove(view.status, operation);
}

function viewOf(ticket: Ticket, actor: Actor): View | undefined {
  return actor.party === 'timer' ? undefined : viewOfCompany(ticket, actor.companyId);
}

function mayStartFrom(from: readonly From[], status: Status, ticket: Ticket): boolean {
  if (from.includes(status)) return true;
  return status === 'opened' && from.includes('opened_with_contractor') && activeView(ticket) !== undefined;
}
