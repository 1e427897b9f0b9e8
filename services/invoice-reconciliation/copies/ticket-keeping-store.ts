import type { TicketSnapshot } from '@app/contracts';
import { ticketTraits } from '@app/matching';
import { createBatcher, isDuplicateKey } from '@app/runtime';
import { type StoredTicket, type TicketRecord, ticketCollections } from './ticket-copies-store.ts';
import { type KeptPurchase, unknownVersion } from './ticket-copy.ts';
import {
  createTicketRecords,
  mayHaveInvoices,
  newestOf,
  newRecord,
  owed,
  recordOf,
  type TicketRecordsDeps,
  type TicketWrite,
  untilDone,
} from './ticket-record-store.ts';

/**
 * Keeps the copies of tickets; `purchase-keeping-store.ts` their purchase documents in them. An older version never
 * overwrites a newer; told twice, nothing changes. A change that matching reads leaves the ticket owing: its invoices are
 * to be marked.
 */
export type TicketKeeping = {
  keepTicket(ticket: TicketSnapshot): Promise<void>;
  /** Tickets that owe, whichever replica wrote them; a crash forgets none. */
  owing(limit: number): Promise<Owing[]>;
  /** They owe no more, but for what changed since they were read. */
  paid(owing: readonly Owing[]): Promise<void>;
};

export type Owing = Pick<TicketRecord, '_id' | 'client_id' | 'keys' | 'amounts' | 'contractor_ids' | 'open' | 'owed'>;

const ticketsAtOnce = 200;

export function createTicketKeeping(deps: TicketRecordsDeps): TicketKeeping {
  const { tickets } = ticketCollections(deps.connection);
  const records = createTicketRecords(deps);

  /** What a ticket that is known, its documents too, becomes by newer facts. */
  function renewed(before: TicketRecord, facts: TicketSnapshot, purchases: KeptPurchase[]): Partial<StoredTicket> {
    const isNews = before.version === unknownVersion || ticketTraits(before.facts) !== ticketTraits(facts);
    const owes = isNews && (mayHaveInvoices(facts) || before.open);
    return { ...recordOf(facts, purchases), ...(owes ? owed(before) : {}) };
  }

  /** True when it is done; false where another write came between. */
  async function takeTicket(facts: TicketSnapshot): Promise<boolean> {
    const before = await records.read(facts.id);
    if (!before) return insert(facts);
    if (before.version >= facts.version) return true;
    const purchases = before.version === unknownVersion ? await records.liveOf(facts) : before.purchases;
    return records.replace(before, renewed(before, facts, purchases));
  }

  /** No purchase document was told of before: one that comes meanwhile finds the ticket, or has left its mark. */
  async function insert(facts: TicketSnapshot): Promise<boolean> {
    try {
      await tickets.insertOne(newRecord(facts));
      return true;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      return false;
    }
  }

  /** The write that keeps newer facts, as far as it needs no other question. */
  function writeOf(before: TicketRecord | undefined, facts: TicketSnapshot): TicketWrite[] {
    if (!before) return [{ statement: { insertOne: { document: newRecord(facts) } } }];
    if (before.version >= facts.version || before.version === unknownVersion) return [];
    return [{ change: { before, set: renewed(before, facts, before.purchases) } }];
  }

  /** What comes at once costs one question and one write for all; of one ticket, its newest version alone. */
  async function keepTickets(all: TicketSnapshot[]): Promise<undefined[]> {
    const newest = newestOf(all);
    const before = await records.readAll(newest.map(({ id }) => id));
    const writes = newest.flatMap((facts) => writeOf(before.get(facts.id), facts));
    const isDone = writes.length === 0 || (await records.write(writes));
    // Another write came between: one by one, and what was kept already is only looked at.
    const left = newest.filter(({ id }) => !isDone || before.get(id)?.version === unknownVersion);
    for (const facts of left) await untilDone(facts.id, () => takeTicket(facts));
    if (left.length > 0 || writes.length < newest.length) await records.confirmed();
    return all.map(() => undefined);
  }

  const batches = createBatcher({ maxBatch: ticketsAtOnce, run: keepTickets });

  return {
    keepTicket: (facts) => batches.add(facts),
    async owing(limit) {
      const found = tickets.find<Owing>({ owed: { $gt: 0 } }, { hint: 'owed', projection: { packed: 0 } });
      return found.limit(limit).toArray();
    },
    async paid(owing) {
      const update = { $unset: { owed: true as const } };
      // One update for all that owe since their third change, say: most of those that wait together do.
      const updates = [...Map.groupBy(owing, ({ owed: at }) => at as number)].map(([at, alike]) => ({
        updateMany: { filter: { _id: { $in: alike.map(({ _id }) => _id) }, owed: at }, update },
      }));
      // What is lost of it is marked once more.
      if (updates.length > 0) await tickets.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
  };
}
