import { type ContractorLinked, type NewEvent, ticketStatusChanged } from '@app/contracts';
import { ticketRef } from './decision.ts';
import { type Decision, isNotified, type Ticket } from './ticket.ts';

/** Gives the view of a contractor its company; one that hears of the ticket is told, with `from` null (design section 6). */
export function linkContractor(ticket: Ticket, { contractor_id, company_id }: ContractorLinked, now: Date): Decision {
  const view = ticket.views.find(
    (candidate) => candidate.contractor_id === contractor_id && candidate.company_id === null,
  );
  if (!view) return { ticket, events: [] };
  const views = ticket.views.map((candidate) => (candidate === view ? { ...view, company_id } : candidate));
  const status = { from: null, to: view.status };
  const events: NewEvent[] = isNotified(view)
    ? [ticketStatusChanged({ audience: [company_id], payload: { ticket: ticketRef(ticket), status } }, now, ticket._id)]
    : [];
  return { ticket: { ...ticket, views, updated_at: now }, events };
}
