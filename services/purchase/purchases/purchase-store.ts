// A live document holds one of 200 slots under a unique index, so that the limit holds under parallel requests: to reserve a slot in a
// second document left slots behind. Any refusal first looks for the document of that name, and answers with it.
import { isSharedWithSupplier, purchaseKinds } from '@app/contracts';
import { addOutbox, createOutboxWriter, type Relay, type WithOutbox } from '@app/messaging';
import { collectionOf, conflict, documentSchema, isDuplicateKey, pageById, retryOnConflict } from '@app/runtime';
import {
  type ProtectedWrite,
  resultWrite,
  type SaveResult,
  type TransactionalWrite,
  writeOnce,
} from '@app/runtime/idempotency';
import type { Connection, mongo } from 'mongoose';
import { duplicateReference, type Purchase, type PurchaseKey, purchaseNotFound, receiptExists } from './purchase.ts';
import type { Decision } from './purchase-rules.ts';

type Buyer = Pick<PurchaseKey, 'ticket_id' | 'buyer_company_id'>;

/** `next`: the id after which the next page begins; null if there is none. */
type Page = { found: Purchase[]; next: string | null };

type ChangeOptions = { write: ProtectedWrite | null; alongside?: TransactionalWrite };

export type PurchaseStore = ReturnType<typeof createPurchaseStore>;

type Stored = Purchase & WithOutbox;

/** Declares the collection and its indexes. By the driver: a hot path, whose rules return documents whole; their shape is `Stored`. */
const purchaseSchema = documentSchema<Stored>('purchases');
addOutbox(purchaseSchema);
purchaseSchema.index(
  { ticket_id: 1, buyer_company_id: 1, kind: 1, reference: 1 },
  { name: 'reference', unique: true, partialFilterExpression: { deleted: false } },
);
purchaseSchema.index(
  { ticket_id: 1, buyer_company_id: 1, slot: 1 },
  { name: 'slot', unique: true, partialFilterExpression: { deleted: false } },
);
purchaseSchema.index(
  { purchase_order_id: 1 },
  { name: 'receipt', unique: true, partialFilterExpression: { deleted: false, purchase_order_id: { $gt: '' } } },
);
purchaseSchema.index(
  { contractor_id: 1 },
  {
    name: 'contractor',
    partialFilterExpression: { deleted: false, supplier_company_id: null, contractor_id: { $gt: '' } },
  },
);
// For the export of a company.
purchaseSchema.index({ buyer_company_id: 1, _id: 1 }, { name: 'buyer' });
purchaseSchema.index(
  { supplier_company_id: 1, _id: 1 },
  { name: 'supplier', partialFilterExpression: { supplier_company_id: { $gt: '' } } },
);

const projection = { outbox: 0 } as const;
/** More than any list here holds. The server's default of 101 would cost a second round trip. */
const batchSize = 1_000;

type Deps = { connection: Connection; relay: Relay };

export function createPurchaseStore({ connection, relay }: Deps) {
  const model = connection.model<Stored>('Purchase', purchaseSchema);
  const purchases = collectionOf(model);
  const writes = createOutboxWriter<Purchase>({ model, relay, service: 'purchase' });
  relay.watch(model);

  const queries = purchaseQueries(purchases);

  function save(
    before: Purchase,
    { purchase, events }: Decision,
    alongside?: TransactionalWrite | null,
  ): Promise<boolean> {
    const { _id, ...fields } = purchase;
    const change = { filter: { _id, version: before.version, deleted: false }, update: { $set: fields }, events };
    return mapConflicts(() => (alongside ? writes.updateInTransaction(change, alongside) : writes.update(change)));
  }

  return {
    ...queries,
    /**
     * Saves a new document with its events. A repeated request finds it by its key. @returns null if another document has taken its
     * slot
     * @throws AppError conflict `purchase_duplicate_reference`, `purchase_goods_receipt_already_exists`
     */
    async add({ purchase, events }: Decision): Promise<Purchase | null> {
      try {
        return await mapConflicts(() => writes.insert(purchase, events, null));
      } catch (error) {
        if (isDuplicateKey(error, 'slot')) return null;
        throw error;
      }
    },
    /**
     * Decides on the given document and saves it with its events. If another write came between, `decide` runs again on the
     * current document, so it must be pure. `write`: of the request. `alongside` is written in the same transaction.
     * @throws AppError not_found `purchase_not_found` if it is deleted meanwhile, overloaded `overloaded`, and what `add` throws
     */
    change<D extends Decision>(
      start: Purchase,
      decide: (purchase: Purchase) => D,
      { write, alongside }: ChangeOptions,
    ): Promise<D> {
      const attempt = async (number: number, saveResult: SaveResult<D> | null) => {
        const before = number === 0 ? start : await queries.find(start.ticket_id, start._id);
        if (!before) throw purchaseNotFound();
        const decision = decide(before);
        if (decision.purchase === before) return decision;
        return (await save(before, decision, resultWrite(saveResult, decision, alongside))) ? decision : conflict;
      };
      const limits = { code: 'overloaded', what: 'this document' };
      return writeOnce<D>(write, (saveResult) => retryOnConflict((number) => attempt(number, saveResult), limits));
    },
  };
}

