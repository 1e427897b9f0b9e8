import type { Caller } from '@app/contracts';
import { id } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { TicketViews } from './related-store.ts';
import type { Actor, Decision, Ticket, UserRef } from './ticket.ts';
import type { TicketGlance, TicketGlances } from './ticket-glance-store.ts';
import type { ChangeOptions, TicketStore } from './ticket-store.ts';

export type TicketDeps = { tickets: TicketStore; views: TicketViews; now: () => Date };

export const ticketPath = '/api/v3.0/tickets/:ticket_id';
export type TicketParams = { ticket_id: string };

/** What every operation on one ticket shares: its id, and 404 for a ticket that the caller does not see. */
export function onTicket({ tickets }: Pick<TicketDeps, 'tickets'>) {
  return {
    host: 'ticket',
    access: { permission: 'tickets' },
    params: Joi.object<TicketParams>({ ticket_id: id.required() }),
    find: ({ params, caller }: { params: TicketParams; caller: Caller }) => visible(tickets, params.ticket_id, caller),
  } as const;
}

/** @throws AppError not_found `ticket_not_found` */
export async function visible(tickets: TicketStore, ticketId: string, caller: Caller): Promise<Ticket> {
  const ticket = await tickets.find(ticketId, caller);
  if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
  return ticket;
}

/** As `visible`, for those who need a glance alone. @throws AppError not_found `ticket_not_found` */
export async function visibleGlance(glances: TicketGlances, ticketId: string, caller: Caller): Promise<TicketGlance> {
  const ticket = await glances.find(ticketId, caller);
  if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
  return ticket;
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

/** Decides for the caller and saves; the options are those of `TicketStore.change`. */
export function changeAs(
  deps: TicketDeps,
  { ticket, caller }: { ticket: Ticket; caller: Caller },
  decide: Deciding,
  options?: ChangeOptions,
) {
  return deps.tickets.change(ticket, (current) => decide(current, actorOf(current, caller), deps.now()), options);
}
