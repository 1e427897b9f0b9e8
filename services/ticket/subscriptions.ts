import type { Broker, ConsumerOptions, Inbox } from '@app/messaging';
import type { CompanyProjections } from './companies/company-projection-store.ts';
import { companySubscriptions } from './companies/subscriptions.ts';
import type { ContractorStore } from './contractors/contractor-store.ts';
import { contractorLinkSubscriptions } from './contractors/subscriptions.ts';
import type { InvoiceLineProjection } from './invoices/invoice-line-projection.ts';
import { invoiceLineSubscriptions } from './invoices/subscriptions.ts';
import type { PurchaseProjection } from './purchases/purchase-projection.ts';
import { purchaseSubscriptions } from './purchases/subscriptions.ts';
import type { ReferentialStore } from './referentials/referential-store.ts';
import { locationNameSubscriptions } from './referentials/subscriptions.ts';
import { snapshotSubscriptions } from './snapshots/subscriptions.ts';
import type { TicketStore } from './tickets/ticket-store.ts';

type Deps = {
  projections: CompanyProjections;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  tickets: TicketStore;
  purchaseProjection: PurchaseProjection;
  invoiceLineProjection: InvoiceLineProjection;
  broker: Pick<Broker, 'publish'>;
  inbox: Inbox;
  now: () => Date;
};

/**
 * Everything that the ticket service subscribes to, one queue for each purpose. Events that carry versions are idempotent and
 * need no inbox.
 */
export function subscriptions(deps: Deps): ConsumerOptions[] {
  const { inbox } = deps;
  return [
    { queue: 'company-copies', table: companySubscriptions(deps.projections), inbox },
    { queue: 'contractor-links', table: contractorLinkSubscriptions(deps), inbox },
    { queue: 'purchases', table: purchaseSubscriptions(deps.purchaseProjection) },
    { queue: 'invoice-lines', table: invoiceLineSubscriptions(deps.invoiceLineProjection) },
    { queue: 'location-names', table: locationNameSubscriptions(deps.referentials) },
    // One page at a time: a rebuild asks for everything.
    { queue: 'facts', table: snapshotSubscriptions(deps), prefetch: 1 },
  ];
}
