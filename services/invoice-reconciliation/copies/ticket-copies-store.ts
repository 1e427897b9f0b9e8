import type { PurchaseFacts, TicketFacts } from '@app/contracts';
import { type CandidateLookup, purchaseKeys, ticketKeys } from '@app/matching';
import { type Connection, type mongo, Schema } from 'mongoose';
import { amountKey } from '../invoices/amount-key.ts';
import { keepNewer } from './versioned-store.ts';

/** A ticket with the purchase documents of its client, live ones alone. */
export type TicketCopy = { facts: TicketFacts; purchases: PurchaseFacts[] };
/** With what it is found by. */
export type IndexedCopy = TicketCopy & { keys: string[]; amounts: string[] };

/** Copies of tickets and purchase documents. An older version never overwrites a newer; told twice, nothing changes. */
export type TicketCopies = {
  /** Gives the copy as it is then. */
  keepTicket(ticket: TicketFacts): Promise<IndexedCopy | null>;
  /** Gives the copy of its ticket; null where that is not known yet. */
  keepPurchase(purchase: PurchaseFacts): Promise<IndexedCopy | null>;
  find(clientId: string, id: string): Promise<TicketCopy | null>;
  /** Tickets named by the lookup's keys and ids: its first group. */
  named(clientId: string, lookup: CandidateLookup): Promise<TicketCopy[]>;
  /** The other groups: of the supplier's tickets those with such an amount, then those updated last. */
  ofSupplier(clientId: string, lookup: CandidateLookup): Promise<TicketCopy[]>;
};

type TicketRecord = IndexedCopy & {
  _id: string;
  client_id: string;
  version: number;
  /** One more with each write: what tells whether keys were made from what is there now. */
  revision: number;
  open: boolean;
  created_at: Date;
  updated_at: Date;
  contractor_ids: string[];
};
type PurchaseRecord = { _id: string; version: number; ticket_id: string; facts: PurchaseFacts };

const reindexAttempts = 50;
const purchasesKept = 400;
const keysKept = 1_000;
const closedStatuses = ['draft', 'canceled', 'removed'];

const required = { type: String, required: true } as const;
const ticketSchema = new Schema({ _id: required }, { versionKey: false, collection: 'ticket_copies', strict: false });
const onlyOpen = { partialFilterExpression: { open: true } };
ticketSchema.index({ client_id: 1, keys: 1 }, { name: 'keys', ...onlyOpen });
ticketSchema.index({ client_id: 1, amounts: 1 }, { name: 'amounts', ...onlyOpen });
ticketSchema.index(
  { client_id: 1, contractor_ids: 1, updated_at: -1, created_at: 1 },
  { name: 'supplier', ...onlyOpen },
);

const purchaseSchema = new Schema(
  { _id: required },
  { versionKey: false, collection: 'purchase_copies', strict: false },
);
purchaseSchema.index({ ticket_id: 1, 'facts.deleted': 1 }, { name: 'ticket' });

export function createTicketCopies({ connection }: { connection: Connection }): TicketCopies {
  const tickets = connection.model('TicketCopy', ticketSchema).collection as unknown as mongo.Collection<TicketRecord>;
  const purchases = connection.model('PurchaseCopy', purchaseSchema)
    .collection as unknown as mongo.Collection<PurchaseRecord>;
  const shown = { facts: 1, purchases: 1 } as const;

  async function liveOf(ticketId: string): Promise<PurchaseFacts[]> {
    const filter = { ticket_id: ticketId, 'facts.deleted': false } as const;
    const found = await purchases.find(filter, { hint: 'ticket' }).limit(purchasesKept).toArray();
    return found.map(({ facts }) => facts);
  }

  /**
   * Makes a ticket's keys anew from what is kept of it and of its purchase documents. Whoever saved either comes by here
   * afterwards, and none writes keys over a state that it has not read: so the last one has seen all.
   */
  async function reindex(ticketId: string): Promise<IndexedCopy | null> {
    for (let attempt = 0; attempt < reindexAttempts; attempt++) {
      const record = await tickets.findOne({ _id: ticketId }, { projection: { facts: 1, revision: 1 } });
      if (!record) return null;
      const { facts, revision } = record;
      const live = (await liveOf(ticketId)).filter(({ buyer_company_id }) => buyer_company_id === facts.client_id);
      const indexed = { purchases: live, ...lookedUpBy(facts, live) };
      const { matchedCount } = await tickets.updateOne(
        { _id: ticketId, revision },
        { $set: indexed, $inc: { revision: 1 } },
      );
      if (matchedCount === 1) return { facts, ...indexed };
    }
    throw new Error(`the copy of ticket ${ticketId} changes all the time`);
  }

  const open = (clientId: string, { createdBefore, updatedFrom }: CandidateLookup) => ({
    client_id: clientId,
    open: true,
    created_at: { $lt: new Date(createdBefore) },
    updated_at: { $gte: new Date(updatedFrom) },
  });

  return {
    async keepTicket(facts) {
      const { id, version, client_id, status } = facts;
      const contractor_ids = contractorsOf(facts);
      const times = { created_at: new Date(facts.created_at), updated_at: new Date(facts.updated_at) };
      const set = { client_id, facts, open: !closedStatuses.includes(status), contractor_ids, ...times };
      await keepNewer(tickets, { id, version, set, inc: { revision: 1 } });
      return reindex(id);
    },
    async keepPurchase(facts) {
      const { id, version, ticket_id } = facts;
      await keepNewer(purchases, { id, version, set: { ticket_id, facts } });
      return reindex(ticket_id);
    },
    find: (clientId, id) => tickets.findOne({ _id: id, client_id: clientId }, { projection: shown }),
    async named(clientId, lookup) {
      const { keys, ticketIds, limit } = lookup;
      const base = open(clientId, lookup);
      const byKey =
        keys.length > 0 ? tickets.find({ ...base, keys: { $in: keys } }, { projection: shown, hint: 'keys' }) : null;
      const byId =
        ticketIds.length > 0 ? tickets.find({ ...base, _id: { $in: ticketIds } }, { projection: shown }) : null;
      const found = await Promise.all([byId?.toArray() ?? [], byKey?.limit(limit).toArray() ?? []]);
      return distinct(found.flat()).slice(0, limit);
    },
    async ofSupplier(clientId, lookup) {
      const { contractorIds, cents, limit } = lookup;
      if (contractorIds.length === 0) return [];
      const base = open(clientId, lookup);
      const amounts = contractorIds.flatMap((one) => cents.map((amount) => amountKey(one, amount)));
      const equal = tickets.find({ ...base, amounts: { $in: amounts } }, { projection: shown, hint: 'amounts' });
      const latest = tickets.find(
        { ...base, contractor_ids: { $in: contractorIds } },
        { projection: shown, hint: 'supplier' },
      );
      const found = await Promise.all([
        equal.limit(limit).toArray(),
        latest.sort({ updated_at: -1 }).limit(limit).toArray(),
      ]);
      return distinct(found.flat()).slice(0, limit);
    },
  };
}

export function contractorsOf({ views }: TicketFacts): string[] {
  return [...new Set(views.flatMap(({ contractor_id }) => contractor_id ?? []))];
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

function distinct(copies: TicketCopy[]): TicketCopy[] {
  return [...new Map(copies.map((copy) => [copy.facts.id, copy])).values()];
}
