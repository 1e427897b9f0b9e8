import type { PurchaseFacts, TicketFacts } from '@app/contracts';
import { ticketTraits } from '@app/matching';
import { createBatches, isDuplicateKey } from '@app/runtime';
import type { Connection, mongo } from 'mongoose';
import { type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
import {
  isOf,
  lookedUpBy,
  mayHaveInvoices,
  newestOf,
  newRecord,
  owed,
  recordOf,
  unknownVersion,
  versionsOf,
} from './ticket-record-store.ts';
import { keepNewer } from './versioned-store.ts';

/**
 * Keeps the copies of tickets, with their purchase documents in them. An older version never overwrites a newer; told
 * twice, nothing changes. A change that matching reads leaves the ticket owing: its invoices are to be marked.
 */
export type TicketKeeping = {
  keepTicket(ticket: TicketFacts): Promise<void>;
  keepPurchase(purchase: PurchaseFacts): Promise<void>;
  /** Tickets that owe, whichever replica wrote them; a crash forgets none. */
  owing(limit: number): Promise<Owing[]>;
  /** They owe no more, but for what changed since they were read. */
  paid(owing: readonly Owing[]): Promise<void>;
};

export type Owing = Pick<TicketRecord, '_id' | 'client_id' | 'keys' | 'amounts' | 'contractor_ids' | 'facts' | 'owed'>;

const attempts = 50;
const ticketsAtOnce = 200;
const purchasesKept = 400;
/** For a write that is followed by another one, whose acknowledgement by a majority covers it too. */
const beforeAnother = { w: 1 } as const;

export function createTicketKeeping({ connection }: { connection: Connection }): TicketKeeping {
  const { tickets, purchases } = ticketCollections(connection);
  const projection = { facts: 1, purchases: 1, version: 1, revision: 1, open: 1 } as const;
  const read = (id: string) => tickets.findOne({ _id: id }, { projection }) as Promise<TicketRecord | null>;

  /** Saves where nobody wrote since it was read; else false. */
  async function replace({ _id, revision }: TicketRecord, set: Partial<TicketRecord>): Promise<boolean> {
    const update = { $set: set, $inc: { revision: 1 } };
    const { matchedCount } = await tickets.updateOne({ _id, revision }, update as mongo.UpdateFilter<TicketRecord>);
    return matchedCount === 1;
  }

  async function liveOf({ id, client_id }: TicketFacts): Promise<PurchaseFacts[]> {
    const filter = { ticket_id: id, 'facts.deleted': false } as const;
    const found = await purchases.find(filter, { hint: 'ticket' }).limit(purchasesKept).toArray();
    return found.map(({ facts }) => facts).filter((facts) => isOf(client_id, facts));
  }

  /** What a ticket that is known, its documents too, becomes by newer facts. */
  function renewed(before: TicketRecord, facts: TicketFacts, purchases: PurchaseFacts[]): Partial<TicketRecord> {
    const isNews = before.version === unknownVersion || ticketTraits(before.facts) !== ticketTraits(facts);
    const owes = isNews && (mayHaveInvoices(facts) || before.open);
    return { ...recordOf(facts, purchases), ...(owes ? owed(before) : {}) };
  }

  /** True when it is done; false where another write came between. */
  async function takeTicket(facts: TicketFacts): Promise<boolean> {
    const before = await read(facts.id);
    if (!before) return insert(facts);
    if (before.version >= facts.version) return true;
    const purchases = before.version === unknownVersion ? await liveOf(facts) : before.purchases;
    return replace(before, renewed(before, facts, purchases));
  }

  /** No purchase document was told of before: one that comes meanwhile finds the ticket, or has left its mark. */
  async function insert(facts: TicketFacts): Promise<boolean> {
    try {
      await tickets.insertOne(newRecord(facts));
      return true;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  async function keepTicket(facts: TicketFacts): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt++) if (await takeTicket(facts)) return;
    throw busy(facts.id);
  }

  /** The write that keeps newer facts, as far as it needs no other question. */
  function writeOf(before: TicketRecord | undefined, facts: TicketFacts): mongo.AnyBulkWriteOperation<TicketRecord>[] {
    if (!before) return [{ insertOne: { document: newRecord(facts) } }];
    if (before.version >= facts.version || before.version === unknownVersion) return [];
    const { _id, revision } = before;
    const update = { $set: renewed(before, facts, before.purchases), $inc: { revision: 1 } };
    return [{ updateOne: { filter: { _id, revision }, update: update as mongo.UpdateFilter<TicketRecord> } }];
  }

  /** What comes at once costs one question and one write for all; of one ticket, its newest version alone. */
  async function keepTickets(all: TicketFacts[]): Promise<undefined[]> {
    const newest = newestOf(all);
    const found = tickets.find({ _id: { $in: newest.map(({ id }) => id) } }, { projection });
    const before = new Map((await found.toArray()).map((record) => [record._id, record as TicketRecord]));
    const writes = newest.flatMap((facts) => writeOf(before.get(facts.id), facts));
    const isDone = writes.length === 0 || (await wrote(writes));
    // Another write came between: one by one, and what was kept already is only looked at.
    const left = newest.filter(({ id }) => !isDone || before.get(id)?.version === unknownVersion);
    for (const facts of left) await keepTicket(facts);
    return all.map(() => undefined);
  }

  /** False where not all of them found what they were made for. */
  async function wrote(writes: mongo.AnyBulkWriteOperation<TicketRecord>[]): Promise<boolean> {
    try {
      const { insertedCount, matchedCount } = await tickets.bulkWrite(writes, { ordered: false });
      return insertedCount + matchedCount === writes.length;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  /**
   * The document first, then its ticket, where nobody wrote since it was read. So the last one has seen all: who finds the
   * document newer than his, or another write in between, looks at all that there are.
   */
  async function takePurchase(facts: PurchaseFacts, isFirst: boolean): Promise<boolean> {
    const { id, version, ticket_id } = facts;
    const before = await read(ticket_id);
    const isThere = before?.purchases?.some((one) => one.id === id && one.version >= version);
    if (isThere && isFirst) return true;
    const isKept = await keepNewer(purchases, { id, version, set: { ticket_id, facts }, writeConcern: beforeAnother });
    if (!before || before.version === unknownVersion) return waitForTicket(ticket_id);
    const others = before.purchases.filter((one) => one.id !== id);
    const isLive = !facts.deleted && isOf(before.facts.client_id, facts);
    const live = isKept && isFirst ? [...others, ...(isLive ? [facts] : [])] : await liveOf(before.facts);
    const isNews = versionsOf(live) !== versionsOf(before.purchases);
    // Told before, and its ticket shows what came of it.
    if (!isNews && !isKept && isFirst) return true;
    const indexed = { purchases: live.slice(0, purchasesKept), ...lookedUpBy(before.facts, live) };
    return replace(before, { ...indexed, ...(isNews && before.open ? owed(before) : {}) });
  }

  /** Whoever writes the ticket sees that there are documents, and whoever is about to finds that somebody wrote. */
  async function waitForTicket(id: string): Promise<boolean> {
    try {
      await tickets.updateOne({ _id: id, version: unknownVersion }, { $inc: { revision: 1 } }, { upsert: true });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  const batches = createBatches({ most: ticketsAtOnce, run: keepTickets });

  return {
    keepTicket: (facts) => batches.add(facts),
    async keepPurchase(facts) {
      for (let attempt = 0; attempt < attempts; attempt++) if (await takePurchase(facts, attempt === 0)) return;
      throw busy(facts.ticket_id);
    },
    owing: (limit) =>
      tickets
        .find({ owed: { $gt: 0 } }, { hint: 'owed', projection: { purchases: 0 } })
        .limit(limit)
        .toArray(),
    async paid(owing) {
      const updates = owing.map(({ _id, owed: at }) => ({
        updateOne: { filter: { _id, owed: at as number }, update: { $unset: { owed: true as const } } },
      }));
      // What is lost of it is marked once more.
      if (updates.length > 0) await tickets.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
  };
}

function busy(ticketId: string): Error {
  return new Error(`the copy of ticket ${ticketId} changes all the time`);
}
