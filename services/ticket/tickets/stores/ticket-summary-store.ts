import type { Connection } from 'mongoose';
import type { Quote, Ticket } from '../ticket.ts';
import { ticketCollection } from './ticket-collection.ts';
import { createTicketLoader } from './ticket-loader-store.ts';

/** What purchase documents and invoice lines need of their ticket. */
export type TicketSummary = Pick<
  Ticket,
  '_id' | 'number' | 'title' | 'version' | 'updated_at' | 'client_id' | 'views' | 'location_ids' | TicketFlag
> & { quotes: Pick<Quote, '_id' | 'contractor_id'>[] };

/** Says that a ticket has documents in a collection of their own. */
type TicketFlag = 'has_purchases' | 'has_invoices';

export type TicketSummaryStore = ReturnType<typeof createTicketSummaryStore>;

const projection = {
  number: 1,
  title: 1,
  version: 1,
  updated_at: 1,
  client_id: 1,
  views: 1,
  location_ids: 1,
  'quotes._id': 1,
  'quotes.contractor_id': 1,
  has_purchases: 1,
  has_invoices: 1,
} as const;

export function createTicketSummaryStore({ connection }: { connection: Connection }) {
  const tickets = ticketCollection(connection);
  const loader = createTicketLoader<TicketSummary>(connection, projection);
  return {
    /** The ticket if this company sees it; without a viewer: the ticket. */
    find: loader.load,
    /**
     * From then on, reads of this ticket query that collection. The version of the ticket stays. Call
     * it before writing there: a crash in between then costs a query in vain, instead of hiding a
     * document.
     */
    async setFlag(ticket: TicketSummary, flag: TicketFlag): Promise<void> {
      if (!ticket[flag]) await tickets.updateOne({ _id: ticket._id }, { $set: { [flag]: true } });
    },
  };
}
