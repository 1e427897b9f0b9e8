import type { Connection } from 'mongoose';
import { type State, statesOfPeople } from '../invoices/invoice.ts';
import { epoch, invoiceCollection } from '../invoices/invoice-collection.ts';

/** `count`: at most 10,000. `oldest`: when the one that waits for longest was taken in. */
export type Waiting = { state: State; count: number; oldest: Date | null };

export type WaitingStore = ReturnType<typeof createWaitingStore>;

const countedAtMost = 10_000;
/** There is always a rematch that has just become due. */
const overdueAfterMs = 60_000;

export function createWaitingStore({ connection }: { connection: Connection }) {
  const collection = invoiceCollection(connection);
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
    /** Invoices of all clients that wait for people, by state. */
    waiting: (): Promise<Waiting[]> => Promise.all(statesOfPeople.map(waitingIn)),
    /** How many invoices are overdue at `at`: their next step or rematch has been due for a minute. At most 20,000. */
    async countOverdue(at: Date): Promise<number> {
      const due = { $gt: epoch, $lte: new Date(at.getTime() - overdueAfterMs) };
      const [steps, rematches] = await Promise.all([
        collection.countDocuments({ due_at: due }, { hint: 'due', limit: countedAtMost }),
        collection.countDocuments({ rematch_at: due }, { hint: 'rematch', limit: countedAtMost }),
      ]);
      return steps + rematches;
    },
  };
}
