import type { PurchaseSnapshot } from '@app/contracts';
import { createBatcher, isDuplicateKey } from '@app/runtime';
import { type PurchaseRecord, type StoredTicket, type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
import { unknownVersion } from './ticket-copy.ts';
import {
  createTicketRecords,
  holding,
  isOf,
  keptPurchase,
  newestOf,
  owed,
  type TicketRecordsDeps,
  type TicketWrite,
  untilDone,
  versionsOf,
} from './ticket-record-store.ts';
import { keepAllNewer, keepNewer } from './versioned-store.ts';

/**
 * Keeps purchase documents in the copies of their tickets, where nobody wrote since it was read. What no copy can hold stands
 * for itself: a document whose ticket is not known yet (it stays when the ticket comes, and is not looked at again), and the
 * mark that one was deleted, without which a message that comes late would bring it back.
 */
export type PurchaseKeeping = {
  /** An older version never overwrites a newer; told twice, nothing changes; its ticket may come later. */
  keepPurchase(purchase: PurchaseSnapshot): Promise<void>;
};

/** Longer than it takes to be kept: those that come at once cost little more than one. */
const pauseMs = 40;
const purchasesAtOnce = 200;

export function createPurchaseKeeping(deps: TicketRecordsDeps): PurchaseKeeping {
  const { tickets, purchases } = ticketCollections(deps.connection);
  const records = createTicketRecords(deps);

  /** True when it is done; false where another write came between. */
  async function takePurchase(facts: PurchaseSnapshot): Promise<boolean> {
    const before = await records.read(facts.ticket_id);
    if (!isKnown(before)) {
      await keepNewer(purchases, keptOf(facts));
      return waitForTicket(facts.ticket_id);
    }
    if (!isNews(before, facts)) return true;
    if (facts.deleted) await keepNewer(purchases, keptOf(facts));
    else if ((await deletedOf([facts])).has(facts.id)) return true;
    return records.replace(before, showing(before, [facts]));
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
   * Of these, those that were deleted at their version or a later one. Asked after their tickets are read: a deletion leaves its
   * mark before it writes the ticket, so that of the two writes that follow, the later one fails and looks again.
   */
  async function deletedOf(documents: PurchaseSnapshot[]): Promise<Set<string>> {
    const filter = { _id: { $in: documents.map(({ id }) => id) }, 'facts.deleted': true } as const;
    const found = documents.length === 0 ? [] : await purchases.find(filter, { projection: { version: 1 } }).toArray();
    const versions = new Map(found.map(({ _id, version }) => [_id, version]));
    return new Set(documents.filter(({ id, version }) => (versions.get(id) ?? 0) >= version).map(({ id }) => id));
  }

  /**
   * What comes at once costs two questions and a write for all; of one document, its newest version alone. What is not as
   * it was expected is dealt with one by one.
   */
  async function keepPurchases(all: PurchaseSnapshot[]): Promise<undefined[]> {
    const newest = newestOf(all);
    const before = await records.readAll(ticketsOf(newest));
    const isWaiting = ({ ticket_id }: PurchaseSnapshot) => !isKnown(before.get(ticket_id));
    const news = newest.filter(
      (facts) => isWaiting(facts) || isNews(before.get(facts.ticket_id) as TicketRecord, facts),
    );
    const deleted = await deletedOf(news.filter((facts) => !isWaiting(facts) && !facts.deleted));
    const taken = news.filter(({ id }) => !deleted.has(id));
    const alone = taken.filter((facts) => isWaiting(facts) || facts.deleted);
    await keepAlone(alone);
    const left = await showAll(taken, before);
    for (const facts of left) await untilDone(facts.ticket_id, () => takePurchase(facts));
    if (left.length > 0 || taken.length < newest.length) await records.confirmed();
    return all.map(() => undefined);
  }

  async function keepAlone(documents: PurchaseSnapshot[]): Promise<void> {
    if (documents.length === 0) return;
    const kept = await keepAllNewer(purchases, documents.map(keptOf));
    for (const facts of documents.filter(({ id }) => !kept.has(id))) await keepNewer(purchases, keptOf(facts));
  }

  /** @returns the documents whose tickets were written by another one in between */
  async function showAll(taken: PurchaseSnapshot[], before: Map<string, TicketRecord>): Promise<PurchaseSnapshot[]> {
    const byTicket = Map.groupBy(taken, ({ ticket_id }) => ticket_id);
    const writes = [...byTicket].map(([id, documents]) => writeOf(before.get(id), id, documents));
    return writes.length === 0 || (await records.write(writes)) ? [] : taken;
  }

  const batches = createBatcher({ maxBatch: purchasesAtOnce, maxDelayMs: pauseMs, run: keepPurchases });
  return { keepPurchase: (facts) => batches.add(facts) };
}

function ticketsOf(documents: PurchaseSnapshot[]): string[] {
  return [...new Set(documents.map(({ ticket_id }) => ticket_id))];
}

function keptOf(facts: PurchaseSnapshot) {
  const { id, version, ticket_id } = facts;
  return { id, version, set: { ticket_id, facts } satisfies Partial<PurchaseRecord> };
}

function isKnown(before: TicketRecord | null | undefined): before is TicketRecord {
  return (before?.version ?? unknownVersion) !== unknownVersion;
}

/** Whether the ticket's copy is to change by it: no document of another company than its client is ever in it. */
function isNews({ facts, purchases }: TicketRecord, told: PurchaseSnapshot): boolean {
  const held = purchases.find(({ id }) => id === told.id);
  return isOf(facts.client_id, told) && (told.deleted || held === undefined || held.version < told.version);
}

/** What the ticket becomes by these documents; written also where it is as before, for who read others meanwhile. */
function showing(before: TicketRecord, documents: PurchaseSnapshot[]): Partial<StoredTicket> {
  const others = before.purchases.filter(({ id }) => documents.every((one) => one.id !== id));
  const live = [...others, ...documents.filter(({ deleted }) => !deleted).map(keptPurchase)];
  const differs = versionsOf(live) !== versionsOf(before.purchases);
  return { ...holding(before.facts, live), ...(differs && before.open ? owed(before) : {}) };
}

function writeOf(before: TicketRecord | undefined, id: string, documents: PurchaseSnapshot[]): TicketWrite {
  if (!isKnown(before)) return { statement: { updateOne: mark(id) } };
  return { change: { before, set: showing(before, documents) } };
}

/** Whoever writes the ticket sees that there are documents, and whoever is about to finds that somebody wrote. */
function mark(_id: string) {
  return { filter: { _id, version: unknownVersion }, update: { $inc: { revision: 1 } }, upsert: true };
}
