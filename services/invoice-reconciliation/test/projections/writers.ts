import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import { createPurchaseProjectionStore } from '../../projections/purchase-projection-store.ts';
import { type TicketProjectionDeps, TicketProjectionStore } from '../../projections/ticket-projection-store.ts';

/** The writes of a replica. */
export function writers(deps: TicketProjectionDeps) {
  const tickets = new TicketProjectionStore(deps);
  const purchases = createPurchaseProjectionStore({ connection: deps.connection, tickets });
  return {
    keepTicket: (ticket: TicketSnapshot) => tickets.upsert(ticket),
    keepPurchase: (purchase: PurchaseSnapshot) => purchases.upsert(purchase),
  };
}

export function shuffled<T>(list: T[]): T[] {
  return list
    .map((one) => ({ one, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}
