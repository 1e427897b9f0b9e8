import { ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture } from '@app/testing';
import { createTicket } from '../../creation/create-ticket.ts';
import { addDate } from '../../dates/dates.ts';
import { assignView, withStatus, withViewFor } from '../../tickets/lifecycle/decision.ts';
import type { Actor, Decision, Status, Ticket, UserRef, View } from '../../tickets/ticket.ts';

export const at = new Date('2026-11-21T10:00:00.000Z');
export const later = new Date('2026-11-22T10:00:00.000Z');

export const clientId = newId();
export const user: UserRef = {
  _id: newId(),
  firstName: 'Ada',
  lastName: 'Martin',
  email: 'ada@example.com',
  company_id: clientId,
};
export const client: Actor = { party: 'client', companyId: clientId, user };

/** A contractor of the directory with an account, and who acts for it. */
export function aContractor(): { candidate: { id: string; company_id: string }; actor: Actor; companyId: string } {
  const companyId = newId();
  const actor: Actor = { party: 'contractor', companyId, user: { ...user, _id: newId(), company_id: companyId } };
  return { candidate: { id: newId(), company_id: companyId }, actor, companyId };
}

export function aTicket(given: Partial<Ticket> = {}): Ticket {
  const { client_id: _id = clientId } = given;
  const ticket = createTicket(
    { input: { title: 'Leak' }, number: 'T-000001', client: { _id, name: 'Acme' }, by: user },
    at,
  );
  return { ...ticket, ...given };
}

/** The ticket that the frozen examples of events speak of: its client, and the contractor to which the order goes. */
export function theTicket(): Ticket {
  const { id: _id, client_id, number, title, views: all } = eventFixture(ticketChanged).data.ticket;
  const views = all.map(({ id, ...view }) => ({ ...view, _id: id, reason: null, expires_at: null }) as View);
  return { ...aTicket(), _id, client_id, number, title, views };
}

type Contractor = ReturnType<typeof aContractor>;

/** A ticket in that status which has this contractor, whatever way led there. */
export function worked(
  status: Status,
  { candidate }: Pick<Contractor, 'candidate'>,
  given: Partial<Ticket> = {},
): Ticket {
  const seen = withViewFor(aTicket(given), candidate, { state: 'pending', status: 'proposed', expires_at: null });
  return withStatus(assignView(seen, seen.views[1]?._id ?? '', at), status);
}

/** A ticket in that status on which these contractors were proposed and have not answered. */
export function proposedTo(status: Status, ...contractors: Contractor[]): Ticket {
  const given = { state: 'pending', status: 'proposed', expires_at: null } as const;
  return withStatus(
    contractors.reduce((ticket, { candidate }) => withViewFor(ticket, candidate, given), aTicket()),
    status,
  );
}

export function aDate(
  given: { category?: 'visit' | 'intervention'; type?: 'planned' | 'actual'; start?: Date; end?: Date } = {},
) {
  const start = given.start ?? later;
  return {
    _id: newId(),
    company_id: clientId,
    category: 'intervention' as const,
    type: 'planned' as const,
    start,
    end: new Date(start.getTime() + 3_600_000),
    created_at: at,
    ...given,
  };
}

export function withPlanned(ticket: Ticket, ...dates: ReturnType<typeof aDate>[]): Ticket {
  return dates.reduce((next, date) => addDate(next, client, at, date).ticket, ticket);
}

/** The status changes that a decision publishes: company, from, to. */
export function statusChanges(decision: Decision): { to: string; from: string | null; status: string }[] {
  return decision.events
    .filter(({ type }) => type === 'ticket.status_changed.v1')
    .flatMap(({ data }) => {
      const { audience, payload } = data as {
        audience: string[];
        payload: { status: { from: string | null; to: string } };
      };
      return audience.map((company) => ({ to: company, from: payload.status.from, status: payload.status.to }));
    });
}
