import { beginningWith, hasAll, type TimePosition, wordsSearched } from '@app/kernel';
import type { Connection, mongo } from 'mongoose';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';

/** `text`: all its words are in number, supplier name and SIREN. `from` and `until`: when the invoice was taken in. */
type InvoiceFilter = {
  text: string | null;
  states: readonly State[];
  supplierId: string | null;
  provider: string | null;
  from: Date | null;
  until: Date | null;
};
export type Page = { order: 'asc' | 'desc'; after: TimePosition | null; limit: number };

export type CountOnTicket = { state: State; ticketId: string | null; count: number };

export type InvoiceSearch = {
  /** A page of the client's invoices in any state, in the order in which they were taken in. */
  find(clientId: string, filter: InvoiceFilter, page: Page): Promise<Invoice[]>;
  /** How many of the client's invoices are in each state, counted up to `maxCounted`. */
  counts(clientId: string): Promise<Record<State, number>>;
  /** The same by the ticket that they are on, in no order; `ticketId` null: on none. Of each state at most `maxCounted` are read. */
  countsByTicket(clientId: string): Promise<CountOnTicket[]>;
};

export const maxCounted = 10_000;
/**
 * At most this many invoices with the longest word are read. If more have it, the result is
 * incomplete.
 */
export const maxLookedAt = 2_000;
const queryTimeoutMs = 20_000;
const projection = { outbox: 0, history: 0, words: 0, 'keys.references': 0, 'keys.amounts': 0 };

export function createInvoiceSearch({ connection }: { connection: Connection }): InvoiceSearch {
  const invoices = invoiceCollection(connection);

  async function inOrder(client_id: string, wanted: InvoiceFilter, { order, after, limit }: Page): Promise<Invoice[]> {
    const direction = order === 'asc' ? 1 : -1;
    const filter: mongo.Filter<InvoiceRecord> = {
      client_id,
      ...(wanted.supplierId === null ? {} : { supplier_id: wanted.supplierId }),
      ...(wanted.provider === null ? {} : { provider: wanted.provider }),
      // Always given: the states are few, so MongoDB merges their ranges and the index gives every
      // list in order.
      state: { $in: [...wanted.states] },
      $and: [createdBetween(wanted), afterPosition(order, after)],
    };
    const options = { projection, hint: indexFor(wanted), maxTimeMS: queryTimeoutMs, limit };
    return invoices.find<Invoice>(filter, options).sort({ created_at: direction, _id: direction }).toArray();
  }

  async function withWords(
    client_id: string,
    { text, ...wanted }: InvoiceFilter,
    { order, after, limit }: Page,
  ): Promise<Invoice[]> {
    const [longest, ...others] = wordsSearched(text ?? '');
    if (longest === undefined) return [];
    const fields = { words: 1, created_at: 1, state: 1, supplier_id: 1, provider: 1 };
    const filter = { client_id, words: beginningWith(longest) };
    const looked = await invoices
      .find(filter, {
        projection: fields,
        hint: 'words',
        maxTimeMS: queryTimeoutMs,
        limit: maxLookedAt,
        batchSize: maxLookedAt,
      })
      .toArray();
    const ids = looked
      .filter((one) => hasAll(one.words ?? [], others) && isWanted(one, wanted))
      .sort((one, other) => (order === 'asc' ? compare(one, other) : compare(other, one)))
      .filter((one) => after === null || isAfter(one, order, after))
      .slice(0, limit)
      .map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const found = await invoices.find<Invoice>({ _id: { $in: ids }, client_id }, { projection }).toArray();
    return found.sort((one, other) => ids.indexOf(one._id) - ids.indexOf(other._id));
  }

  return {
    find: (clientId, filter, page) =>
      filter.text === null ? inOrder(clientId, filter, page) : withWords(clientId, filter, page),
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

function indexFor({ supplierId, provider }: InvoiceFilter): string {
  if (supplierId !== null) return 'ofSupplier';
  return provider === null ? 'states' : 'ofProvider';
}

function createdBetween({ from, until }: Pick<InvoiceFilter, 'from' | 'until'>): mongo.Filter<InvoiceRecord> {
  return from || until ? { created_at: { ...(from && { $gte: from }), ...(until && { $lt: until }) } } : {};
}

/**
 * One range of the index. The second condition excludes invoices of that millisecond that the
 * previous page has.
 */
function afterPosition(order: Page['order'], after: TimePosition | null): mongo.Filter<InvoiceRecord> {
  if (after === null) return {};
  const { at, id } = after;
  return order === 'asc'
    ? { created_at: { $gte: at }, $or: [{ created_at: { $gt: at } }, { _id: { $gt: id } }] }
    : { created_at: { $lte: at }, $or: [{ created_at: { $lt: at } }, { _id: { $lt: id } }] };
}

type Placed = Pick<Invoice, '_id' | 'created_at'>;
type Compared = Placed & Pick<Invoice, 'state' | 'supplier_id' | 'provider'>;

function isWanted(
  { created_at, state, supplier_id, provider }: Compared,
  wanted: Omit<InvoiceFilter, 'text'>,
): boolean {
  return (
    wanted.states.includes(state) &&
    (wanted.supplierId === null || wanted.supplierId === supplier_id) &&
    (wanted.provider === null || wanted.provider === provider) &&
    (wanted.from === null || created_at >= wanted.from) &&
    (wanted.until === null || created_at < wanted.until)
  );
}

function compare(one: Placed, other: Placed): number {
  return one.created_at.getTime() - other.created_at.getTime() || (one._id < other._id ? -1 : 1);
}

function isAfter(one: Placed, order: Page['order'], { at, id: _id }: TimePosition): boolean {
  const difference = compare(one, { created_at: at, _id });
  return one._id !== _id && (order === 'asc' ? difference > 0 : difference < 0);
}
