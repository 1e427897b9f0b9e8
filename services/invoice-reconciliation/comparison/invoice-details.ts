import type { HeardStatuses } from '@app/contracts';
import { maySend } from '../feedback/statuses.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { MatchQueries } from '../matching/match-query-store.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { Candidates } from './candidates.ts';
import type { InvoiceDetails } from './related.ts';
import type { RelatedInvoices } from './related-store.ts';

export type ReadDetails = (invoice: Invoice) => Promise<InvoiceDetails>;

type Deps = {
  candidates: Pick<Candidates, 'ticketDetails' | 'agrees'>;
  heardBy: (provider: string) => HeardStatuses;
  relatedInvoices: RelatedInvoices;
  tickets: Pick<TicketProjectionStore, 'findAll'>;
  queries: Pick<MatchQueries, 'confirmedAccounts' | 'sharedAccounts'>;
};

const maxAccounts = 50;

export function createReadDetails({ candidates, relatedInvoices, tickets, queries, heardBy }: Deps): ReadDetails {
  return async (invoice) => {
    const { client_id, supplier_id, ticket_id, view_id, suggestions } = invoice;
    const own = ticket_id === null || view_id === null ? [] : [{ ticketId: ticket_id, viewId: view_id }];
    const mayApprove = ticket_id !== null && maySend(invoice, 'approved', heardBy(invoice.provider));
    const [ticketDetails, related, accounts, sharedAccounts, isApprovable] = await Promise.all([
      candidates.ticketDetails(invoice, [...suggestions, ...own]),
      relatedInvoices(invoice),
      supplier_id === null ? [] : queries.confirmedAccounts(client_id, supplier_id),
      queries.sharedAccounts(invoice),
      mayApprove && candidates.agrees(invoice, ticket_id),
    ]);
    const ids = [...new Set(related.flatMap(({ ticketId }) => ticketId ?? []))];
    const numbers = (await tickets.findAll(client_id, ids)).map(({ ticket }) => [ticket.id, ticket.number] as const);
    const knownAccounts = accounts.sort().slice(0, maxAccounts);
    const ticketNumbers = new Map(numbers);
    return { ticketDetails, related, ticketNumbers, knownAccounts, sharedAccounts, isApprovable };
  };
}
