import {
  AppError,
  beginningWith,
  type Condition,
  type Given,
  listPlan,
  type Sort,
  withWords,
  wordsSearched,
} from '@app/kernel';
import { referenceKeys } from '@app/matching';
import { createCompanyList, createListReader } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';
import { invoiceList } from '../invoices/invoice-list.ts';
import type { TicketSearch } from '../projections/ticket-search-store.ts';

/**
 * `text`: all its words are in number, supplier, amounts, references or lines; or it is the number of the invoice's ticket, or a
 * reference of that. `places`: its ticket is at one of them.
 */
type Filters = {
  text?: string | undefined;
  places?: readonly string[] | undefined;
  purchaseOrder?: string | undefined;
};

/** What the invoices of a currency add up to; credit notes count negative. `currency` null: never read. */
export type CurrencyTotal = { currency: string | null; count: number; ht: number; tva: number; ttc: number };

export type InvoiceLists = ReturnType<typeof createInvoiceLists>;

/** Those of the tickets whose invoices count. */
type SeenOf = (ticketIds: string[]) => Promise<ReadonlySet<string>>;

export type CountOnTicket = { state: State; ticketId: string | null; count: number };

/** An invoice with what lists sort by. */
export type ListedInvoice = Invoice & Pick<InvoiceRecord, 'supplier_order'>;

export const maxCounted = 10_000;
/** Tickets of a place, and invoices that a text finds by their tickets. */
const maxFound = 2_000;
const maxNamedTickets = 50;
const queryTimeoutMs = 20_000;
const projection = { outbox: 0, history: 0, words: 0, 'keys.references': 0, 'keys.amounts': 0 };
const inOrderOfArrival: Sort = { by: 'createdAt', descending: false };

/** `maxOn`: tickets whose places decide what is added up. */
type Deps = { connection: Connection; tickets: Pick<TicketSearch, 'named' | 'atPlaces'>; maxOn?: number };

export function createInvoiceLists({ connection, tickets, maxOn = 100_000 }: Deps) {
  const invoices = invoiceCollection(connection);
  const reader = createListReader<InvoiceRecord, ListedInvoice>(invoices, projection);

  /** Invoices with these words, or on one of these tickets. */
  async function withText(client_id: string, text: string): Promise<Condition[]> {
    const words = withWords(text, { path: 'words', index: 'words' });
    const named = await tickets.named(client_id, text, { limit: maxNamedTickets });
    if (named.length === 0) return words;
    const options = { projection: { _id: 1 }, limit: maxFound } as const;
    const found = await Promise.all([
      invoices.find({ client_id, $and: words.map(({ filter }) => filter) }, { ...options, hint: 'words' }).toArray(),
      invoices.find({ client_id, ticket_id: { $in: named } }, { ...options, hint: 'linked' }).toArray(),
    ]);
    return [{ filter: { _id: { $in: found.flat().map(({ _id }) => _id) } }, index: '_id_' }];
  }

  async function conditionsOf(clientId: string, { text, places, purchaseOrder }: Filters): Promise<Condition[]> {
    const atPlaces = places === undefined ? null : await tickets.atPlaces(clientId, places, maxFound + 1);
    if (atPlaces !== null && atPlaces.length > maxFound)
      throw tooBroad(`more than ${maxFound} tickets are at this place or below it`);
    const [word] = purchaseOrder === undefined ? [] : wordsSearched(purchaseOrder);
    return [
      // Tombstones have none.
      { filter: { state: { $gt: '' } } },
      ...(text === undefined ? [] : await withText(clientId, text)),
      ...(atPlaces === null ? [] : [{ filter: { ticket_id: { $in: atPlaces } }, index: 'linked' }]),
      ...(purchaseOrder === undefined
        ? []
        : [{ filter: { 'keys.references': { $in: referenceKeys(purchaseOrder) } } }]),
      // The index of references has the queue alone.
      ...(word === undefined ? [] : [{ filter: { words: beginningWith(word) }, index: 'words' }]),
    ];
  }

  return {
    read: createCompanyList(invoiceList, reader),
    /** What filters mean that no column declares. */
    conditionsOf,
    /**
     * Without `seenOf` all invoices count.
     * @throws AppError unprocessable `list_too_broad` if they are on more than `maxOn` tickets
     */
    async totals(clientId: string, given: Given, conditions: Condition[], seenOf?: SeenOf): Promise<CurrencyTotal[]> {
      const planOf = (further: Condition[]) =>
        listPlan(invoiceList, clientId, { given, sort: inOrderOfArrival, conditions: [...conditions, ...further] });
      const on = seenOf ? await reader.group<{ _id: string | null }>(planOf([]), { _id: '$ticket_id' }, maxOn + 1) : [];
      if (on.length > maxOn) throw tooBroad(`these invoices are on more than ${maxOn} tickets`);
      const seen = await seenOf?.(on.flatMap(({ _id }) => _id ?? []));
      const plan = planOf(seen ? [{ filter: { ticket_id: { $in: [null, ...seen] } } }] : []);
      const found = await reader.group<Grouped>(plan, totalsByCurrency);
      return found.map(({ _id, count, ...sums }) => {
        const [ht, tva, ttc] = [sums.ht, sums.tva, sums.ttc].map(Number) as [number, number, number];
        return { currency: _id, count, ht, tva, ttc };
      });
    },
    /** How many of the client's invoices are in each state, counted up to `maxCounted`. */
    async counts(client_id: string): Promise<Record<State, number>> {
      const options = { hint: 'states', limit: maxCounted };
      const counted = await Promise.all(
        states.map(async (state) => [state, await invoices.countDocuments({ client_id, state }, options)] as const),
      );
      return Object.fromEntries(counted) as Record<State, number>;
    },
    /** The same by the ticket that they are on, in no order; `ticketId` null: on none. Of each state at most `maxCounted` are read. */
    async countsByTicket(client_id: string): Promise<CountOnTicket[]> {
      const options = { hint: 'states', maxTimeMS: queryTimeoutMs };
      const counted = states.map(async (state) => {
        const steps = [{ $match: { client_id, state } }, { $limit: maxCounted }, { $sortByCount: '$ticket_id' }];
        const found = await invoices.aggregate<{ _id: string | null; count: number }>(steps, options).toArray();
        return found.map(({ _id: ticketId, count }) => ({ state, ticketId, count }));
      });
      return (await Promise.all(counted)).flat();
    },
  };
}

function tooBroad(message: string): AppError {
  return new AppError('unprocessable', 'list_too_broad', message);
}

/** The sums are Decimal128, whose text is exact. */
type Grouped = { _id: string | null; count: number; ht: unknown; tva: unknown; ttc: unknown };

/** Exact sums. The documents of credit notes have either sign. */
const totalsByCurrency = {
  _id: { $ifNull: ['$canonical.currency', null] },
  count: { $sum: 1 },
  ...Object.fromEntries(
    ['ht', 'tva', 'ttc'].map((name) => {
      const amount = `$canonical.amounts.${name}`;
      const credited = { $multiply: [-1, { $abs: amount }] };
      const signed = { $cond: [{ $eq: ['$canonical.kind', 'credit_note'] }, credited, amount] };
      return [name, { $sum: { $toDecimal: signed } }];
    }),
  ),
};
