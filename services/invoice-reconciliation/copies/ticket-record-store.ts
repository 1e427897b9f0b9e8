import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import { purchaseKeys, ticketKeys } from '@app/matching';
import { findManyRaw, isDuplicateKey, waitForMajority } from '@app/runtime';
import type { Connection, mongo } from 'mongoose';
import { amountKey } from '../invoices/amount-key.ts';
import { contractorsOf, type StoredTicket, type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
import { type KeptPurchase, pack, unknownVersion, unpacked } from './ticket-copy.ts';

type Statement = mongo.AnyBulkWriteOperation<StoredTicket>;
/** A ticket as it becomes, of one that was read. */
export type TicketChange = { before: TicketRecord; set: Partial<StoredTicket> };
export type TicketWrite = { change: TicketChange } | { statement: Statement };

/** Copies of tickets as their keepers read and write them: what was read is written where nobody wrote since. */
export type TicketRecords = {
  read(id: string): Promise<TicketRecord | null>;
  readAll(ids: string[]): Promise<Map<string, TicketRecord>>;
  /** Live purchase documents of the ticket's client that came before the ticket. */
  liveOf(ticket: TicketSnapshot): Promise<KeptPurchase[]>;
  /** False where somebody wrote since it was read. */
  replace(before: TicketRecord, set: Partial<StoredTicket>): Promise<boolean>;
  /** False where not all of them found what they were made for. */
  write(writes: TicketWrite[]): Promise<boolean>;
  /** No election takes back what was read until now: before it is the reason to write nothing. */
  confirmed(): Promise<void>;
};

const purchasesKept = 400;
const attempts = 50;
const projection = { packed: 1, version: 1, revision: 1, open: 1 } as const;

export type TicketRecordsDeps = {
  connection: Connection;
  /** Has the owners publish again what copies of tickets are made of. */
  askAgain?: () => Promise<void>;
};

export function createTicketRecords({
  connection,
  askAgain = async () => undefined,
}: TicketRecordsDeps): TicketRecords {
  const { tickets, purchases } = ticketCollections(connection);

  /** A copy that cannot be read counts as absent from now on; the facts that it lacks are asked for before it is given up. */
  async function forget({ _id, revision }: StoredTicket): Promise<TicketRecord | null> {
    await askAgain();
    const next = { version: unknownVersion, revision: (Number(revision) || 0) + 1 };
    const asRead = { _id, revision: revision ?? null } as mongo.Filter<StoredTicket>;
    await tickets.replaceOne(asRead, next as mongo.WithoutId<StoredTicket>);
    return records.read(_id);
  }

  const records: TicketRecords = {
    async read(id) {
      const found = await tickets.findOne<StoredTicket>({ _id: id }, { projection });
      return found && (unpacked<TicketRecord>(found) ?? forget(found));
    },
    async readAll(ids) {
      const found = await findManyRaw<StoredTicket>(tickets as never, { filter: { _id: { $in: ids } }, projection });
      const read = new Map<string, TicketRecord>();
      for (const one of found) {
        const record = unpacked<TicketRecord>(one) ?? (await forget(one));
        if (record) read.set(one._id, record);
      }
      return read;
    },
    async liveOf({ id, client_id }) {
      const filter = { ticket_id: id, 'facts.deleted': false, 'facts.buyer_company_id': client_id };
      const found = await purchases.find(filter, { hint: 'ticket' }).limit(purchasesKept).toArray();
      return found.map(({ facts }) => keptPurchase(facts));
    },
    async replace(before, set) {
      const { _id, revision } = before;
      const update = { $set: set, $inc: { revision: 1 } } as mongo.UpdateFilter<StoredTicket>;
      return (await tickets.updateOne({ _id, revision }, update)).matchedCount === 1;
    },
    async write(writes) {
      try {
        const { insertedCount, modifiedCount, upsertedCount } = await tickets.bulkWrite(statementsOf(writes), {
          ordered: false,
        });
        return insertedCount + modifiedCount + upsertedCount === writes.length;
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
        return false;
      }
    },
    confirmed: () => waitForMajority(tickets as never),
  };
  return records;
}

/** Of one statement, characters: it takes 16 MB, where a character is three bytes at most, and a large copy is 1 MB. */
const charactersAtOnce = 2_000_000;

function statementsOf(writes: TicketWrite[]): Statement[] {
  const changes = writes.flatMap((write) => ('change' in write ? write.change : []));
  const statements = writes.flatMap((write) => ('statement' in write ? write.statement : []));
  return [...chunksOf(changes).map((some) => ({ updateMany: changeOf(some) })), ...statements];
}

function chunksOf(changes: TicketChange[]): TicketChange[][] {
  const chunks: { changes: TicketChange[]; characters: number }[] = [];
  for (const change of changes) {
    const characters = change.set.packed?.length ?? 0;
    const last = chunks.at(-1);
    if (last && last.characters + characters <= charactersAtOnce) {
      last.changes.push(change);
      last.characters += characters;
    } else chunks.push({ changes: [change], characters });
  }
  return chunks.map((chunk) => chunk.changes);
}

/**
 * Many tickets, each as its own change says, where nobody wrote since it was read; those where somebody did stay as they are, and
 * are not counted as modified. One statement, since each costs MongoDB more than what it changes.
 */
function changeOf(changes: TicketChange[]) {
  const ids = changes.map(({ before }) => before._id);
  const all = changes.map(({ before: { revision }, set }) => ({ revision, set: { ...set, revision: revision + 1 } }));
  const own = { $arrayElemAt: [{ $literal: all }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] };
  const isAsRead = { $eq: ['$revision', '$$own.revision'] };
  const changed = { $cond: [isAsRead, { $mergeObjects: ['$$ROOT', '$$own.set'] }, '$$ROOT'] };
  return {
    filter: { _id: { $in: ids } },
    update: [{ $replaceWith: { $let: { vars: { own }, in: changed } } }],
  };
}

/** Tries until nobody comes between. @throws Error where somebody always does */
export async function untilDone(ticketId: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let tried = 0; tried < attempts; tried++) if (await attempt()) return;
  throw new Error(`the copy of ticket ${ticketId} changes all the time`);
}

