import type { DomainEvent } from '@app/contracts';
import { createBatches } from '@app/runtime';
import { type ClientSession, type Connection, mongo } from 'mongoose';
import type { Ticket } from './ticket.ts';
import { ticketModel } from './ticket-model-store.ts';

/** A write of a ticket that nobody wrote since it was read. */
export type TicketWrite = { before: Pick<Ticket, '_id' | 'version'>; update: object; events: DomainEvent[] };

/** A write that stands or falls with another, in its transaction. */
export type Alongside = (session: ClientSession) => Promise<void>;

export type TicketWrites = {
  /** False where somebody else wrote in between: then nothing was written. */
  save(write: TicketWrite, alongside?: Alongside): Promise<boolean>;
};

/** Whether it was written, or why that failed. */
type Outcome = boolean | Error;

const writtenAtOnce = 100;
const pauseMs = 5;

/**
 * What is written at once is one command. It tells how many of its writes found their ticket, not which: where not all did,
 * the events tell, which stand in the outbox of a ticket that was written and stay there until they are published, which
 * those who wrote them have yet to ask for (the sweep leaves them alone for seconds).
 */
export function createTicketWrites(connection: Connection): TicketWrites {
  const tickets = ticketModel(connection).collection;

  async function alone({ before, update }: TicketWrite, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    const { modifiedCount } = await tickets.updateOne(asRead(before), update as never, options);
    return modifiedCount === 1;
  }

  async function withAlongside(write: TicketWrite, alongside: Alongside): Promise<boolean> {
    return (await connection.transaction(async (session) => {
      const saved = await alone(write, session);
      if (saved) await alongside(session);
      return saved;
    })) as unknown as boolean;
  }

  async function together(writes: TicketWrite[]): Promise<Outcome[]> {
    if (writes.length === 1) return [await alone(writes[0] as TicketWrite)];
    const updates = writes.map(({ before, update }) => ({ updateOne: { filter: asRead(before), update } }));
    let notWritten: Outcome = false;
    try {
      const { matchedCount } = await tickets.bulkWrite(updates as never, { ordered: false });
      if (matchedCount === writes.length) return writes.map(() => true);
    } catch (error) {
      // One that the database refuses is no reason to tell the others that they failed.
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      notWritten = error;
    }
    const written = await eventsIn(writes.map(({ before }) => before._id));
    return writes.map(({ events }) => written.has(events[0]?.id) || notWritten);
  }

  async function eventsIn(ids: string[]): Promise<Set<string | undefined>> {
    const found = tickets.find({ _id: { $in: ids } } as never, { projection: { 'outbox.id': 1 } });
    const outboxes = (await found.toArray()) as unknown as { outbox?: { id: string }[] }[];
    return new Set(outboxes.flatMap(({ outbox = [] }) => outbox.map(({ id }) => id)));
  }

  const batches = createBatches({ most: writtenAtOnce, longestPauseMs: pauseMs, run: together });
  return {
    async save(write, alongside) {
      if (alongside) return withAlongside(write, alongside);
      // One without events leaves nothing to be known by.
      if (write.events.length === 0) return alone(write);
      const outcome = await batches.add(write);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
}

function asRead({ _id, version }: TicketWrite['before']): never {
  return { _id, version } as never;
}
