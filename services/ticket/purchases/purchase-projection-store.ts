import type { PurchaseSnapshot } from '@app/contracts';
import { createBatchedInsert, createBatcher, isDuplicateKey, majorityRead } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type Purchase, projectedPurchase, supplierOfOrder } from './purchase.ts';

export type PurchaseProjectionStore = {
  /** Keeps it unless this version of it, or a newer one, is there. @returns whether it did */
  upsertIfNewer(purchase: PurchaseSnapshot): Promise<boolean>;
  /** True where this version, or a newer one, is kept. */
  hasVersion(purchase: PurchaseSnapshot): Promise<boolean>;
  /** Says that all that follows from this version is done. */
  settle(purchase: PurchaseSnapshot): void;
  /** True where this process did so, for this version or a newer one. */
  isSettled(purchase: PurchaseSnapshot): boolean;
  /** Those of the tickets that are shown to this company, by ticket and in order of making; one query for a page. */
  listByTicket(ticketIds: string[], companyId: string): Promise<Map<string, Purchase[]>>;
  /** The company that an order is addressed to, as far as is known. */
  supplierOf(purchaseId: string): Promise<string | null>;
};

/** 200 tickets of a page with 200 live documents each (spec section 8); a company sees more of one ticket only as a supplier. */
const shownLimit = 40_000;
/** Of these the next event, which as a rule repeats what was handed over a moment ago, needs no look into the database. */
const remembered = 10_000;
const firstVersion = 1;
const askedAtOnce = 100;

const schema = new Schema<Purchase>(
  { _id: { type: String, required: true }, ticket_id: { type: String, required: true } },
  { versionKey: false, collection: 'purchase_copies', strict: false },
);
schema.index({ ticket_id: 1, seen_by: 1, _id: 1 }, { name: 'shown' });

export function createPurchaseProjectionStore({ connection }: { connection: Connection }): PurchaseProjectionStore {
  const copies = connection.model<Purchase>('PurchaseCopy', schema).collection;
  const insertCopy = createBatchedInsert<Purchase>(copies);
  /** Versions that this process has kept: copies are never taken away, so these are there. */
  const settled = new Map<string, number>();

  const isSettled = ({ id, version }: PurchaseSnapshot) => (settled.get(id) ?? 0) >= version;

  /** Nothing is older than a first version: what is there stays, and an insert costs the database much less than an upsert. */
  async function insert(copy: Purchase): Promise<boolean> {
    try {
      await insertCopy(copy);
      return true;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  /** False where what is there is not older. */
  async function replaceOlder({ _id, ...copy }: Purchase): Promise<boolean> {
    // Bound to its ticket and buyer: no other company's document is ever overwritten, whatever id is handed over.
    const { ticket_id, buyer_company_id, version } = copy;
    const older = { _id, ticket_id, buyer_company_id, version: { $lt: version } };
    try {
      const { matchedCount, upsertedCount } = await copies.updateOne(older as never, { $set: copy }, { upsert: true });
      return matchedCount + upsertedCount > 0;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      // It is there by now: older, then it is replaced, or not, and then it stays.
      const { matchedCount } = await copies.updateOne(older as never, { $set: copy });
      return matchedCount > 0;
    }
  }

  /** What is asked for at once is one query. By what it says events are acknowledged, so it must not be taken back. */
  async function versionsOf(ids: string[]): Promise<number[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const found = copies.find(filter as never, { projection: { version: 1 }, ...majorityRead });
    const versions = new Map((await found.toArray()).map(({ _id, ...copy }) => [String(_id), Number(copy['version'])]));
    return ids.map((id) => versions.get(id) ?? 0);
  }

  const versions = createBatcher({ maxBatch: askedAtOnce, run: versionsOf });

  return {
    async upsertIfNewer(facts) {
      const copy = projectedPurchase(facts);
      return copy.version === firstVersion ? insert(copy) : replaceOlder(copy);
    },
    hasVersion: async (facts) => isSettled(facts) || (await versions.add(facts.id)) >= facts.version,
    isSettled,
    settle(facts) {
      if (isSettled(facts)) return;
      // Oldest first out: a Map keeps the order of insertion.
      if (settled.size >= remembered) settled.delete(settled.keys().next().value as string);
      settled.set(facts.id, facts.version);
    },
    async listByTicket(ticketIds, companyId) {
      const filter = { ticket_id: { $in: ticketIds }, seen_by: companyId };
      const found = copies
        .find(filter as never, { hint: 'shown', batchSize: shownLimit })
        .sort({ ticket_id: 1, _id: 1 });
      const purchases = (await found.limit(shownLimit).toArray()) as unknown as Purchase[];
      return Map.groupBy(purchases, ({ ticket_id }) => ticket_id);
    },
    async supplierOf(purchaseId) {
      const found = (await copies.findOne({ _id: purchaseId } as never, {
        projection: { kind: 1, supplier_company_id: 1 },
      })) as unknown as Purchase | null;
      return found && supplierOfOrder(found);
    },
  };
}
