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
import { locationNameSubscriptions, snapshotSubscriptions } from './snapshots/subscriptions.ts';
import type { TicketStore } from './tickets/ticket-store.ts';

type Deps = {
  copies: CompanyProjections;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  tickets: TicketStore;
  purchases: PurchaseProjection;
  lines: InvoiceLineProjection;
  broker: Pick<Broker, 'publish'>;
  inbox: Inbox;
  now: () => Date;
};

/** Those in hand at once share what they ask and write. */
const linesAtOnce = 64;

/**
 * Everything that the ticket service listens to: one queue for a purpose. What carries versions is the same twice by
 * itself and needs no inbox.
 */
export function subscriptions(deps: Deps): ConsumerOptions[] {
  const { inbox } = deps;
  return [
    { queue: 'company-copies', table: companySubscriptions(deps.copies), inbox },
    { queue: 'contractor-links', table: contractorLinkSubscriptions(deps), inbox },
    { queue: 'purchases', table: purchaseSubscriptions(deps.purchases) },
    { queue: 'invoice-lines', table: invoiceLineSubscriptions(deps.lines), prefetch: linesAtOnce },
    { queue: 'location-names', table: locationNameSubscriptions(deps.referentials) },
    // A page at a time: who starts anew asks for everything there is.
    { queue: 'facts', table: snapshotSubscriptions(deps), prefetch: 1 },
  ];
}
