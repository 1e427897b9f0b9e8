import type { Connection } from 'mongoose';
import type { Invoice } from './invoice.ts';
import { invoicesOf } from './invoice-store.ts';
import type { Position } from './queue-cursor.ts';

export type QueueStore = {
  /** The invoices of the client that wait for a person, oldest first, from after a position on. */
  page(clientId: string, page: { after: Position | null; limit: number }): Promise<Invoice[]>;
};

const queryTimeMs = 20_000;

export function createQueueStore({ connection }: { connection: Connection }): QueueStore {
  const { collection } = invoicesOf(connection);
  return {
    async page(client_id, { after, limit }) {
      const base = { client_id, state: 'ticket_unmatched' as const };
      const projection = { outbox: 0, history: 0, keys: 0 };
      const found = collection.find(after ? { $or: beyond(base, after) } : base, {
        projection,
        hint: 'queue',
        maxTimeMS: queryTimeMs,
      });
      return (await found.sort({ created_at: 1, _id: 1 }).limit(limit).toArray()) as Invoice[];
    },
  };
}

/** Two ranges of the index, each in its order: however deep the page, nothing before it is read. */
function beyond(base: Pick<Invoice, 'client_id' | 'state'>, { createdAt, id }: Position) {
  const at = new Date(createdAt);
  return [
    { ...base, created_at: at, _id: { $gt: id } },
    { ...base, created_at: { $gt: at } },
  ];
}
