import { AppError } from '@app/kernel';
import { createBatcher } from '@app/runtime';
import type { ClientSession, Connection } from 'mongoose';
import type { Ticket } from './ticket.ts';
import { bucketIn } from './ticket-buckets-store.ts';
import { ticketModel } from './ticket-model-store.ts';

/**
 * The time of tickets beside which something is written: `updated_at` moves with it, since whoever looks for what changed
 * must find it. No part of the ticket itself changes, so its version stays.
 */
export type TicketTimes = {
  /**
   * Moves the time of a ticket on within a transaction, whose other writes take effect at that time.
   * @returns the ticket as it is from then on @throws AppError not_found `ticket_not_found`
   */
  advance(ticketId: string, session: ClientSession): Promise<Ticket>;
  /** The same before a note is written, outside of a transaction, with a place for it; null where it holds `most` already. */
  reserveNote(ticketId: string, most: number): Promise<Ticket | null>;
  /** The same after something was written: to `atLeast` or later. With `ifBefore`, only a ticket that lay before that. */
  advanceTo(ticketId: string, atLeast: Date, options?: { ifBefore: Date }): Promise<void>;
};

type Following = { ticketId: string; atLeast: Date; ifBefore?: Date };

const asItIsThen = { returnDocument: 'after', projection: { outbox: 0 } } as const;
const followedAtOnce = 100;
const pauseMs = 5;

export function createTicketTimes({ connection, now }: { connection: Connection; now: () => Date }): TicketTimes {
  const tickets = ticketModel(connection).collection;

  async function followAll(all: Following[]): Promise<undefined[]> {
    const updates = all.map(({ ticketId, atLeast, ifBefore }) => ({
      updateOne: {
        filter: { _id: ticketId, ...(ifBefore ? { updated_at: { $lt: ifBefore } } : {}) },
        update: [{ $set: { updated_at: later(now(), atLeast) } }, inBucket],
      },
    }));
    await tickets.bulkWrite(updates as never, { ordered: false });
    return all.map(() => undefined);
  }
  const follows = createBatcher({ maxBatch: followedAtOnce, maxDelayMs: pauseMs, run: followAll });

  return {
    async advance(ticketId, session) {
      const change = [{ $set: { updated_at: later(now()) } }, inBucket];
      const found = await tickets.findOneAndUpdate({ _id: ticketId } as never, change, { ...asItIsThen, session });
      if (found) return found as unknown as Ticket;
      throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    },
    async reserveNote(ticketId, most) {
      const room = { _id: ticketId, note_count: { $lt: most } };
      const change = [{ $set: { updated_at: later(now()), note_count: { $add: ['$note_count', 1] } } }, inBucket];
      return (await tickets.findOneAndUpdate(room as never, change, asItIsThen)) as unknown as Ticket | null;
    },
    advanceTo: (ticketId, atLeast, options) => follows.add({ ticketId, atLeast, ...options }),
  };
}

const inBucket = { $set: { updated_bucket: bucketIn('$updated_at') } };

/** `nextTime`, as MongoDB computes it on the ticket as it is. */
function later(...times: Date[]): object {
  return { $max: [...times, { $add: ['$updated_at', 1] }] };
}
