import { AppError } from '@app/kernel';
import { addOutbox, createOutboxWriter, type Relay, type TransactionalWrite, type WithOutbox } from '@app/messaging';
import { createBatcher, isDuplicateKey, majorityRead } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { duplicateReference, type Purchase, type PurchaseKey, purchaseNotFound, receiptExists } from './purchase.ts';
import type { Decision } from './purchase-rules.ts';

export type PurchaseStore = {
  /** The live document of that name. */
  findByKey(name: PurchaseKey): Promise<Purchase | null>;
  /** The live document of that id on the ticket. */
  find(ticketId: string, id: string): Promise<Purchase | null>;
  /** The deleted document of that id on the ticket. */
  findDeleted(ticketId: string, id: string): Promise<Purchase | null>;
  /** Whether the id is that of a live purchase order of the buyer on the ticket. */
  isOrder(order: Pick<PurchaseKey, 'ticket_id' | 'buyer_company_id'> & { id: string }): Promise<boolean>;
  /**
   * Saves a new document with its events; false where its place is another's.
   * @throws AppError conflict `purchase_duplicate_reference`, `purchase_goods_receipt_already_exists`
   */
  add(decision: Decision): Promise<boolean>;
  /** The places that live documents of a buyer on a ticket hold. */
  takenSlots(of: Pick<PurchaseKey, 'ticket_id' | 'buyer_company_id'>): Promise<number[]>;
  /**
   * Decides on the document given and saves with its events; `decide` runs again on the document as it is by then where
   * another write came between. `alongside` is written in the same transaction.
   * @throws AppError not_found `purchase_not_found` where it is deleted meanwhile, and what `add` throws
   */
  change<D extends Decision>(
    start: Purchase,
    decide: (purchase: Purchase) => D,
    alongside?: TransactionalWrite,
  ): Promise<D>;
  /** Live documents of a buyer on a ticket without supplier. */
  findWithoutSupplier(ticketId: string, buyerId: string): Promise<Purchase[]>;
  /** Live documents of a buyer that are frozen to the contractor, and have no supplier since it had no account. */
  findByContractor(contractorId: string, buyerId: string): Promise<Purchase[]>;
  /** Every document, deleted ones too, ascending by id, from after an id on. */
  page(after: string | null, limit: number): Promise<Purchase[]>;
};

type Stored = Purchase & WithOutbox;

const changeAttempts = 20;

