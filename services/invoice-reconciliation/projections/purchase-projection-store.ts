import type { PurchaseSnapshot } from '@app/contracts';
import { replaceUnlessNewer } from '@app/runtime';
import type { Connection, Model } from 'mongoose';
import { type PurchaseRecord, ticketCollections } from './ticket-collections.ts';
import { isRelevantPurchase, withPurchase } from './ticket-projection.ts';
import type { TicketProjectionStore } from './ticket-projection-store.ts';

export type PurchaseProjectionStore = ReturnType<typeof createPurchaseProjectionStore>;

type Deps = { connection: Connection; tickets: Pick<TicketProjectionStore, 'change'> };

/** Writes purchase documents into the projections of their tickets. */
export function createPurchaseProjectionStore({ connection, tickets }: Deps) {
  const { purchases } = ticketCollections(connection);
  const save = (snapshot: PurchaseSnapshot) => {
    const { id, version, ticket_id } = snapshot;
    return replaceUnlessNewer(purchases, id, { version, ticket_id, snapshot });
  };
  return {
    /** Writes a purchase document unless the same or a newer version is stored; its ticket may be unknown yet. */
    upsert: (purchase: PurchaseSnapshot): Promise<void> =>
      tickets.change(purchase.ticket_id, async (current) => {
        const projection = current?.projection;
        if (!current || !projection) {
          await save(purchase);
          // Then the ticket's first write either finds the record, or fails by the revision and
          // reads the records again.
          return 'mark';
        }
        if (!isRelevantPurchase(projection, purchase)) return null;
        if (purchase.deleted) await save(purchase);
        else if (await isDeleted(purchases, purchase)) return null;
        return { set: withPurchase(current, projection, purchase) };
      }),
    /** The purchase service has lost the document, which is on the ticket `within`, by a restore: at that version it is deleted. */
    async markLost({ id, within, version }: { id: string; within: string | null; version: number }): Promise<void> {
      if (within === null) return;
      await tickets.change(within, async (current) => {
        const projection = current?.projection;
        const known = projection?.purchases.find((one) => one.id === id);
        if (!current || !projection || !known || known.version >= version) return null;
        // Marking the ticket needs only these fields.
        const lost = { ...known, ticket_id: within, version, deleted: true } as PurchaseSnapshot;
        await save(lost);
        return { set: withPurchase(current, projection, lost) };
      });
    },
  };
}

/**
 * Whether the document was deleted at this version or later. Must be asked after the ticket was read: a deletion writes its
 * record before the ticket, so that of two concurrent writes to the ticket the later one fails and asks again.
 */
async function isDeleted(purchases: Model<PurchaseRecord>, { id, version }: PurchaseSnapshot): Promise<boolean> {
  const filter = { _id: id, 'snapshot.deleted': true, version: { $gte: version } } as const;
  return (await purchases.exists(filter)) !== null;
}
