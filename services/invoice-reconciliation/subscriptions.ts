import {
  companyChanged,
  companyCreated,
  contractorChanged,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceStatusReceived,
  locationChanged,
  purchaseChanged,
  ticketChanged,
} from '@app/contracts';
import { AppError } from '@app/kernel';
import { on, type Subscription } from '@app/messaging';
import { applyFeedbackResult } from './feedback/feedback.ts';
import type { Ingest } from './intake/ingest.ts';
import type { InvoiceStore } from './invoices/invoice-store.ts';
import type { ReceivedStatuses } from './lifecycle/received-status-store.ts';
import type { RematchQueue } from './matching/rematch-queue.ts';
import type { DirectoryStore } from './projections/directory-store.ts';
import type { PurchaseProjectionStore } from './projections/purchase-projection-store.ts';
import type { TicketProjectionStore } from './projections/ticket-projection-store.ts';

type Deps = {
  ingest: Ingest;
  store: InvoiceStore;
  tickets: TicketProjectionStore;
  purchases: PurchaseProjectionStore;
  directory: DirectoryStore;
  rematches: RematchQueue;
  statuses: Pick<ReceivedStatuses, 'receive'>;
  now: () => Date;
};

/** The events that this service consumes, by queue. Each handler is idempotent. */
export function subscriptions(deps: Deps): Record<string, Subscription[]> {
  const { ingest, store, tickets, purchases, directory, rematches, statuses, now } = deps;
  return {
    invoices: [
      on(invoiceFetched, ({ data }) => ingest.fetched(data)),
      on(invoiceGone, ({ data }) => ingest.deleted(data)),
      on(invoiceStatusReceived, ({ data }) => statuses.receive(data)),
    ],
    feedback: [
      on(invoiceFeedbackSettled, async ({ data }) => {
        const { client_id, invoice_id } = data;
        await ifKnown(
          store.change(client_id, invoice_id, (invoice) => applyFeedbackResult(invoice, data, now()), { write: null }),
        );
      }),
    ],
    tickets: [on(ticketChanged, ({ data }) => tickets.upsert(data.ticket))],
    purchases: [on(purchaseChanged, ({ data }) => purchases.upsert(data.purchase))],
    projections: [
      on(contractorChanged, async ({ data: { contractor } }) => {
        await directory.upsertContractor(contractor);
        await rematches.contractorChanged(contractor);
      }),
      on(locationChanged, ({ data }) => directory.upsertLocation(data.location)),
      on(invoiceLineChanged, ({ data }) => rematches.lineChanged(data)),
      on(companyCreated, ({ data }) => directory.upsertCompany(data.company)),
      on(companyChanged, ({ data }) => directory.upsertCompany(data.company)),
    ],
  };
}

/** Ignores feedback on an invoice that does not exist, because its data was reset. */
async function ifKnown(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invoice_not_found') throw error;
  }
}
