import type { Caller } from '@app/contracts';
import type { InvoiceDetails } from '../comparison/related.ts';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { InvoiceLists } from './invoice-list-store.ts';

/**
 * What a user who is limited to places sees of invoices: those on tickets at their places, and those on no ticket, without what
 * they say of other tickets (docs/decisions/users-limited-to-places.md). Other users see all.
 */
export type VisibleInvoices = ReturnType<typeof createVisibleInvoices>;

type Deps = {
  tickets: Pick<TicketProjectionStore, 'idsAt'>;
  invoices: Pick<InvoiceLists, 'counts' | 'countsByTicket'>;
};

export function createVisibleInvoices({ tickets, invoices }: Deps) {
  return {
    /** Those of the invoices that the caller sees, as the caller sees them: to be shown, never to be saved. */
    async of({ companyId, placeIds }: Caller, found: Invoice[]): Promise<Invoice[]> {
      if (!placeIds) return found;
      const seen = await tickets.idsAt(companyId, [...new Set(found.flatMap(ticketsOf))], placeIds);
      return found.filter(({ ticket_id }) => ticket_id === null || seen.has(ticket_id)).map((one) => asSeen(one, seen));
    },
    /** The details of an invoice without related ones on tickets elsewhere. */
    async details({ companyId, placeIds }: Caller, details: InvoiceDetails): Promise<InvoiceDetails> {
      if (!placeIds) return details;
      const named = details.related.flatMap(({ ticketId }) => ticketId ?? []);
      const seen = await tickets.idsAt(companyId, named, placeIds);
      return { ...details, related: details.related.filter(({ ticketId }) => ticketId === null || seen.has(ticketId)) };
    },
    /** Those of the tickets whose invoices a limited caller sees. */
    tickets: ({ companyId, placeIds = [] }: Caller, ids: string[]): Promise<ReadonlySet<string>> =>
      tickets.idsAt(companyId, ids, placeIds),
    /** How many the caller sees in each state, counted up to `maxCounted`. */
    async counts({ companyId, placeIds }: Caller): Promise<Record<State, number>> {
      if (!placeIds) return invoices.counts(companyId);
      const counted = await invoices.countsByTicket(companyId);
      const named = [...new Set(counted.flatMap(({ ticketId }) => ticketId ?? []))];
      const seen = await tickets.idsAt(companyId, named, placeIds);
      const sum = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
      for (const { state, ticketId, count } of counted) {
        if (ticketId === null || seen.has(ticketId)) sum[state] += count;
      }
      return sum;
    },
  };
}

function ticketsOf(invoice: Invoice): string[] {
  return [
    ...earlierTickets(invoice),
    ...(invoice.ticket_id === null ? [] : [invoice.ticket_id]),
    ...invoice.suggestions.map(({ ticketId }) => ticketId),
  ];
}

function earlierTickets({ former_tickets = [], refused_tickets, undone_tickets = [] }: Invoice): string[] {
  return [...former_tickets, ...refused_tickets, ...undone_tickets];
}

/** The history says in words which tickets the invoice was on, so it loses them all once one is hidden. */
function asSeen(invoice: Invoice, seen: ReadonlySet<string>): Invoice {
  const suggestions = invoice.suggestions.filter(({ ticketId }) => seen.has(ticketId));
  if (earlierTickets(invoice).every((id) => seen.has(id))) return { ...invoice, suggestions };
  const history = invoice.history.map(({ signals: _, ...entry }) => ({ ...entry, reason: null }));
  return { ...invoice, suggestions, history };
}
