import { type Quote, type Ticket, ticketRef, type View } from '../tickets/ticket.ts';
import { visibleQuotes } from '../tickets/visibility.ts';

type TicketPart = Pick<Ticket, '_id' | 'number' | 'title' | 'version' | 'updated_at' | 'client_id' | 'views'> & {
  quotes: Pick<Quote, '_id' | 'contractor_id'>[];
};

/**
 * What a write of a purchase document needs of its ticket, as far as this company may see it: `contractor` is null for any
 * contractor but the ticket's own, as competitors never learn of each other.
 */
export function purchaseContext(ticket: TicketPart, companyId: string) {
  const own = ticket.views.find(({ company_id }) => company_id === companyId) as View;
  const active = ticket.views.find(({ state }) => state === 'active');
  // Whoever lost the ticket is not to be ordered from by its quote. Before a contractor is chosen, those that are asked quote.
  const quoting = active ? [active] : ticket.views.filter(({ state }) => state === 'pending');
  const current = new Set(quoting.map(({ contractor_id }) => contractor_id));
  const contractor = active && (own.role === 'client' || active === own) ? active : null;
  return {
    ticket: ticketRef(ticket),
    version: ticket.version,
    updated_at: ticket.updated_at,
    client_id: ticket.client_id,
    own: { view_id: own._id, role: own.role, state: own.state, status: own.status },
    contractor: contractor && { contractor_id: contractor.contractor_id, company_id: contractor.company_id },
    quote_ids: visibleQuotes(ticket.quotes, own).flatMap(({ _id, contractor_id }) =>
      current.has(contractor_id) ? [_id] : [],
    ),
  };
}
