import {
  companyCreated,
  contractorChanged,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  locationChanged,
  purchaseChanged,
  ticketChanged,
} from '@app/contracts';
import { AppError } from '@app/kernel';
import { on, type Subscription } from '@app/messaging';
import type { KeepCopies } from './copies/keep-copies.ts';
import { settle } from './invoices/feedback.ts';
import type { Ingest } from './invoices/ingest.ts';
import type { InvoiceStore } from './invoices/invoice-store.ts';

export type SubscriptionDeps = { ingest: Ingest; store: InvoiceStore; keep: KeepCopies; now: () => Date };

/**
 * Everything that this service listens to: one queue for a purpose. There is no inbox: each handler's write is the same
 * twice, which spares a transaction for each invoice.
 */
export function subscriptions({ ingest, store, keep, now }: SubscriptionDeps): Record<string, Subscription[]> {
  return {
    invoices: [
      on(invoiceFetched, ({ data }) => ingest.fetched(data)),
      on(invoiceGone, ({ data }) => ingest.gone(data)),
    ],
    feedback: [
      on(invoiceFeedbackSettled, async ({ data }) => {
        await ifKnown(store.change(data.client_id, data.invoice_id, (invoice) => settle(invoice, data, now())));
      }),
    ],
    // Of their own: taken in batches, so that many of them cost little more than one.
    tickets: [on(ticketChanged, ({ data }) => keep.ticket(data.ticket))],
    purchases: [on(purchaseChanged, ({ data }) => keep.purchase(data.purchase))],
    copies: [
      on(contractorChanged, ({ data }) => keep.contractor(data.contractor)),
      on(locationChanged, ({ data }) => keep.location(data.location)),
      on(companyCreated, ({ data }) => keep.company(data.company)),
    ],
  };
}

/** What is told of an invoice that is not here (its data was started anew) has nothing to change. */
async function ifKnown(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invoice_not_found') throw error;
  }
}
