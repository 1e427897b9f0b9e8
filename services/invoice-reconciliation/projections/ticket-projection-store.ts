// A projection stands as one JSON text with its reference forms, beside the fields it is found by: of an invoice that is compared with
// two hundred tickets, decoding BSON took a third of the time. Who writes reads the ticket, then marks of deleted purchases; who deletes
// writes the mark, then the ticket, so one of them fails and looks again.
import type { TicketSnapshot } from '@app/contracts';
import type { CandidateLookup } from '@app/matching';
import { conflict, inTime, isDuplicateKey, localRead, retryOnConflict } from '@app/runtime';
import type { Connection, Model, mongo } from 'mongoose';
import { amountKey } from './amount-key.ts';
import { type PurchaseRecord, ticketCollections } from './ticket-collections.ts';
import {
  type CurrentTicket,
  maxPurchases,
  newTicket,
  type ProjectedPurchase,
  parseProjection,
  projectPurchase,
  type StoredTicket,
  type TicketProjection,
  unknownVersion,
  withTicket,
} from './ticket-projection.ts';

/** A ticket whose invoices are to be queued for a rematch. */
export type DirtyTicket = Pick<
  StoredTicket,
  '_id' | 'client_id' | 'keys' | 'amounts' | 'contractor_ids' | 'open' | 'rematch_revision' | 'moved'
>;

/** What a change writes: fields of the ticket, a new ticket, the mark of an unknown one, or nothing. */
type TicketWrite = { set: Partial<StoredTicket> } | { insert: StoredTicket } | 'mark' | null;

export type TicketProjectionDeps = {
  connection: Connection;
  /** Called before an unreadable projection is discarded: the owners publish its content again. */
  requestSnapshots?: () => Promise<void>;
  /** Called if a query finds unreadable projections, which it leaves out. */
  onUnreadable?: () => void;
};

const onlyJson = { json: 1 } as const;
/** Tickets whose places are looked at by one query. */
const batchSize = 1_000;

/** The projections of tickets, each with its purchase documents. Writes compare the revision that was read. */
export class TicketProjectionStore {
  readonly #tickets: mongo.Collection<StoredTicket>;
  readonly #purchases: Model<PurchaseRecord>;
  readonly #requestSnapshots: () => Promise<void>;
  readonly #onUnreadable: () => void;

  constructor({
    connection,
    requestSnapshots = async () => undefined,
    onUnreadable = () => undefined,
  }: TicketProjectionDeps) {
    const { tickets, purchases } = ticketCollections(connection);
    this.#tickets = tickets;
    this.#purchases = purchases;
    this.#requestSnapshots = requestSnapshots;
    this.#onUnreadable = onUnreadable;
  }

  /** The ticket of this client; null if it is not known or cannot be read. */
  async find(clientId: string, id: string): Promise<TicketProjection | null> {
    const [found] = await this.#read({ _id: id, client_id: clientId }, { limit: 1 });
    return found ?? null;
  }

  /** Those of the tickets that are the client's, in the order of the ids. */
  async findAll(clientId: string, ids: readonly string[]): Promise<TicketProjection[]> {
    if (ids.length === 0) return [];
    const found = await this.#read({ _id: { $in: [...ids] }, client_id: clientId }, { limit: ids.length });
    return found.sort((one, other) => ids.indexOf(one.ticket.id) - ids.indexOf(other.ticket.id));
  }

