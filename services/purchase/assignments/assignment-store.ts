import { createBatcher, findManyRaw } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type Assignment, type AssignmentHistory, noHistory } from './assignment.ts';

/** A ticket, and the company whose documents on it are addressed to who is assigned. */
export type ClientTicket = { ticketId: string; clientId: string };
export type DueTicket = ClientTicket & { history: AssignmentHistory; checkAt: Date };

export type AssignmentStore = {
  /** Keeps an assignment, once; all that was heard of the ticket by then. To be looked at again at `checkAt`. */
  record(ticket: ClientTicket, assignment: Assignment, checkAt: Date): Promise<AssignmentHistory>;
  /** What was heard of a ticket; those asked for at once are one query. */
  history(ticketId: string): Promise<AssignmentHistory>;
  /** Tickets that are due to be looked at again, the oldest first. */
  due(now: Date, limit: number): Promise<DueTicket[]>;
  /** It was looked at, unless another assignment was heard meanwhile. */
  checked(due: DueTicket): Promise<void>;
};

type Stored = { _id: string; client_id: string; newest: Assignment; contractors: Assignment[]; check_at?: Date };

/** Of a ticket, the newest: a document waits for the first one after it, and few tickets see more than two. */
const assignmentsKept = 100;
const askedAtOnce = 100;
const pauseMs = 2;

const schema = new Schema<Stored>(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'assignments', strict: false },
);
schema.index({ check_at: 1 }, { name: 'check', sparse: true });

const shown = { newest: 1, contractors: 1 } as const;

/** One document per ticket that was ever assigned. */
export function createAssignmentStore({ connection }: { connection: Connection }): AssignmentStore {
  const assignments = connection.model<Stored>('Assignment', schema).collection;

  async function heardOf(ticketIds: string[]): Promise<AssignmentHistory[]> {
    const filter = { _id: { $in: [...new Set(ticketIds)] } };
    const all = await findManyRaw<Stored>(assignments, { filter, projection: shown });
    const byTicket = new Map(all.map((one) => [one._id, heardIn(one)]));
    return ticketIds.map((id) => byTicket.get(id) ?? noHistory);
  }

  const questions = createBatcher({ maxBatch: askedAtOnce, maxDelayMs: pauseMs, run: heardOf });
  return {
    async record({ ticketId, clientId }, assignment, checkAt) {
      const set = { client_id: clientId, ...keeping(assignment), check_at: checkAt };
      const options = { upsert: true, returnDocument: 'after', projection: shown } as const;
      const found = await assignments.findOneAndUpdate({ _id: ticketId } as never, [{ $set: set }] as never, options);
      return heardIn(found as unknown as Stored);
    },
    history: (ticketId) => questions.add(ticketId),
    async due(now, limit) {
      const found = assignments.find({ check_at: { $lte: now } } as never).sort({ check_at: 1 });
      const all = (await found.limit(limit).toArray()) as unknown as Required<Stored>[];
      return all.map((one) => {
        const { _id: ticketId, client_id: clientId, check_at: checkAt } = one;
        return { ticketId, clientId, checkAt, history: heardIn(one) };
      });
    },
    async checked({ ticketId, checkAt }) {
      const filter = { _id: ticketId, check_at: checkAt };
      await assignments.updateOne(filter as never, { $unset: { check_at: true } } as never);
    },
  };
}

function heardIn({ newest, contractors }: Stored): AssignmentHistory {
  return { newest, assignments: contractors };
}

/** The newest stays the newest, whenever it was heard; one that names a contractor is put among its like, once, in their order. */
function keeping(assignment: Assignment): object {
  const isNewer = { $gt: [assignment.version, { $ifNull: ['$newest.version', noHistory.newest.version] }] };
  const newest = { $cond: [isNewer, { $literal: assignment }, '$newest'] };
  const before = { $ifNull: ['$contractors', []] };
  const all = assignment.contractor_id === null ? before : { $setUnion: [before, [{ $literal: assignment }]] };
  const contractors = { $slice: [{ $sortArray: { input: all, sortBy: { version: 1 } } }, -assignmentsKept] };
  return { newest, contractors };
}
