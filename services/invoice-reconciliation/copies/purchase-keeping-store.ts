import type { PurchaseFacts } from '@app/contracts';
import { createBatches, isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type PurchaseRecord, type StoredTicket, type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
import type { KeptPurchase } from './ticket-copy.ts';
import {
  createTicketRecords,
  holding,
  isOf,
  keptPurchase,
  newestOf,
  owed,
  replacement,
  type TicketWrite,
  unknownVersion,
  untilDone,
  versionsOf,
} from './ticket-record-store.ts';
import { keepAllNewer, keepNewer } from './versioned-store.ts';

/**
 * Keeps purchase documents, each of them also in the copy of its ticket: the document first, then its ticket, where nobody
 * wrote since it was read. So the last one has seen all: who finds the document newer than his, or another write in
 * between, looks at all that there are.
 */
export type PurchaseKeeping = {
  /** An older version never overwrites a newer; told twice, nothing changes; its ticket may come later. */
  keepPurchase(purchase: PurchaseFacts): Promise<void>;
};

const purchasesAtOnce = 200;
/** For a write that is followed by another one, whose acknowledgement by a majority covers it too. */
const early = { writeConcern: { w: 1 } } as const;

export function createPurchaseKeeping({ connection }: { connection: Connection }): PurchaseKeeping {
  const { tickets, purchases } = ticketCollections(connection);
  const records = createTicketRecords({ connection });

  /** True when it is done; false where another write came between. */
  async function takePurchase(facts: PurchaseFacts, isFirst: boolean): Promise<boolean> {
    const before = await records.read(facts.ticket_id);
    if (isFirst && shows(before, facts)) return true;
    const isKept = await keepNewer(purchases, { ...keptOf(facts), ...early });
    if (!isKnown(before)) return waitForTicket(facts.ticket_id);
    const live = isKept && isFirst ? withThese(before, [facts]) : await records.liveOf(before.facts);
    // Told before, and its ticket shows what came of it.
    if (!isKept && isFirst && versionsOf(live) === versionsOf(before.purchases)) return true;
    return records.replace(before, showing(before, live));
  }

  async function waitForTicket(id: string): Promise<boolean> {
    const { filter, update, upsert } = mark(id);
    try {
      await tickets.updateOne(filter, update, { upsert });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  /**
   * What comes at once costs one question and two writes for all, the documents' and their tickets'; of one document, its
   * newest version alone. What is not as it was expected is dealt with one by one.
   */
  async function keepPurchases(all: PurchaseFacts[]): Promise<undefined[]> {
    const newest = newestOf(all);
    const before = await records.readAll(ticketsOf(newest));
    const news = newest.filter((facts) => !shows(before.get(facts.ticket_id), facts));
    const isKept = news.length === 0 ? new Set() : await keepAllNewer(purchases, { ...early, all: news.map(keptOf) });
    const [kept = [], others = []] = [true, false].map((wanted) => news.filter(({ id }) => isKept.has(id) === wanted));
    for (const facts of others) await untilDone(facts.ticket_id, (isFirst) => takePurchase(facts, isFirst));
    for (const facts of await showAll(kept, before)) await untilDone(facts.ticket_id, () => takePurchase(facts, false));
    return all.map(() => undefined);
  }

  /** @returns the documents whose tickets were written by another one in between */
  async function showAll(kept: PurchaseFacts[], before: Map<string, TicketRecord>): Promise<PurchaseFacts[]> {
    const byTicket = Map.groupBy(kept, ({ ticket_id }) => ticket_id);
    const writes = [...byTicket].map(([id, documents]) => writeOf(before.get(id), id, documents));
    if (writes.length === 0 || (await records.write(writes))) return [];
    const now = await records.readAll([...byTicket.keys()]);
    return kept.filter((facts) => !shows(now.get(facts.ticket_id), facts));
  }

  const batches = createBatches({ most: purchasesAtOnce, run: keepPurchases });
  return { keepPurchase: (facts) => batches.add(facts) };
}

function ticketsOf(documents: PurchaseFacts[]): string[] {
  return [...new Set(documents.map(({ ticket_id }) => ticket_id))];
}

function keptOf(facts: PurchaseFacts) {
  const { id, version, ticket_id } = facts;
  return { id, version, set: { ticket_id, facts } satisfies Partial<PurchaseRecord> };
}

function isKnown(before: TicketRecord | null | undefined): before is TicketRecord {
  return (before?.version ?? unknownVersion) !== unknownVersion;
}

function shows(before: TicketRecord | null | undefined, { id, version }: PurchaseFacts): boolean {
  return before?.purchases?.some((one) => one.id === id && one.version >= version) ?? false;
}

/** The ticket's documents with these instead of what they were before. */
function withThese({ purchases, facts }: TicketRecord, documents: PurchaseFacts[]): KeptPurchase[] {
  const others = purchases.filter(({ id }) => documents.every((one) => one.id !== id));
  const live = documents.filter((one) => !one.deleted && isOf(facts.client_id, one));
  return [...others, ...live.map(keptPurchase)];
}

/** What the ticket becomes by its live documents; written also where they are as before, for who read others meanwhile. */
function showing(before: TicketRecord, live: KeptPurchase[]): Partial<StoredTicket> {
  const isNews = versionsOf(live) !== versionsOf(before.purchases);
  return { ...holding(before.facts, live), ...(isNews && before.open ? owed(before) : {}) };
}

function writeOf(before: TicketRecord | undefined, id: string, documents: PurchaseFacts[]): TicketWrite {
  if (!isKnown(before)) return { updateOne: mark(id) };
  return { updateOne: replacement(before, showing(before, withThese(before, documents))) };
}

/** Whoever writes the ticket sees that there are documents, and whoever is about to finds that somebody wrote. */
function mark(_id: string) {
  return { filter: { _id, version: unknownVersion }, update: { $inc: { revision: 1 } }, upsert: true };
}
