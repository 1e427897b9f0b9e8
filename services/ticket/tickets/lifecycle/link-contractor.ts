import { type ContractorLinked, type NewEvent, ticketStatusChanged } from '@app/contracts';
import { type Decision, isNotified, type Ticket, ticketRef } from '../ticket.ts';

/** Sets the company of a contractor's view, after the contractor got an account. `from` of the status event is null. */
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