const purchaseSchema = new Schema<Stored>(
  { _id: { type: String, required: true }, version: { type: Number, required: true } },
  // The shape is `Purchase`, kept by the compiler: rules return whole documents and nothing else writes here.
  { versionKey: false, collection: 'purchases', strict: false },
);
addOutbox(purchaseSchema);
purchaseSchema.index(
  { ticket_id: 1, buyer_company_id: 1, kind: 1, reference: 1 },
  { name: 'reference', unique: true, partialFilterExpression: { deleted: false } },
);
purchaseSchema.index(
  { ticket_id: 1, buyer_company_id: 1, place: 1 },
  { name: 'place', unique: true, partialFilterExpression: { deleted: false, place: { $gte: 0 } } },
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

const unsent = { outbox: 0 } as const;
/** More than any list here holds: the server's own first batch is 101, which costs a second way there. */
const batchSize = 1_000;
const namedAtOnce = 100;
const pauseMs = 2;

export function createPurchaseStore({ connection, relay }: { connection: Connection; relay: Relay }): PurchaseStore {
  const model = connection.model<Stored>('Purchase', purchaseSchema);
  // The driver's own collection: these are hot reads and writes, and what goes in is typed and validated already.
  const purchases = model.collection;
  const writes = createOutboxWriter<Purchase>({ model, relay, service: 'purchase' });
  relay.watch(model);

  async function findOne(filter: object, more: object = {}): Promise<Purchase | null> {
    const options = { projection: unsent, ...more };
    return (await purchases.findOne(filter as never, options)) as unknown as Purchase | null;
  }

  /** What is asked for at once is one query. */
  async function findNamed(names: PurchaseKey[]): Promise<(Purchase | null)[]> {
    const [first] = names;
    // What is answered without a write of its own has to be there after an election as well. Whoever comes here was refused by
    // a unique index just before, for which the server waits until the majority has what refused it.
    if (names.length === 1)
      return [await findOne({ ...first, deleted: false }, { hint: 'reference', ...majorityRead })];
    const filter = { $or: names.map((name) => ({ ...name, deleted: false })) };
    const found = purchases.find(filter as never, {
      projection: unsent,
      hint: 'reference',
      batchSize,
      ...majorityRead,
    });
    const all = (await found.toArray()) as unknown as Purchase[];
    const byName = new Map(all.map((purchase) => [keyOf(purchase), purchase]));
    return names.map((name) => byName.get(keyOf(name)) ?? null);
  }

  const names = createBatcher({ maxBatch: namedAtOnce, maxDelayMs: pauseMs, run: findNamed });

  function save(before: Purchase, { purchase, events }: Decision, alongside?: TransactionalWrite): Promise<boolean> {
    const { _id, ...fields } = purchase;
    const change = { filter: { _id, version: before.version, deleted: false }, update: { $set: fields }, events };
    return namingConflicts(() => (alongside ? writes.updateInTransaction(change, alongside) : writes.update(change)));
  }

  /** True where it is still this version, and will be: a write that changes nothing waits for the majority like any other. */
  async function isLasting({ _id, version }: Purchase): Promise<boolean> {
    const filter = { _id, version, deleted: false };
    return (await purchases.updateOne(filter as never, { $set: { version } })).matchedCount > 0;
  }

  return {
    findByKey: (name) => names.add(name),
    find: (ticketId, id) => findOne({ _id: id, ticket_id: ticketId, deleted: false }),
    findDeleted: (ticketId, id) => findOne({ _id: id, ticket_id: ticketId, deleted: true }, majorityRead),
    async isOrder({ id, ...name }) {
      return (await findOne({ _id: id, ...name, kind: 'purchase_order', deleted: false })) !== null;
    },
    async add({ purchase, events }) {
      try {
        await namingConflicts(() => writes.insert(purchase, events));
        return true;
      } catch (error) {
        if (isDuplicateKey(error, 'place')) return false;
        throw error;
      }
    },
    async takenSlots({ ticket_id, buyer_company_id }) {
      const filter = { ticket_id, buyer_company_id, deleted: false, place: { $gte: 0 } };
      const options = { projection: { place: 1 }, hint: 'place', batchSize };
      const all = (await purchases.find(filter as never, options).toArray()) as unknown as Purchase[];
      return all.map(({ place }) => place);
    },
    async change(start, decide, alongside) {
      let before: Purchase | null = start;
      for (let attempt = 0; before && attempt < changeAttempts; attempt++) {
        const decision = decide(before);
        const isSaved = decision.purchase === before ? isLasting(before) : save(before, decision, alongside);
        if (await isSaved) return decision;
        before = await findOne({ _id: start._id, deleted: false });
      }
      if (!before) throw purchaseNotFound();
      throw new AppError('overloaded', 'overloaded', 'this document is being changed by many requests; try again');
    },
    async findWithoutSupplier(ticketId, buyerId) {
      const filter = { ticket_id: ticketId, buyer_company_id: buyerId, deleted: false, supplier_company_id: null };
      const found = purchases.find(filter as never, { projection: unsent, hint: 'reference', batchSize });
      return (await found.toArray()) as unknown as Purchase[];
    },
    async findByContractor(contractorId, buyerId) {
      const open = { deleted: false, supplier_company_id: null };
      const filter = { contractor_id: contractorId, buyer_company_id: buyerId, ...open };
      const found = purchases.find(filter as never, { projection: unsent, hint: 'contractor', batchSize });
      return (await found.toArray()) as unknown as Purchase[];
    },
    async page(after, limit) {
      const filter = after === null ? {} : { _id: { $gt: after } };
      const found = purchases.find(filter as never, { projection: unsent, batchSize });
      return (await found.sort({ _id: 1 }).limit(limit).toArray()) as unknown as Purchase[];
    },
  };
}

function keyOf({ ticket_id, buyer_company_id, kind, reference }: PurchaseKey): string {
  return JSON.stringify([ticket_id, buyer_company_id, kind, reference]);
}

/** A write refused by a unique index, in the terms of the caller. */
async function namingConflicts<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error, 'reference')) throw duplicateReference();
    if (isDuplicateKey(error, 'receipt')) throw receiptExists();
    throw error;
  }
}
