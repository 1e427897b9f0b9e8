import {
  type ContractorLinked,
  companyChanged,
  companyCreated,
  contractorLinked,
  type InvoiceLineSnapshot,
  invoiceLineChanged,
  locationChanged,
  purchaseChanged,
  purchaseFileAttached,
  snapshotsRequested,
  userChanged,
  userCreated,
} from '@app/contracts';
import { type Broker, type ConsumerOptions, on } from '@app/messaging';
import type { CompanyProjections } from './companies/company-projection-store.ts';
import type { ContractorStore } from './contractors/contractor-store.ts';
import type { InvoiceLineProjection } from './invoices/invoice-line-projection.ts';
import type { PurchaseProjection } from './purchases/purchase-projection.ts';
import type { ReferentialStore } from './referentials/referential-store.ts';
import type { IfNotLost } from './restore/restore-participant.ts';
import { republishSnapshots } from './snapshots/republish-snapshots.ts';
import { linkContractor } from './tickets/lifecycle/link-contractor.ts';
import type { TicketStore } from './tickets/stores/ticket-store.ts';

type Deps = {
  projections: CompanyProjections;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  tickets: TicketStore;
  purchaseProjection: PurchaseProjection;
  invoiceLineProjection: InvoiceLineProjection;
  broker: Pick<Broker, 'publish'>;
  ifNotLost: IfNotLost;
  now: () => Date;
};

/** Everything that the ticket service subscribes to, one queue for each purpose. Each handler is idempotent. */
export function subscriptions(deps: Deps): ConsumerOptions[] {
  const { projections, tickets, purchaseProjection, invoiceLineProjection, referentials, ifNotLost } = deps;
  return [
    {
      queue: 'companies',
      table: [
        on(companyCreated, ({ data }) => projections.saveCompany(data.company)),
        on(companyChanged, ({ data }) => projections.saveCompany(data.company)),
        on(userCreated, ({ data }) => projections.saveUser(data.user)),
        on(userChanged, ({ data }) => projections.saveUser(data.user)),
      ],
    },
    { queue: 'contractor-links', table: [on(contractorLinked, ({ data }) => linkTickets(tickets, data))] },
    {
      // Most of these were pushed before; those whose push failed, or that were made without a
      // caller, come only this way.
      queue: 'purchases',
      table: [
        on(purchaseChanged, ({ data: { purchase } }) =>
          ifNotLost(namedBy(purchase), () => purchaseProjection.applyEvent(purchase)),
        ),
        on(purchaseFileAttached, ({ data: { document } }) =>
          ifNotLost(namedBy(document), () => purchaseProjection.attachFileFromEvent(document)),
        ),
      ],
    },
    {
      queue: 'invoice-lines',
      table: [
        on(invoiceLineChanged, ({ data }) =>
          ifNotLost(namedByLine(data), () => invoiceLineProjection.applyEvent(data)),
        ),
      ],
    },
    {
      queue: 'location-names',
      table: [on(locationChanged, ({ data }) => referentials.checkBilling(data.location.id))],
    },
    {
      queue: 'snapshot-requests',
      table: [on(snapshotsRequested, ({ data }) => republishSnapshots(deps, data))],
      // One page at a time: a rebuild requests all snapshots.
      prefetch: 1,
    },
  ];
}

type NamedByPurchase = { ticket_id: string; kind: string; reference?: string };

function namedBy({ ticket_id: ticketId, kind, reference = 'with a file' }: NamedByPurchase) {
  return { ticketId, knownTo: 'purchase', label: `${kind} ${reference}` };
}

function namedByLine({ invoice_id, line }: InvoiceLineSnapshot) {
  const { ticket_id: ticketId = '', view_id: viewId = '', reference = '' } = line ?? {};
  return { ticketId, viewId, knownTo: 'invoice-reconciliation', label: `invoice ${reference} (${invoice_id})` };
}

const linkBatchSize = 100;

/** When a contractor gets an account, its tickets become visible to its company, with one event each. */
async function linkTickets(tickets: TicketStore, link: ContractorLinked): Promise<void> {
  for (;;) {
    const ids = await tickets.withUnlinkedContractor(link.contractor_id, linkBatchSize);
    for (const id of ids) await tickets.change(id, (ticket, at) => linkContractor(ticket, link, at), { write: null });
    if (ids.length < linkBatchSize) return;
  }
}
