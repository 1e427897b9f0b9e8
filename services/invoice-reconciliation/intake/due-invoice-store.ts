import { newId } from '@app/kernel';
import type { Connection } from 'mongoose';
import type { Invoice } from '../invoices/invoice.ts';
import { epoch, invoiceCollection, invoiceOnly } from '../invoices/invoice-collection-store.ts';

/** Claims invoices that are due, earliest first; until the lease ends no other worker claims them. */
export type DueInvoices = {
  /** Invoices in a transient state or to be retried. */
  claimSteps(now: Date, leasedUntil: Date, limit: number): Promise<Invoice[]>;
  /** Invoices of the queue to be matched again. A change during the work marks them for another rematch. */
  claimRematches(now: Date, leasedUntil: Date, limit: number): Promise<Invoice[]>;
};

type Claim = { field: 'due_at' | 'rematch_at'; hint: string; now: Date; limit: number; set: Partial<Invoice> };

export function createDueInvoiceStore({ connection }: { connection: Connection }): DueInvoices {
  const collection = invoiceCollection(connection);

  /** Marks the due invoices with an id of this claim, and reads those that no other worker marked first. */
  async function claim({ field, hint, now, limit, set }: Claim): Promise<Invoice[]> {
    const due = { [field]: { $gt: epoch, $lte: now } };
    const found = await collection.find(due, { projection: { _id: 1 }, hint, sort: { [field]: 1 }, limit }).toArray();
    if (found.length === 0) return [];
    const ids = found.map(({ _id }) => _id);
    const taken_by = newId();
    // No need to wait for a majority: invoices of a lost claim are claimed again.
    const options = { hint: '_id_', writeConcern: { w: 1 } } as const;
    await collection.updateMany({ _id: { $in: ids }, ...due }, { $set: { ...set, taken_by } }, options);
    return collection.find<Invoice>({ _id: { $in: ids }, taken_by }, { projection: invoiceOnly }).toArray();
  }

  return {
    claimSteps: (now, leasedUntil, limit) =>
      claim({ field: 'due_at', hint: 'due', now, limit, set: { due_at: leasedUntil } }),
    claimRematches: (now, leasedUntil, limit) =>
      claim({ field: 'rematch_at', hint: 'rematch', now, limit, set: { rematch_at: null, due_at: leasedUntil } }),
  };
}
