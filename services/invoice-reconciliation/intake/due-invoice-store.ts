import { newId } from '@app/kernel';
import { claimBatch } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { Invoice } from '../invoices/invoice.ts';
import { epoch, invoiceCollection, invoiceOnly } from '../invoices/invoice-collection.ts';

/** Claims invoices that are due, earliest first; until the lease ends no other worker claims them. */
export type DueInvoices = ReturnType<typeof createDueInvoiceStore>;

type Claim = { field: 'due_at' | 'rematch_at'; hint: string; now: Date; limit: number; set: Partial<Invoice> };

export function createDueInvoiceStore({ connection }: { connection: Connection }) {
  const collection = invoiceCollection(connection);

  function claim({ field, hint, now, limit, set }: Claim): Promise<Invoice[]> {
    const claimed_by = newId();
    return claimBatch(collection, {
      due: { [field]: { $gt: epoch, $lte: now } },
      sort: { [field]: 1 },
      limit,
      hint,
      update: { $set: { ...set, claimed_by } },
      // No need to wait for a majority: invoices of a lost claim are claimed again.
      options: { hint: '_id_', writeConcern: { w: 1 } },
      marked: { claimed_by },
      projection: invoiceOnly,
    });
  }

  return {
    /** Invoices in a transient state, to be retried, or with a lease that was left over. */
    claimSteps: (now: Date, leasedUntil: Date, limit: number): Promise<Invoice[]> =>
      claim({ field: 'due_at', hint: 'due', now, limit, set: { due_at: leasedUntil } }),
    /** Invoices of the queue to be matched again. A change during the work marks them for another rematch. */
    claimRematches: (now: Date, leasedUntil: Date, limit: number): Promise<Invoice[]> =>
      claim({ field: 'rematch_at', hint: 'rematch', now, limit, set: { rematch_at: null, due_at: leasedUntil } }),
  };
}
