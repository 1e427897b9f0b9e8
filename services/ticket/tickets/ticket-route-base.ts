import type { Caller } from '@app/contracts';
import { documentedAs, type ErrorLine, id, namedEnum, type Precondition } from '@app/http';
import { AppError } from '@app/kernel';
import type { ProtectedWrite } from '@app/runtime/idempotency';
import Joi from 'joi';
import type { LogDraft } from './history.ts';
import { concurrentChangeError, type Operation, refuseAddition, statusFor } from './lifecycle/status-machine.ts';
import type { ChangeOptions, TicketStore } from './stores/ticket-store.ts';
import type { TicketSummary, TicketSummaryStore } from './stores/ticket-summary-store.ts';
import { type Actor, type Decision, type Ticket, typologies, type UserRef } from './ticket.ts';
import { sees } from './visibility.ts';

export type TicketDeps = { tickets: TicketStore; now: () => Date };

export const ticketPath = '/api/v3.0/tickets/:ticket_id';
export type TicketParams = { ticket_id: string };

/** The routes of the collection. */
export const ticketsRoute = {
  host: 'ticket',
  tag: 'Tickets',
  access: { permission: 'tickets' },
  path: '/api/v3.0/tickets',
} as const;

/** The errors of every route of one ticket. */
export const ticketErrors: readonly ErrorLine[] = ['404 ticket_not_found'];
/** The errors of routes that change it. */
export const changeErrors: readonly ErrorLine[] = [
  ...ticketErrors,
  '409 ticket_transition_forbidden',
  '503 ticket_busy',
];

/** The routes of one ticket: they load it, or answer 404 if the caller does not see it. */
export function onTicket({ tickets }: Pick<TicketDeps, 'tickets'>) {
  return {
    host: 'ticket',
    access: { permission: 'tickets' },
    params: Joi.object<TicketParams>({ ticket_id: id.required() }),
    errors: ticketErrors,
    load: ({ params, caller }: { params: TicketParams; caller: Caller }) =>
      loadVisibleTicket(tickets, params.ticket_id, caller),
  } as const;
}

const typologyIds: readonly string[] = Object.values(typologies);

/** The id of a typology, in lower or upper case; converts to lower case. */
export const typologyId = documentedAs(
  id.custom((value: string, helpers) =>
    typologyIds.includes(value) ? value : helpers.error('any.only', { valids: typologyIds }),
  ),
  namedEnum(typologies),
);

/** @throws AppError not_found `ticket_not_found` */
export async function loadVisibleTicket(tickets: TicketStore, ticketId: string, caller: Caller): Promise<Ticket> {
  return (await tickets.find(ticketId, caller)) ?? notFound();
}

/** @throws AppError not_found `ticket_not_found` */
export async function loadVisibleSummary(
  summaries: TicketSummaryStore,
  ticketId: string,
  caller: Caller,
): Promise<TicketSummary> {
  return (await summaries.find(ticketId, caller)) ?? notFound();
}

/**
 * Checks that the caller may still add something to the ticket.
 * @throws AppError not_found `ticket_not_found`, conflict `ticket_transition_forbidden`
 */
export function permitAddition(ticket: Ticket, caller: Caller, operation: string): void {
  if (!sees(caller, ticket)) notFound();
  refuseAddition(ticket, caller.companyId, operation);
}

/** The acting user as it is recorded. */
export function userRef({ userId, firstName, lastName, email, companyId }: Caller): UserRef {
  return { _id: userId, firstName, lastName, email, company_id: companyId };
}

export function actorOf(ticket: Ticket, caller: Caller): Exclude<Actor, { party: 'timer' }> {
  const party = ticket.client_id === caller.companyId ? 'client' : 'contractor';
  return { party, companyId: caller.companyId, user: userRef(caller) };
}

/** A request to change a ticket, as its route gets it. */
export type Change = {
  ticket: Ticket;
  caller: Caller;
  precondition: Precondition | null;
  write: ProtectedWrite | null;
};

type Log = Pick<LogDraft, 'operation' | 'details'>;
type Options = Omit<ChangeOptions, 'log' | 'write'> & { log: Log; exclusive?: Exclusive };

type Rule = (ticket: Ticket, actor: Actor, now: Date) => Decision;

/** `seen` is what a decision rests on, by default the statuses: if someone else changed it, the decision is refused. */
type Exclusive = { operation: Operation; seen?: (ticket: Ticket) => unknown };

/**
 * Runs a rule for the caller and saves its decision. With `exclusive`, of two people who decide differently at the same time
 * one wins and the other gets 409.
 * @throws AppError not_found `ticket_not_found` if the caller no longer sees the ticket; conflict
 * `ticket_transition_forbidden`; and what `rule` throws
 */
export function changeAs(
  { tickets }: Pick<TicketDeps, 'tickets'>,
  { ticket, caller, precondition, write }: Change,
  rule: Rule,
  { log, exclusive, ...options }: Options,
): Promise<Ticket> {
  const decide = (current: Ticket, at: Date): Decision => {
    if (!sees(caller, current)) notFound();
    precondition?.(current.version);
    const actor = actorOf(current, caller);
    const decision = rule(current, actor, at);
    // If someone else made the same decision at the same time, nothing changes, and that is no
    // conflict.
    if (exclusive && decision.ticket !== current) {
      const { operation, seen = statusesOf } = exclusive;
      if (seen(ticket) !== seen(current)) throw concurrentChangeError(statusFor(current, actor), operation);
    }
    return decision;
  };
  return tickets.change(ticket, decide, { ...options, write, log: { ...log, by: userRef(caller) } });
}

function statusesOf({ views }: Ticket): string {
  return views.map(({ _id, status }) => `${_id} ${status}`).join();
}

/** `client_id` says whose tickets a contractor means; a client has only its own. */
export function clientIdForContractors(): AppError {
  const message = 'client_id is for contractors; a client sees its own tickets';
  return new AppError('forbidden', 'client_id_contractors_only', message);
}

/** Contractors must not learn whom else the client asked. */
export function contractorIdForClients(): AppError {
  const message = 'contractor_id is for clients; a contractor lists what it sees itself';
  return new AppError('forbidden', 'contractor_id_clients_only', message);
}

function notFound(): never {
  throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
}
