import {
  beginningWith,
  type Condition,
  type Given,
  listPlan,
  type Position,
  type Sort,
  wordsSearched,
} from '@app/kernel';
import { referenceKeys } from '@app/matching';
import { createListReader } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';
import { invoiceList } from '../invoices/invoice-list.ts';
import type { TicketSearch } from '../projections/ticket-search-store.ts';

/**
 * `given`: of the columns. `text`: all its words are in number, supplier, amounts, references or lines; or it is the number of
 * the invoice's ticket, or a reference of that. `place`: of its ticket.
 */
export type InvoiceFilters = { given: Given; text?: string; place?: string; purchaseOrder?: string };
type Page = { sort: Sort; after: Position | null; limit: number };

/** What the invoices of a currency add up to; credit notes count negative. `currency` null: never read. */
export type CurrencyTotal = { currency: string | null; count: number; ht: number; tva: number; ttc: number };

export type InvoiceLists = {
  page(clientId: string, filters: InvoiceFilters, page: Page): Promise<ListedInvoice[]>;
  /** All of them, as they are taken. */
  all(clientId: string, filters: InvoiceFilters, sort: Sort): Promise<AsyncIterable<ListedInvoice>>;
  /** How many there are, counted up to `limit`. */
  count(clientId: string, filters: InvoiceFilters, limit: number): Promise<number>;
  totals(clientId: string, filters: InvoiceFilters): Promise<CurrencyTotal[]>;
  /** How many of the client's invoices are in each state, counted up to `maxCounted`. */
  counts(clientId: string): Promise<Record<State, number>>;
  /** The same by the ticket that they are on, in no order; `ticketId` null: on none. Of each state at most `maxCounted` are read. */
  countsByTicket(clientId: string): Promise<CountOnTicket[]>;
};

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

type Deps = { connection: Connection; tickets: Pick<TicketSearch, 'named' | 'atPlace'> };

export function createInvoiceLists({ connection, tickets }: Deps): InvoiceLists {
  const invoices = invoiceCollection(connection);
  const reader = createListReader<InvoiceRecord, ListedInvoice>(invoices, projection);

  /** Invoices with these words, or on one of these tickets. */
  async function withWords(client_id: string, text: string): Promise<Condition[]> {
    const [longest, ...others] = wordsSearched(text);
    if (longest === undefined) return [{ filter: { _id: { $in: [] } }, index: '_id_' }];
    const words = [longest, ...others].map((word) => ({ words: beginningWith(word) }));
    const named = await tickets.named(client_id, text, { limit: maxNamedTickets });
    if (named.length === 0)
      return words.map((filter, index) => (index === 0 ? { filter, index: 'words' } : { filter }));
    const options = { projection: { _id: 1 }, limit: maxFound } as const;
    const found = await Promise.all([
      invoices.find({ client_id, $and: words }, { ...options, hint: 'words' }).toArray(),
      invoices.find({ client_id, ticket_id: { $in: named } }, { ...options, hint: 'linked' }).toArray(),
    ]);
    return [{ filter: { _id: { $in: found.flat().map(({ _id }) => _id) } }, index: '_id_' }];
  }

  async function conditionsOf(clientId: string, { text, place, purchaseOrder }: InvoiceFilters): Promise<Condition[]> {
    const ofPlace = place === undefined ? null : await tickets.atPlace(clientId, place, maxFound);
    const [word] = purchaseOrder === undefined ? [] : wordsSearched(purchaseOrder);
    return [
      // Tombstones have none.
      { filter: { state: { $gt: '' } } },
      ...(text === undefined ? [] : await withWords(clientId, text)),
      ...(ofPlace === null ? [] : [{ filter: { ticket_id: { $in: ofPlace } }, index: 'linked' }]),
      ...(purchaseOrder === undefined
        ? []
        : [{ filter: { 'keys.references': { $in: referenceKeys(purchaseOrder) } } }]),
      // The index of references has the queue alone.
      ...(word === undefined ? [] : [{ filter: { words: beginningWith(word) }, index: 'words' }]),
    ];
  }

  async function planOf(clientId: string, filters: InvoiceFilters, sort: Sort, after: Position | null = null) {
    const conditions = await conditionsOf(clientId, filters);
    return listPlan(invoiceList, clientId, { given: filters.given, sort, after, conditions });
  }

  return {
    page: async (clientId, filters, { sort, after, limit }) =>
      reader.page(await planOf(clientId, filters, sort, after), limit),
    all: async (clientId, filters, sort) => reader.all(await planOf(clientId, filters, sort)),
    count: async (clientId, filters, limit) => reader.count(await planOf(clientId, filters, inOrderOfArrival), limit),
    async totals(clientId, filters) {
      const plan = await planOf(clientId, filters, inOrderOfArrival);
      const found = await reader.group<Grouped>(plan, totalsByCurrency);
      return found.map(({ _id, count, ...sums }) => {
        const [ht, tva, ttc] = [sums.ht, sums.tva, sums.ttc].map(Number) as [number, number, number];
        return { currency: _id, count, ht, tva, ttc };
      });
    },
    async counts(client_id) {
      const options = { hint: 'states', limit: maxCounted };
      const counted = await Promise.all(
        states.map(async (state) => [state, await invoices.countDocuments({ client_id, state }, options)] as const),
      );
      return Object.fromEntries(counted) as Record<State, number>;
    },
    async countsByTicket(client_id) {
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
