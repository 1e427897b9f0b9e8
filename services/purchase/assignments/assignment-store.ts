import { collectionOf, documentSchema } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type Assignment, type AssignmentHistory, noHistory } from './assignment.ts';

/** A ticket and its client, whose documents on it get a supplier by assignments. */
export type ClientTicket = { ticketId: string; clientId: string };
export type DueTicket = ClientTicket & { history: AssignmentHistory; checkAt: Date };

export type AssignmentStore = ReturnType<typeof createAssignmentStore>;

type Stored = { _id: string; client_id: string; newest: Assignment; assignments: Assignment[]; check_at?: Date };

/**
 * How many assignments of a ticket are kept, the newest ones. A document takes the first one after
 * its creation, and few tickets have more than two.
 */
const maxAssignments = 100;

const schema = documentSchema<Stored>('assignments');
schema.index({ check_at: 1 }, { name: 'check', sparse: true });

const projection = { newest: 1, assignments: 1 } as const;

/** One document for each ticket that was ever assigned. */
export function createAssignmentStore({ connection }: { connection: Connection }) {
  // By the driver: Mongoose casts no pipelines.
  const assignments = collectionOf(connection.model<Stored>('Assignment', schema));
  return {
    /** Saves an assignment, once. To be checked again at `checkAt`. @returns all assignments received so far */
    async record(
      { ticketId, clientId }: ClientTicket,
      assignment: Assignment,
      checkAt: Date,
    ): Promise<AssignmentHistory> {
      const set = { client_id: clientId, ...withAssignment(assignment), check_at: checkAt };
      const options = { upsert: true, returnDocument: 'after', projection } as const;
      return historyOf(await assignments.findOneAndUpdate({ _id: ticketId }, [{ $set: set }], options));
    },
    /** All assignments of a ticket received so far. */
    history: async (ticketId: string): Promise<AssignmentHistory> =>
      historyOf(await assignments.findOne({ _id: ticketId }, { projection })),
    /** Tickets that are due to be checked again, the oldest first. */
    async due(now: Date, limit: number): Promise<DueTicket[]> {
      const found = assignments.find({ check_at: { $lte: now } }).sort({ check_at: 1 });
      return (await found.limit(limit).toArray()).map((stored) => ({
        ticketId: stored._id,
        clientId: stored.client_id,
        history: historyOf(stored),
        checkAt: stored.check_at as Date,
      }));
    },
    /** Marks it as checked, unless another assignment was received meanwhile. */
    async checked({ ticketId, checkAt }: DueTicket): Promise<void> {
      await assignments.updateOne({ _id: ticketId, check_at: checkAt }, { $unset: { check_at: true } });
    },
  };
}

function historyOf(stored: Pick<Stored, 'newest' | 'assignments'> | null): AssignmentHistory {
  return stored ? { newest: stored.newest, assignments: stored.assignments } : noHistory;
}

/**
 * The update that adds an assignment, in whatever order assignments arrive: `newest` has the highest version, `assignments`
 * holds each one that names a contractor once, ascending by version.
 */
function withAssignment(assignment: Assignment): object {
  const isNewer = { $gt: [assignment.version, { $ifNull: ['$newest.version', noHistory.newest.version] }] };
  const newest = { $cond: [isNewer, { $literal: assignment }, '$newest'] };
  const before = { $ifNull: ['$assignments', []] };
  const all = assignment.contractor_id === null ? before : { $setUnion: [before, [{ $literal: assignment }]] };
  const assignments = { $slice: [{ $sortArray: { input: all, sortBy: { version: 1 } } }, -maxAssignments] };
  return { newest, assignments };
}
