import type { PurchaseFacts, TicketFacts } from '@app/contracts';
import { purchaseKeys, ticketKeys, ticketTraits } from '@app/matching';
import { isDuplicateKey } from '@app/runtime';
import type { Connection, mongo } from 'mongoose';
import { amountKey } from '../invoices/amount-key.ts';
import { contractorsOf, type IndexedCopy, type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
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

/** What stands for a ticket that is not known yet, from the first of its purchase documents on: no version is older. */
const unknownVersion = -1;
const attempts = 50;
const purchasesKept = 400;
const keysKept = 1_000;
const closedStatuses = ['draft', 'canceled', 'removed'];
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

  /** True when it is done; false where another write came between. */
  async function takeTicket(facts: TicketFacts): Promise<boolean> {
    const before = await read(facts.id);
    if (!before) return insert(facts);
    if (before.version >= facts.version) return true;
    const isKnown = before.version !== unknownVersion;
    const set = recordOf(facts, isKnown ? before.purchases : await liveOf(facts));
    const isNews = !isKnown || ticketTraits(before.facts) !== ticketTraits(facts);
    const owes = isNews && (mayHaveInvoices(facts) || before.open);
    return replace(before, { ...set, ...(owes ? owed(before) : {}) });
  }

  /** No purchase document was told of before: one that comes meanwhile finds the ticket, or has left its mark. */
  async function insert(facts: TicketFacts): Promise<boolean> {
    try {
      const record = recordOf(facts, []);
      await tickets.insertOne({
        ...record,
        ...(mayHaveInvoices(facts) ? { owed: 1 } : {}),
        _id: facts.id,
        revision: 1,
      });
      return true;
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

  return {
    async keepTicket(facts) {
      for (let attempt = 0; attempt < attempts; attempt++) if (await takeTicket(facts)) return;
      throw busy(facts.id);
    },
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

const owed = ({ revision }: TicketRecord) => ({ owed: revision + 1 });

function recordOf(facts: TicketFacts, purchases: PurchaseFacts[]): Omit<TicketRecord, '_id' | 'revision'> {
  const { version, client_id, status } = facts;
  return {
    ...{ version, client_id, facts, purchases, ...lookedUpBy(facts, purchases) },
    ...{ open: !closedStatuses.includes(status), contractor_ids: contractorsOf(facts) },
    ...{ created_at: new Date(facts.created_at), updated_at: new Date(facts.updated_at) },
  };
}

/** A draft has no invoices, and none wait for it. */
function mayHaveInvoices({ status }: TicketFacts): boolean {
  return status !== 'draft';
}

/** A purchase document of another company is none of the ticket's. */
function isOf(clientId: string, { buyer_company_id }: PurchaseFacts): boolean {
  return buyer_company_id === clientId;
}

function versionsOf(purchases: readonly PurchaseFacts[]): string {
  return purchases
    .map(({ id, version }) => `${id}:${version}`)
    .sort()
    .join();
}

function lookedUpBy(facts: TicketFacts, live: PurchaseFacts[]): Pick<IndexedCopy, 'keys' | 'amounts'> {
  const all = [ticketKeys(facts), ...live.map(purchaseKeys)];
  const cents = [...new Set(all.flatMap((one) => one.cents))];
  return {
    keys: [...new Set(all.flatMap(({ keys }) => keys))].slice(0, keysKept),
    amounts: contractorsOf(facts)
      .flatMap((one) => cents.map((amount) => amountKey(one, amount)))
      .slice(0, keysKept),
  };
}

function busy(ticketId: string): Error {
  return new Error(`the copy of ticket ${ticketId} changes all the time`);
}
