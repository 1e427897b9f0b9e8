import type { Caller } from '@app/contracts';
import { id } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { TicketPresenter } from '../reading/ticket-presenter.ts';
import { concurrentChangeError, type Operation, refuseAddition, statusFor } from './status-machine.ts';
import type { Actor, Decision, Ticket, UserRef } from './ticket.ts';
import { sees } from './ticket-list-plan.ts';
import type { ChangeOptions, TicketStore } from './ticket-store.ts';
import type { TicketSummary, TicketSummaryStore } from './ticket-summary-store.ts';

export type TicketDeps = { tickets: TicketStore; views: TicketPresenter; now: () => Date };

export const ticketPath = '/api/v3.0/tickets/:ticket_id';
export type TicketParams = { ticket_id: string };

/** What every operation on one ticket shares: its id, and 404 for a ticket that the caller does not see. */
export function onTicket({ tickets }: Pick<TicketDeps, 'tickets'>) {
  return {
    host: 'ticket',
    access: { permission: 'tickets' },
    params: Joi.object<TicketParams>({ ticket_id: id.required() }),
    load: ({ params, caller }: { params: TicketParams; caller: Caller }) =>
      loadVisibleTicket(tickets, params.ticket_id, caller),
  } as const;
}

/** @throws AppError not_found `ticket_not_found` */
export async function loadVisibleTicket(tickets: TicketStore, ticketId: string, caller: Caller): Promise<Ticket> {
  const ticket = await tickets.find(ticketId, caller);
  if (!ticket) throw notFound();
  return ticket;
}

/** As `visible`, for those who need a glance alone. @throws AppError not_found `ticket_not_found` */
export async function loadVisibleSummary(
  glances: TicketSummaryStore,
  ticketId: string,
  caller: Caller,
): Promise<TicketSummary> {
  const ticket = await glances.find(ticketId, caller);
  if (!ticket) throw notFound();
  return ticket;
}

/**
 * That the caller may still add to the ticket, as it is by then.
 * @throws AppError not_found `ticket_not_found`, conflict `ticket_transition_forbidden`
 */
export function permitAddition(ticket: Ticket, caller: Caller, operation: string): void {
  if (!sees(caller, ticket)) throw notFound();
  refuseAddition(ticket, caller.companyId, operation);
}

/** The user who acts, as records keep it. */
export function userRef({ userId, firstName, lastName, email, companyId }: Caller): UserRef {
  return { _id: userId, firstName, lastName, email, company_id: companyId };
}

export function actorOf(ticket: Ticket, caller: Caller): Actor {
  const party = ticket.client_id === caller.companyId ? 'client' : 'contractor';
  return { party, companyId: caller.companyId, user: userRef(caller) };
}

type Deciding = (ticket: Ticket, actor: Actor, now: Date) => Decision;

/** `seen` is what a decision rests on, the statuses by default: where someone else changed it, it is not carried out. */
type Exclusive = { operation: Operation; seen?: (ticket: Ticket) => unknown };

/**
 * Decides for the caller and saves. With `exclusive`, of two people who decide differently at once one wins and the other
 * is told (409). The other options are those of `TicketStore.change`.
 * @throws AppError not_found `ticket_not_found` where the caller sees the ticket no more; conflict
 * `ticket_transition_forbidden`; and what `decide` throws
 */
export function changeAs(
  deps: TicketDeps,
  { ticket, caller }: { ticket: Ticket; caller: Caller },
  decide: Deciding,
  { exclusive, ...options }: ChangeOptions & { exclusive?: Exclusive } = {},
) {
  const decideNow = (current: Ticket, at: Date): Decision => {
    if (!sees(caller, current)) throw notFound();
    const actor = actorOf(current, caller);
    const decision = decide(current, actor, at);
    // Who decided the same a moment later has what it wants: nothing changes, and nothing is told.
    if (exclusive && decision.ticket !== current) {
      const { operation, seen = statusesOf } = exclusive;
      if (seen(ticket) !== seen(current)) throw concurrentChangeError(statusFor(current, actor), operation);
    }
    return decision;
  };
  return deps.tickets.change(ticket, decideNow, options);
}

function statusesOf({ views }: Ticket): string {
  return views.map(({ _id, status }) => `${_id} ${status}`).join();
}

function notFound(): AppError {
  return new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
}
