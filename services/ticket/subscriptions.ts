import type { ConsumerOptions, Inbox } from '@app/messaging';
import type { CompanyCopies } from './companies/company-copies-store.ts';
import { companySubscriptions } from './companies/subscriptions.ts';
import { contractorLinkSubscriptions } from './contractors/subscriptions.ts';
import type { PurchaseKeeper } from './purchases/keep-purchase.ts';
import { purchaseSubscriptions } from './purchases/subscriptions.ts';
import type { TicketStore } from './tickets/ticket-store.ts';

type Deps = { copies: CompanyCopies; tickets: TicketStore; purchases: PurchaseKeeper; inbox: Inbox; now: () => Date };

/**
 * Everything that the ticket service listens to: one queue for a purpose. What carries versions is the same twice by
 * itself and needs no inbox.
 */
export function subscriptions({ copies, tickets, purchases, inbox, now }: Deps): ConsumerOptions[] {
  return [
    { queue: 'company-copies', table: companySubscriptions(copies), inbox },
    { queue: 'contractor-links', table: contractorLinkSubscriptions({ tickets, now }), inbox },
    { queue: 'purchases', table: purchaseSubscriptions(purchases) },
  ];
}
