import type { PurchaseSnapshot } from '@app/contracts';
import { collectionOf, isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type Purchase, partiesOf, projectedPurchase, sharedSupplierOf } from './purchase.ts';

export type PurchaseProjectionStore = {
  /** Saves the purchase document unless this version of it, or a newer one, is stored. @returns whether it did */
  upsertIfNewer(purchase: PurchaseSnapshot): Promise<boolean>;
  /** Stores it as deleted at that version, unless a newer one is stored. @returns its ticket; null if nothing was saved */
  markDeleted(id: string, version: number): Promise<string | null>;
  /** True if this version, or a newer one, is stored. */
  hasVersion(purchase: PurchaseSnapshot): Promise<boolean>;
  /** The documents on these tickets that this company sees, by ticket id and in order of creation. One query. */
  listByTicket(ticketIds: string[], companyId: string): Promise<Map<string, Purchase[]>>;
  /** The documents that somebody deleted from this ticket, for those who saw them. */
  deletedFrom(ticketId: string, companyId: string): Promise<Purchase[]>;
  /** The company that an order is addressed to, as far as is known. */
  supplierOf(purchaseId: string): Promise<string | null>;
};

/** A page of 200 tickets with 200 live documents each; only a supplier may see more of one ticket. */
const maxPurchases = 40_000;

const schema = new Schema<Purchase>(
  { _id: { type: String, required: true }, ticket_id: { type: String, required: true } },
  { versionKey: false, collection: 'purchase_projections' },
);
schema.index({ ticket_id: 1, seen_by: 1, _id: 1 }, { name: 'shown' });

export function createPurchaseProjectionStore({ connection }: { connection: Connection }): PurchaseProjectionStore {
  // By the driver: every page of tickets reads here, and the purchase service waits for the write.
  const purchases = collectionOf(connection.model<Purchase>('PurchaseProjection', schema));
  return {
    async upsertIfNewer(snapshot) {
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
    async markDeleted(_id, version) {
      const older = { _id, version: { $lt: version } };
      const update = { $set: { version, deleted: true, lost: true, seen_by: [] } };
      return (await purchases.findOneAndUpdate(older, update, { projection: { ticket_id: 1 } }))?.ticket_id ?? null;
    },
    async hasVersion({ id, version }) {
      const stored = await purchases.findOne({ _id: id }, { projection: { version: 1 } });
      return stored !== null && stored.version >= version;
    },
    async listByTicket(ticketIds, companyId) {
      const filter = { ticket_id: { $in: ticketIds }, seen_by: companyId };
      const found = purchases.find(filter, { hint: 'shown', batchSize: maxPurchases });
      const all = await found.sort({ ticket_id: 1, _id: 1 }).limit(maxPurchases).toArray();
      return Map.groupBy(all, ({ ticket_id }) => ticket_id);
    },
    async deletedFrom(ticketId, companyId) {
      const filter = { ticket_id: ticketId, deleted: true, lost: { $exists: false } };
      const found = purchases.find(filter, { hint: 'shown', batchSize: maxPurchases }).limit(maxPurchases);
      return (await found.toArray()).filter((purchase) => partiesOf(purchase).includes(companyId));
    },
    async supplierOf(purchaseId) {
      const projection = { kind: 1, supplier_company_id: 1 };
      const found = await purchases.findOne({ _id: purchaseId }, { projection });
      return found && sharedSupplierOf(found);
    },
  };
}