const keysKept = 1_000;
const closedStatuses = ['draft', 'canceled', 'removed'];

export const owed = ({ revision }: TicketRecord) => ({ owed: revision + 1 });

export function newRecord(facts: TicketSnapshot): StoredTicket {
  return { ...recordOf(facts, []), ...(mayHaveInvoices(facts) ? { owed: 1 } : {}), _id: facts.id, revision: 1 };
}

export function newestOf<Facts extends { id: string; version: number }>(all: Facts[]): Facts[] {
  const newest = new Map<string, Facts>();
  for (const facts of all)
    if ((newest.get(facts.id)?.version ?? unknownVersion) < facts.version) newest.set(facts.id, facts);
  return [...newest.values()];
}

/** A copy of the ticket, with these of its documents. */
export function recordOf(facts: TicketSnapshot, purchases: KeptPurchase[]): Omit<StoredTicket, '_id' | 'revision'> {
  const { version, client_id, status } = facts;
  return {
    ...{ version, client_id, ...holding(facts, purchases) },
    ...{ open: !closedStatuses.includes(status), contractor_ids: contractorsOf(facts) },
    ...{ created_at: new Date(facts.created_at), updated_at: new Date(facts.updated_at) },
  };
}

/** A draft has no invoices, and none wait for it. */
export function mayHaveInvoices({ status }: TicketSnapshot): boolean {
  return status !== 'draft';
}

/** A purchase document of another company is none of the ticket's. */
export function isOf(clientId: string, { buyer_company_id }: PurchaseSnapshot): boolean {
  return buyer_company_id === clientId;
}

export function keptPurchase(facts: PurchaseSnapshot): KeptPurchase {
  const { id, version, kind, reference, amount, deleted, purchase_order_id, created_at } = facts;
  return { id, version, kind, reference, amount, deleted, purchase_order_id, created_at };
}

export function versionsOf(purchases: readonly KeptPurchase[]): string {
  return purchases
    .map(({ id, version }) => `${id}:${version}`)
    .sort()
    .join();
}

/** What a copy holds of the ticket and its documents, and what it is found by. */
export function holding(
  facts: TicketSnapshot,
  live: KeptPurchase[],
): Pick<StoredTicket, 'packed' | 'keys' | 'amounts'> {
  const all = [ticketKeys(facts), ...live.map(purchaseKeys)];
  const cents = [...new Set(all.flatMap((one) => one.cents))];
  return {
    packed: pack({ facts, purchases: live.slice(0, purchasesKept) }),
    keys: [...new Set(all.flatMap(({ keys }) => keys))].slice(0, keysKept),
    amounts: contractorsOf(facts)
      .flatMap((one) => cents.map((amount) => amountKey(one, amount)))
      .slice(0, keysKept),
  };
}
