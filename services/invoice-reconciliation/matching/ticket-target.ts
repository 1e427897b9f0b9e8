import type { HeardStatuses, PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import type { FeedbackTarget } from '../feedback/feedback.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { LinkedToTicket } from '../invoices/linked-amounts.ts';

/**
 * A view of a ticket, with all that linking an invoice to it needs; `claim` is a slot on the ticket (`ticketSlotClaim`),
 * `accountClaims` are those of `accountClaims` that no other invoice holds.
 */
export type TicketTarget = FeedbackTarget & {
  view: { id: string; contractor_id: string | null };
  claim: string;
  accountClaims: string[];
};

type Orders = readonly Pick<PurchaseSnapshot, 'kind' | 'reference' | 'created_at'>[];
type Chosen = {
  ticket: TicketSnapshot;
  purchases: Orders;
  viewId: string;
  /** The invoices that were on the ticket when it was chosen. */
  linked: readonly LinkedToTicket[];
  accountClaims: string[];
  heardBy: (provider: string) => HeardStatuses;
};

export function ticketTarget({ provider }: Pick<Invoice, 'provider'>, chosen: Chosen): TicketTarget {
  const { ticket, purchases, viewId, linked, accountClaims, heardBy } = chosen;
  const { id, number, views } = ticket;
  const claims = linked.filter(({ ticketId }) => ticketId === id).flatMap((one) => one.claims);
  const view = views.find((one) => one.id === viewId);
  return {
    heard: heardBy(provider),
    ticket: { id, number },
    po_ref: latestOrder({ purchases }),
    view: { id: viewId, contractor_id: view?.contractor_id ?? null },
    claim: ticketSlotClaim(id, claims),
    accountClaims,
  };
}

/**
 * The next free slot on a ticket, given the claims of the invoices that are on it. Two invoices that are matched at the same
 * time choose the same slot; only one is saved, and the other is matched again with the knowledge of the first.
 */
export function ticketSlotClaim(ticketId: string, claims: readonly string[]): string {
  const prefix = `t:${ticketId}:`;
  const numbers = claims.filter((claim) => claim.startsWith(prefix)).map((claim) => Number(claim.slice(prefix.length)));
  return `${prefix}${Math.max(0, ...numbers) + 1}`;
}

/**
 * A link confirms accounts: the supplier's first link, and the first one to each account, claim that. Of two that are matched at
 * the same time only one is saved, and the other sees its accounts.
 */
export function accountClaims(supplierId: string | null, accounts: readonly string[]): string[] {
  if (accounts.length === 0) return [];
  return [...(supplierId === null ? [] : [supplierId]), ...accounts].map((one) => `a:${one}`);
}

/** True for claims that an invoice holds as long as it is on a ticket. */
export function isLinkClaim(claim: string): boolean {
  return isTicketSlot(claim) || claim.startsWith('a:');
}

export function isTicketSlot(claim: string): boolean {
  return claim.startsWith('t:');
}

/** The ticket's newest order, which is reported to providers. */
export function latestOrder({ purchases }: { purchases: Orders }): string | null {
  const orders = purchases.filter(({ kind }) => kind === 'purchase_order');
  return orders.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.reference ?? null;
}
