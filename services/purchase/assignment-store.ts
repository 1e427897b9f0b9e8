import { createBatches } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Assignment, Assignments } from './assignment.ts';

/** A ticket, and the company whose documents on it are addressed to who is assigned. */
export type ClientTicket = { ticketId: string; clientId: string };
export type Heard = ClientTicket & { assignments: Assignments; checkAt: Date };

export type AssignmentStore = {
  /** Keeps an assignment that named a contractor, once; all that were heard of the ticket by then. To be looked at again at `checkAt`. */
  keep(ticket: ClientTicket, assignment: Assignment, checkAt: Date): Promise<Assignments>;
  /** What was heard of a ticket; those asked for at once are one query. */
  heard(ticketId: string): Promise<Assignments>;
  /** Tickets that are due to be looked at again, the oldest first. */
  due(now: Date, limit: number): Promise<Heard[]>;
  /** It was looked at, unless another assignment was heard meanwhile. */
  checked(heard: Heard): Promise<void>;
};

type Stored = { _id: string; client_id: string; contractors: Assignment[]; check_at?: Date };

/** Of a ticket, the newest: a document waits for the first one after it, and few tickets see more than two. */
const assignmentsKept = 100;
const askedAtOnce = 100;
const pauseMs = 2;

const schema = new Schema<Stored>(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'assignments', strict: false },
);
schema.index({ check_at: 1 }, { name: 'check', sparse: true });

/** One document per ticket that was ever assigned. */
export function createAssignmentStore({ connection }: { connection: Connection }): AssignmentStore {
  const assignments = connection.model<Stored>('Assignment', schema).collection;

  async function heardOf(ticketIds: string[]): Promise<Assignments[]> {
    const filter = { _id: { $in: [...new Set(ticketIds)] } };
    const found = assignments.find(filter as never, { projection: { contractors: 1 } });
    const all = (await found.toArray()) as unknown as Stored[];
    const byTicket = new Map(all.map(({ _id, contractors }) => [_id, contractors]));
    return ticketIds.map((id) => byTicket.get(id) ?? []);
  }

  const questions = createBatches({ most: askedAtOnce, longestPauseMs: pauseMs, run: heardOf });
  return {
    async keep({ ticketId, clientId }, assignment, checkAt) {
      const set = { client_id: clientId, contractors: keeping(assignment), check_at: checkAt };
      const options = { upsert: true, returnDocument: 'after', projection: { contractors: 1 } } as const;
      const found = await assignments.findOneAndUpdate({ _id: ticketId } as never, [{ $set: set }] as never, options);
      return (found as unknown as Stored).contractors;
    },
    heard: (ticketId) => questions.add(ticketId),
    async due(now, limit) {
      const found = assignments.find({ check_at: { $lte: now } } as never).sort({ check_at: 1 });
      const all = (await found.limit(limit).toArray()) as unknown as Required<Stored>[];
      return all.map((one) => ({
        ticketId: one._id,
        clientId: one.client_id,
        assignments: one.contractors,
        checkAt: one.check_at,
      }));
    },
    async checked({ ticketId, checkAt }) {
      const filter = { _id: ticketId, check_at: checkAt };
      await assignments.updateOne(filter as never, { $unset: { check_at: true } } as never);
    },
  };
}

/** Put among its like, once, in their order, whenever it is heard. */
function keeping(assignment: Assignment): object {
  const all = { $setUnion: [{ $ifNull: ['$contractors', []] }, [{ $literal: assignment }]] };
  return { $slice: [{ $sortArray: { input: all, sortBy: { version: 1 } } }, -assignmentsKept] };
}
