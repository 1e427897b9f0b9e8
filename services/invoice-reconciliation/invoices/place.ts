import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import type { Invoice } from './invoice.ts';
import { type Place, placeClaim } from './link.ts';
import type { OnTicket } from './on-ticket.ts';

type Orders = readonly Pick<PurchaseSnapshot, 'kind' | 'reference' | 'created_at'>[];
type Copy = { facts: TicketSnapshot; purchases: Orders };

/** A view of a ticket, and who was on the ticket when it was chosen. */
type Chosen = {
  copy: Copy;
  viewId: string;
  linked: readonly OnTicket[];
  hasFeedback: (provider: string) => boolean;
};

/** The next place on the ticket, for whoever decided by those that are there. */
export function placeOf(invoice: Pick<Invoice, 'provider'>, { copy, viewId, linked, hasFeedback }: Chosen): Place {
  const { id, number, views } = copy.facts;
  const held = linked.filter(({ ticketId }) => ticketId === id).flatMap(({ claims }) => claims);
  const view = views.find((one) => one.id === viewId);
  return {
    hasFeedback: hasFeedback(invoice.provider),
    ticket: { id, number },
    po_ref: orderOf(copy),
    view: { id: viewId, contractor_id: view?.contractor_id ?? null },
    claim: placeClaim(id, held),
  };
}

/** The order that the provider is told of: the ticket's newest. */
export function orderOf({ purchases }: Pick<Copy, 'purchases'>): string | null {
  const orders = purchases.filter(({ kind }) => kind === 'purchase_order');
  return orders.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.reference ?? null;
}