  /**
   * Those of the client's tickets that are at one of the places; without one that is not known.
   * @throws AppError unprocessable `list_too_broad` if the database takes too long
   */
  async idsAt(clientId: string, ids: readonly string[], placeIds: readonly string[]): Promise<Set<string>> {
    const seen = new Set<string>();
    const options = { projection: { _id: 1 }, hint: '_id_', maxTimeMS: 20_000 } as const;
    for (let from = 0; from < ids.length; from += batchSize) {
      const _id = { $in: ids.slice(from, from + batchSize) };
      const filter = { _id, client_id: clientId, location_ids: { $in: [...placeIds] } };
      for (const one of await inTime(() => this.#tickets.find(filter, options).toArray())) seen.add(one._id);
    }
    return seen;
  }

  /** Tickets with one of the lookup's keys or ids. */
  async findByReference(clientId: string, lookup: CandidateLookup): Promise<TicketProjection[]> {
    const { keys, ticketIds, limit } = lookup;
    const base = openTickets(clientId, lookup);
    const found = await Promise.all([
      ticketIds.length > 0 ? this.#read({ ...base, _id: { $in: ticketIds } }, { limit }) : [],
      keys.length > 0 ? this.#read({ ...base, keys: { $in: keys } }, { limit, hint: 'keys' }) : [],
    ]);
    return distinct(found.flat()).slice(0, limit);
  }

  /** Tickets of the lookup's contractors: those with one of its amounts first, then the most recently updated. */
  async findOfContractors(clientId: string, lookup: CandidateLookup): Promise<TicketProjection[]> {
    const { contractorIds, cents, limit } = lookup;
    if (contractorIds.length === 0) return [];
    const base = openTickets(clientId, lookup);
    const amounts = contractorIds.flatMap((id) => cents.map((amount) => amountKey(id, amount)));
    const found = await Promise.all([
      this.#read({ ...base, amounts: { $in: amounts } }, { limit, hint: 'amounts' }),
      this.#read(
        { ...base, contractor_ids: { $in: contractorIds } },
        { limit, hint: 'supplier', sort: { updated_at: -1 } },
      ),
    ]);
    return distinct(found.flat()).slice(0, limit);
  }

  /** Writes a ticket unless the same or a newer version is stored. Invoices are queued for a rematch later (`findDirty`). */
  async upsert(ticket: TicketSnapshot): Promise<void> {
    await this.change(ticket.id, async (current) => {
      if (current === null) return { insert: newTicket(ticket) };
      if (current.version >= ticket.version) return null;
      const purchases = current.projection?.purchases ?? (await this.#purchasesOf(ticket));
      return { set: withTicket(current, ticket, purchases) };
    });
  }

  /** The ticket service has lost the ticket by a restore: at that version it counts as removed. */
  async markLost(id: string, version: number): Promise<void> {
    await this.change(id, async (current) => {
      if (!current?.projection || current.version >= version) return null;
      const { ticket, purchases } = current.projection;
      return { set: withTicket(current, { ...ticket, version, status: 'removed' }, purchases) };
    });
  }

  /**
   * Writes what `decide` returns for the ticket as it is stored; again after a concurrent write, so `decide` may run again.
   * `mark` increments the revision of an unknown ticket.
   * @throws AppError overloaded `ticket_projection_busy`
   */
  async change(id: string, decide: (current: CurrentTicket | null) => Promise<TicketWrite>): Promise<void> {
    const options = { code: 'ticket_projection_busy', what: `the projection of ticket ${id}`, maxAttempts: 200 };
    await retryOnConflict(async () => {
      const current = await this.#current(id);
      const write = await decide(current);
      return write === null ? undefined : this.#write(id, current, write);
    }, options);
  }

  /** Tickets that changed, whichever replica wrote them, until `clearDirty`. */
  findDirty(limit: number): Promise<DirtyTicket[]> {
    // `clearDirty` waits for no majority, and its tickets are not to be found again at once.
    const options = { hint: 'dirty', projection: { json: 0 }, limit, ...localRead } as const;
    return this.#tickets.find<DirtyTicket>({ rematch_revision: { $gt: 0 } }, options).toArray();
  }

  /** Clears the mark of tickets that did not change since they were read. */
  async clearDirty(dirty: readonly DirtyTicket[]): Promise<void> {
    const byRevision = [...Map.groupBy(dirty, ({ rematch_revision }) => rematch_revision as number)];
    // No need to wait for a majority: a lost write only queues the same invoices once more.
    const options = { writeConcern: { w: 1 } } as const;
    for (const [rematch_revision, tickets] of byRevision) {
      const filter = { _id: { $in: tickets.map(({ _id }) => _id) }, rematch_revision };
      await this.#tickets.updateMany(filter, { $unset: { rematch_revision: true, moved: true } }, options);
    }
  }

  async #read(filter: mongo.Filter<StoredTicket>, options: mongo.FindOptions): Promise<TicketProjection[]> {
    const found = await this.#tickets.find(filter, { ...options, projection: onlyJson }).toArray();
    const readable = found.flatMap(({ json }) => parseProjection(json) ?? []);
    if (readable.length < found.length) this.#onUnreadable();
    return readable;
  }

  async #current(id: string): Promise<CurrentTicket | null> {
    const found = await this.#tickets.findOne(
      { _id: id },
      { projection: { json: 1, version: 1, revision: 1, open: 1 } },
    );
    if (found === null) return null;
    const { json, ...current } = found;
    const projection = parseProjection(json);
    const isUnknown = json === undefined && found.version === unknownVersion;
    return projection !== null || isUnknown ? { ...current, projection } : this.#discard(found);
  }

  /** Makes an unreadable ticket an unknown one, after its content was requested. */
  async #discard({ _id, revision }: StoredTicket): Promise<CurrentTicket | null> {
    await this.#requestSnapshots();
    const unknown = { version: unknownVersion, revision: (Number(revision) || 0) + 1 };
    await this.#tickets.replaceOne({ _id, revision: revision ?? null }, unknown as StoredTicket);
    return this.#current(_id);
  }

  async #write(
    id: string,
    current: CurrentTicket | null,
    write: NonNullable<TicketWrite>,
  ): Promise<undefined | typeof conflict> {
    try {
      if (write === 'mark') {
        const filter = { _id: id, version: unknownVersion };
        await this.#tickets.updateOne(filter, { $inc: { revision: 1 } }, { upsert: true });
      } else if ('insert' in write) await this.#tickets.insertOne(write.insert);
      else {
        const filter = { _id: id, revision: current?.revision ?? 0 };
        const { matchedCount } = await this.#tickets.updateOne(filter, { $set: write.set, $inc: { revision: 1 } });
        if (matchedCount === 0) return conflict;
      }
      return undefined;
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return conflict;
      throw error;
    }
  }

  /** The client's purchase documents that arrived before the ticket. */
  async #purchasesOf({ id, client_id }: TicketSnapshot): Promise<ProjectedPurchase[]> {
    const filter = { ticket_id: id, 'snapshot.deleted': false, 'snapshot.buyer_company_id': client_id };
    const found = await this.#purchases.find(filter).hint('ticket').limit(maxPurchases).lean();
    return found.map(({ snapshot }) => projectPurchase(snapshot));
  }
}

function openTickets(clientId: string, { createdBefore, updatedFrom }: CandidateLookup) {
  return {
    client_id: clientId,
    open: true,
    created_at: { $lt: new Date(createdBefore) },
    updated_at: { $gte: new Date(updatedFrom) },
  };
}

function distinct(projections: TicketProjection[]): TicketProjection[] {
  return [...new Map(projections.map((one) => [one.ticket.id, one])).values()];
}
