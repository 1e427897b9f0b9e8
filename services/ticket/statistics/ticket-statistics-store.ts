import type { StatisticsSource } from '@app/service/statistics';
import type { Connection } from 'mongoose';
import type { LineOnTicket } from '../invoices/invoice-line.ts';
import type { Purchase } from '../purchases/purchase.ts';
import { companiesIn, type StoredTicket, ticketCollection } from '../tickets/stores/ticket-collection.ts';
import { ticketEntries } from './ticket-entries.ts';

/** The tickets as figures are made of them. By the driver: every change of a ticket is counted. */
export function ticketStatisticsSource(connection: Connection): StatisticsSource<StoredTicket> {
  const purchases = connection.collection<Purchase>('purchase_projections');
  const lines = connection.collection<LineOnTicket>('invoice_lines');
  return {
    collection: ticketCollection(connection),
    projection: { outbox: 0, search: 0, 'views.facets': 0, description: 0, fields: 0 },
    companies: companiesIn,
    async entriesOf(tickets, session) {
      const having = (flag: 'has_purchases' | 'has_invoices') => {
        return tickets.filter((ticket) => ticket[flag]).map(({ _id }) => _id);
      };
      const options = { hint: 'shown', session } as const;
      const [buying, invoiced] = [having('has_purchases'), having('has_invoices')];
      const bought =
        buying.length === 0
          ? []
          : await purchases
              .find({ ticket_id: { $in: buying } }, options)
              .sort({ _id: 1 })
              .toArray();
      const billed =
        invoiced.length === 0
          ? []
          : await lines
              .find({ ticket_id: { $in: invoiced } }, { ...options, projection: { outbox: 0, log: 0 } })
              .sort({ _id: 1 })
              .toArray();
      const purchasesOf = Map.groupBy(bought, ({ ticket_id }) => ticket_id);
      const linesOf = Map.groupBy(billed, ({ ticket_id }) => ticket_id);
      return tickets.map((ticket) =>
        ticketEntries({
          ticket,
          history: ticket.history ?? [],
          purchases: purchasesOf.get(ticket._id)?.filter(({ deleted }) => !deleted) ?? [],
          lines: linesOf.get(ticket._id) ?? [],
        }),
      );
    },
  };
}