function purchaseQueries(purchases: mongo.Collection<Stored>) {
  const findOne = (filter: object, options: object = {}): Promise<Purchase | null> =>
    purchases.findOne(filter, { projection, ...options });
  const findAll = (filter: object, hint: string): Promise<Purchase[]> =>
    purchases.find(filter, { projection, hint, batchSize }).toArray();
  const pageAfter = (after: string | null, wanted: { filter?: object; limit?: number; hint?: string } = {}) =>
    pageById(purchases, after, { ...wanted, projection });
  return {
    /** The live document with that key. */
    findByKey: (key: PurchaseKey): Promise<Purchase | null> =>
      findOne({ ...key, deleted: false }, { hint: 'reference' }),
    /** The live document with that id on the ticket. */
    find: (ticketId: string, id: string): Promise<Purchase | null> =>
      findOne({ _id: id, ticket_id: ticketId, deleted: false }),
    /** The deleted document with that id on the ticket. */
    findDeleted: (ticketId: string, id: string): Promise<Purchase | null> =>
      findOne({ _id: id, ticket_id: ticketId, deleted: true }),
    /** Whether this is the id of a live purchase order of the buyer on the ticket. */
    async isOrder({ id, ...buyer }: Buyer & { id: string }): Promise<boolean> {
      return (await findOne({ _id: id, ...buyer, kind: 'purchase_order', deleted: false })) !== null;
    },
    /** The slots that the documents of a buyer on a ticket hold, as `findByKey` sees them. */
    async takenSlots({ ticket_id, buyer_company_id }: Buyer): Promise<number[]> {
      const filter = { ticket_id, buyer_company_id, deleted: false };
      const found = purchases.find(filter, { projection: { slot: 1 }, hint: 'slot', batchSize });
      return (await found.toArray()).map(({ slot }) => slot);
    },
    /** Live documents of a buyer on a ticket without a supplier. */
    findWithoutSupplier: (ticketId: string, buyerId: string): Promise<Purchase[]> =>
      findAll(
        { ticket_id: ticketId, buyer_company_id: buyerId, deleted: false, supplier_company_id: null },
        'reference',
      ),
    /** Live documents of a buyer that are assigned to the contractor, which had no account to be the supplier. */
    findByContractor: (contractorId: string, buyerId: string): Promise<Purchase[]> =>
      findAll(
        { contractor_id: contractorId, buyer_company_id: buyerId, deleted: false, supplier_company_id: null },
        'contractor',
      ),
    /** Documents of every buyer, with deleted ones, ascending by id. */
    page: (after: string | null): Promise<Page> => pageAfter(after),
    /** The same as `page` without deleted ones. */
    livePage: (after: string | null): Promise<Page> => pageAfter(after, { filter: { deleted: false } }),
    /** Live documents of a buyer, ascending by id. */
    async pageOfBuyer(buyer_company_id: string, after: string | null, limit: number): Promise<Purchase[]> {
      const filter = { buyer_company_id, deleted: false };
      return (await pageAfter(after, { filter, limit, hint: 'buyer' })).found;
    },
    /** Live documents that this company sees as their supplier, ascending by id. */
    async pageOfSupplier(supplier_company_id: string, after: string | null, limit: number): Promise<Purchase[]> {
      const kind = { $in: purchaseKinds.filter(isSharedWithSupplier) };
      const filter = { supplier_company_id, kind, deleted: false };
      return (await pageAfter(after, { filter, limit, hint: 'supplier' })).found;
    },
    /** Those of the ids that are there, deleted ones included. */
    async existing(ids: string[]): Promise<string[]> {
      const found = purchases.find({ _id: { $in: ids } }, { projection: { _id: 1 }, batchSize });
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}

/** Translates a write refused by a unique index into the caller's error. */
async function mapConflicts<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error, 'reference')) throw duplicateReference();
    if (isDuplicateKey(error, 'receipt')) throw receiptExists();
    throw error;
  }
}
