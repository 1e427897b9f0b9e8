import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import type { CandidateLookup } from '@app/matching';
import { type Connection, type mongo, Schema } from 'mongoose';
import { amountKey } from '../invoices/amount-key.ts';
import { createQuestions, type Question } from '../invoices/questions-store.ts';
import { type Packed, type TicketCopy, unpacked } from './ticket-copy.ts';

/** With what it is found by. */
export type IndexedCopy = TicketCopy & { keys: string[]; amounts: string[] };

/** What matching asks of the copies of tickets; `ticket-keeping-store.ts` keeps them. */
export type TicketCopies = {
  find(clientId: string, id: string): Promise<TicketCopy | null>;
  /** Tickets named by the lookup's keys and ids: its first group. */
  named(clientId: string, lookup: CandidateLookup): Promise<TicketCopy[]>;
  /** The other groups: of the supplier's tickets those with such an amount, then those updated last. */
  ofSupplier(clientId: string, lookup: CandidateLookup): Promise<TicketCopy[]>;
};

export type TicketRecord = IndexedCopy & {
  _id: string;
  client_id: string;
  version: number;
  /** One more with each write: what tells whether keys were made from what is there now. */
  revision: number;
  open: boolean;
  created_at: Date;
  updated_at: Date;
  contractor_ids: string[];
  /** Revision of the change whose invoices are still to be marked; absent: none. */
  owed?: number;
};
type Found = TicketCopy & Pick<TicketRecord, 'keys' | 'created_at' | 'updated_at'>;
/** A copy as it is stored. */
export type StoredTicket = Packed<TicketRecord>;
export type PurchaseRecord = { _id: string; version: number; ticket_id: string; facts: PurchaseSnapshot };

/** Of one invoice, as many as `candidateLookup` asks for. */
const mostOfKeys = 200;

const required = { type: String, required: true } as const;
const ticketSchema = new Schema({ _id: required }, { versionKey: false, collection: 'ticket_copies', strict: false });
const onlyOpen = { partialFilterExpression: { open: true } };
ticketSchema.index({ client_id: 1, keys: 1 }, { name: 'keys', ...onlyOpen });
ticketSchema.index({ client_id: 1, amounts: 1 }, { name: 'amounts', ...onlyOpen });
ticketSchema.index(
  { client_id: 1, contractor_ids: 1, updated_at: -1, created_at: 1 },
  { name: 'supplier', ...onlyOpen },
);
ticketSchema.index({ owed: 1 }, { name: 'owed', partialFilterExpression: { owed: { $gt: 0 } } });

const purchaseSchema = new Schema(
  { _id: required },
  { versionKey: false, collection: 'purchase_copies', strict: false },
);
purchaseSchema.index({ ticket_id: 1, 'facts.deleted': 1 }, { name: 'ticket' });

/** The collections, with their models registered so that their indexes are made at the start. */
export function ticketCollections(connection: Connection) {
  const modelOf = (name: string, schema: Schema) => connection.models[name] ?? connection.model(name, schema);
  return {
    tickets: modelOf('TicketCopy', ticketSchema).collection as unknown as mongo.Collection<StoredTicket>,
    purchases: modelOf('PurchaseCopy', purchaseSchema).collection as unknown as mongo.Collection<PurchaseRecord>,
  };
}

type Deps = {
  connection: Connection;
  /** Told of a copy that cannot be read, which counts as absent. */
  unreadable?: () => void;
};

export function createTicketCopies({ connection, unreadable = () => undefined }: Deps): TicketCopies {
  const { tickets } = ticketCollections(connection);
  const shown = { packed: 1 } as const;

  function readable<Copy extends TicketCopy>(found: Packed<Copy>[]): Copy[] {
    const copies = found.flatMap((one) => (one.packed === undefined ? [] : (unpacked<Copy>(one) ?? [])));
    if (copies.length < found.length) unreadable();
    return copies;
  }

  const copiesIn = async (found: mongo.FindCursor<Packed<TicketCopy>>) => readable(await found.toArray());

  /** Tickets that were there at the time of any of these invoices. */
  const open = (clientId: string, lookups: CandidateLookup[]) => ({
    client_id: clientId,
    open: true,
    created_at: { $lt: latest(lookups.map(({ createdBefore }) => createdBefore)) },
    updated_at: { $gte: earliest(lookups.map(({ updatedFrom }) => updatedFrom)) },
  });

  const byKey = createQuestions<Question & { lookup: CandidateLookup }, Found>({
    valuesOf: ({ keys }) => keys,
    fits: ({ created_at, updated_at }, { lookup: { createdBefore, updatedFrom } }) =>
      created_at < new Date(createdBefore) && updated_at >= new Date(updatedFrom),
    async find({ clientId, values, questions }, limit) {
      const base = open(
        clientId,
        questions.map(({ lookup }) => lookup),
      );
      const projection = { ...shown, keys: 1, created_at: 1, updated_at: 1 } as const;
      const found = tickets.find<Packed<Found>>({ ...base, keys: { $in: values } }, { projection, hint: 'keys' });
      return readable(await found.limit(limit).toArray());
    },
    limit: mostOfKeys,
    limitTogether: 2 * mostOfKeys,
  });

  return {
    async find(clientId, id) {
      const found = tickets.find<Packed<TicketCopy>>({ _id: id, client_id: clientId }, { projection: shown });
      const [copy] = await copiesIn(found.limit(1));
      return copy ?? null;
    },
    async named(clientId, lookup) {
      const { keys, ticketIds, limit } = lookup;
      const byId = { ...open(clientId, [lookup]), _id: { $in: ticketIds } };
      const found = await Promise.all([
        ticketIds.length > 0 ? copiesIn(tickets.find<Packed<TicketCopy>>(byId, { projection: shown })) : [],
        keys.length > 0 ? byKey({ clientId, values: keys, lookup }) : [],
      ]);
      return distinct(found.flat()).slice(0, limit);
    },
    async ofSupplier(clientId, lookup) {
      const { contractorIds, cents, limit } = lookup;
      if (contractorIds.length === 0) return [];
      const base = open(clientId, [lookup]);
      const amounts = contractorIds.flatMap((one) => cents.map((amount) => amountKey(one, amount)));
      const find = (filter: object, hint: string) =>
        tickets.find<Packed<TicketCopy>>({ ...base, ...filter }, { projection: shown, hint }).limit(limit);
      const found = await Promise.all([
        copiesIn(find({ amounts: { $in: amounts } }, 'amounts')),
        copiesIn(find({ contractor_ids: { $in: contractorIds } }, 'supplier').sort({ updated_at: -1 })),
      ]);
      return distinct(found.flat()).slice(0, limit);
    },
  };
}

export function contractorsOf({ views }: TicketSnapshot): string[] {
  return [...new Set(views.flatMap(({ contractor_id }) => contractor_id ?? []))];
}

function latest(dates: string[]): Date {
  return new Date(Math.max(...dates.map((date) => Date.parse(date))));
}

function earliest(dates: string[]): Date {
  return new Date(Math.min(...dates.map((date) => Date.parse(date))));
}

function distinct(copies: TicketCopy[]): TicketCopy[] {
  return [...new Map(copies.map((copy) => [copy.facts.id, copy])).values()];
}
