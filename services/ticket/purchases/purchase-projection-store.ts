import type { PurchaseSnapshot } from '@app/contracts';
import { collectionOf, documentSchema, isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type Purchase, partiesOf, projectedPurchase, sharedSupplierOf } from './purchase.ts';

export type PurchaseProjectionStore = ReturnType<typeof createPurchaseProjectionStore>;

/** A page of 200 tickets with 200 live documents each; only a supplier may see more of one ticket. */
const maxPurchases = 40_000;

const schema = documentSchema<Purchase>('purchase_projections');
schema.index({ ticket_id: 1, seen_by: 1, _id: 1 }, { name: 'shown' });

export function createPurchaseProjectionStore({ connection }: { connection: Connection }) {
  // By the driver: every page of tickets reads here, and the purchase service waits for the write.
  const purchases = collectionOf(connection.model<Purchase>('PurchaseProjection', schema));
  return {
    /** Saves the purchase document unless this version of it, or a newer one, is stored. @returns whether it did */
    async upsertIfNewer(snapshot: PurchaseSnapshot): Promise<boolean> {
      const { _id, ...fields } = projectedPurchase(snapshot);
      const { ticket_id, buyer_company_id, version } = fields;
      // The filter has ticket and buyer, too: whatever id is sent, no other company's document is
      // overwritten.
      const older = { _id, ticket_id, buyer_company_id, version: { $lt: version } };
      const update = { $set: fields, $unset: { lost: true } } as const;
      try {
        const { matchedCount, upsertedCount } = await purchases.updateOne(older, update, { upsert: true });
        return matchedCount + upsertedCount > 0;
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
        // The id exists; if it was inserted only just now, its version may still be older.
        return (await purchases.updateOne(older, update)).matchedCount > 0;
      }
    },
    /** Stores it as deleted at that version, unless a newer one is stored. @returns its ticket; null if nothing was saved */
    async markDeleted(_id: string, version: number): Promise<string | null> {
      const older = { _id, version: { $lt: version } };
      const update = { $set: { version, deleted: true, lost: true, seen_by: [] } };
      return (await purchases.findOneAndUpdate(older, update, { projection: { ticket_id: 1 } }))?.ticket_id ?? null;
    },
    /** True if this version, or a newer one, is stored. */
    async hasVersion({ id, version }: PurchaseSnapshot): Promise<boolean> {
      const stored = await purchases.findOne({ _id: id }, { projection: { version: 1 } });
      return stored !== null && stored.version >= version;
    },
    /** The documents on these tickets that this company sees, by ticket id and in order of creation. One query. */
    async listByTicket(ticketIds: string[], companyId: string): Promise<Map<string, Purchase[]>> {
      const filter = { ticket_id: { $in: ticketIds }, seen_by: companyId };
      const found = purchases.find(filter, { hint: 'shown', batchSize: maxPurchases });
      const all = await found.sort({ ticket_id: 1, _id: 1 }).limit(maxPurchases).toArray();
      return Map.groupBy(all, ({ ticket_id }) => ticket_id);
    },
    /** The documents that somebody deleted from this ticket, for those who saw them. */
    async deletedFrom(ticketId: string, companyId: string): Promise<Purchase[]> {
      const filter = { ticket_id: ticketId, deleted: true, lost: { $exists: false } };
      const found = purchases.find(filter, { hint: 'shown', batchSize: maxPurchases }).limit(maxPurchases);
      return (await found.toArray()).filter((purchase) => partiesOf(purchase).includes(companyId));
    },
    /** The company that an order is addressed to, as far as is known. */
    async supplierOf(purchaseId: string): Promise<string | null> {
      const projection = { kind: 1, supplier_company_id: 1 };
      const found = await purchases.findOne({ _id: purchaseId }, { projection });
      return found && sharedSupplierOf(found);
    },
  };
}
