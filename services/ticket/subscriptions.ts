import type { Subscription } from '@app/messaging';
import type { CompanyCopies } from './companies/company-copies-store.ts';
import { companySubscriptions } from './companies/subscriptions.ts';
import { contractorLinkSubscriptions } from './contractors/subscriptions.ts';
import type { TicketStore } from './tickets/ticket-store.ts';

type Deps = { copies: CompanyCopies; tickets: TicketStore; now: () => Date };

/** Everything that the ticket service listens to: one queue for a purpose. */
export function subscriptions({ copies, tickets, now }: Deps): Record<string, Subscription[]> {
  return {
    'company-copies': companySubscriptions(copies),
    'contractor-links': contractorLinkSubscriptions({ tickets, now }),
  };
}
