import { ticketRef } from '../tickets/decision.ts';
import type { Quote, Ticket, View } from '../tickets/ticket.ts';

type Seen = Pick<Ticket, '_id' | 'number' | 'title' | 'version' | 'updated_at' | 'client_id' | 'views'> & {
  quotes: Pick<Quote, '_id' | 'contractor_id'>[];
};

/**
 * A ticket as a write of a purchase document needs it, and as this company may see it: for a contractor that is not the
 * one of the ticket, `contractor` is null, since competitors never see each other (design section 6).
 */
export function purchaseContext(ticket: Seen, companyId: string) {
  const own = ticket.views.find(({ company_id }) => company_id === companyId) as View;
  const whole = own.role === 'client';
  const active = ticket.views.find(({ state }) => state === 'active');
  const contractor = active && (whole || active === own) ? active : null;
  return {
    ticket: ticketRef(ticket),
    version: ticket.version,
    updated_at: ticket.updated_at,
    client_id: ticket.client_id,
    own: { view_id: own._id, role: own.role, state: own.state, status: own.status },
    contractor: contractor && { contractor_id: contractor.contractor_id, company_id: contractor.company_id },
    quote_ids: ticket.quotes
      .filter(({ contractor_id }) => whole || contractor_id === own.contractor_id)
      .map(({ _id }) => _id),
  };
}
