import type { Connection } from 'mongoose';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceCollection, waitingStates } from '../invoices/invoice-collection-store.ts';
import type { Position } from './queue-cursor.ts';

/** Reads a page of a list: invoices of the client, oldest first, after a position. */
export type ReadPage = (clientId: string, page: { after: Position | null; limit: number }) => Promise<Invoice[]>;

export type QueueStore = {
  /** Invoices that wait to be linked by hand. */
  queue: ReadPage;
  /** Invoices that wait for review, or after an error. */
  review: ReadPage;
};

const queryTimeoutMs = 20_000;
const projection = { outbox: 0, history: 0, 'keys.references': 0, 'keys.amounts': 0 };

export function createQueueStore({ connection }: { connection: Connection }): QueueStore {
  const collection = invoiceCollection(connection);
  const readPage =
    (list: keyof typeof waitingStates): ReadPage =>
    (client_id, { after, limit }) => {
      const filter = { client_id, ...waitingStates[list] };
      const options = { projection, hint: list, maxTimeMS: queryTimeoutMs, limit };
      const found = collection.find<Invoice>(after ? { $or: afterPosition(filter, after) } : filter, options);
      return found.sort({ created_at: 1, _id: 1 }).toArray();
    };
  return { queue: readPage('queue'), review: readPage('review') };
}

/** Two ranges of the index, so that no earlier page is read again. */
function afterPosition<T>(filter: T, { createdAt, id }: Position) {
  const at = new Date(createdAt);
  return [
    { ...filter, created_at: at, _id: { $gt: id } },
    { ...filter, created_at: { $gt: at } },
  ];
}
