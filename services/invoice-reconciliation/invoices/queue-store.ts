import type { Connection } from 'mongoose';
import type { Invoice } from './invoice.ts';
import { invoicesOf, waitingStates } from './invoice-store.ts';
import type { Position } from './queue-cursor.ts';

/** A page of one of the lists: invoices of the client, oldest first, from after a position on. */
export type Page = (clientId: string, page: { after: Position | null; limit: number }) => Promise<Invoice[]>;

export type QueueStore = {
  /** What waits to be linked by hand. */
  queue: Page;
  /** What waits for a person outside of the queue: for review, or after an error. */
  review: Page;
};

const queryTimeMs = 20_000;

export function createQueueStore({ connection }: { connection: Connection }): QueueStore {
  const { collection } = invoicesOf(connection);
  const pageOf =
    (list: keyof typeof waitingStates): Page =>
    async (client_id, { after, limit }) => {
      const base = { client_id, ...waitingStates[list] };
      const projection = { outbox: 0, history: 0, 'keys.references': 0, 'keys.amounts': 0 };
      const found = collection.find(after ? { $or: beyond(base, after) } : base, {
        projection,
        hint: list,
        maxTimeMS: queryTimeMs,
      });
      return (await found.sort({ created_at: 1, _id: 1 }).limit(limit).toArray()) as Invoice[];
    };
  return { queue: pageOf('queue'), review: pageOf('review') };
}

/** Two ranges of the index, each in its order: however deep the page, nothing before it is read. */
function beyond<T>(base: T, { createdAt, id }: Position) {
  const at = new Date(createdAt);
  return [
    { ...base, created_at: at, _id: { $gt: id } },
    { ...base, created_at: { $gt: at } },
  ];
}
