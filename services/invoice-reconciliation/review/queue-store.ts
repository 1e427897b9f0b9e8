import type { TimePosition } from '@app/kernel';
import type { Connection } from 'mongoose';
import type { Invoice, State } from '../invoices/invoice.ts';
import { epoch, invoiceCollection, statesOfPeople, waitingStates } from '../invoices/invoice-collection.ts';

/** Reads a page of a list: invoices of the client, oldest first, after a position. */
export type ReadPage = (clientId: string, page: { after: TimePosition | null; limit: number }) => Promise<Invoice[]>;

/** `count`: at most 10,000. `oldest`: when the one that waits for longest was taken in. */
export type Waiting = { state: State; count: number; oldest: Date | null };

export type QueueStore = {
  /** Invoices that wait to be linked by hand. */
  queue: ReadPage;
  /** Invoices that wait for review, or after an error. */
  review: ReadPage;
  /** Invoices of all clients that wait for people, by state. */
  waiting(): Promise<Waiting[]>;
  /** How many invoices are overdue at `at`: their next step or rematch has been due for a minute. At most 20,000. */
  countOverdue(at: Date): Promise<number>;
};

const countedAtMost = 10_000;
/** There is always a rematch that has just become due. */
const overdueAfterMs = 60_000;

const queryTimeoutMs = 20_000;
const projection = { outbox: 0, history: 0, words: 0, 'keys.references': 0, 'keys.amounts': 0 };

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
  const waitingIn = async (state: State): Promise<Waiting> => {
    const [count, oldest] = await Promise.all([
      collection.countDocuments({ state }, { hint: 'waiting', limit: countedAtMost }),
      collection.findOne(
        { state },
        { hint: 'waiting', sort: { created_at: 1 }, projection: { _id: 0, created_at: 1 } },
      ),
    ]);
    return { state, count, oldest: oldest?.created_at ?? null };
  };
  return {
    queue: readPage('queue'),
    review: readPage('review'),
    waiting: () => Promise.all(statesOfPeople.map(waitingIn)),
    async countOverdue(at) {
      const due = { $gt: epoch, $lte: new Date(at.getTime() - overdueAfterMs) };
      const [steps, rematches] = await Promise.all([
        collection.countDocuments({ due_at: due }, { hint: 'due', limit: countedAtMost }),
        collection.countDocuments({ rematch_at: due }, { hint: 'rematch', limit: countedAtMost }),
      ]);
      return steps + rematches;
    },
  };
}

/** Two ranges of the index, so that no earlier page is read again. */
function afterPosition<T>(filter: T, { at, id }: TimePosition) {
  return [
    { ...filter, created_at: at, _id: { $gt: id } },
    { ...filter, created_at: { $gt: at } },
  ];
}
