import { AppError } from '@app/kernel';
import type { ClientSession, Connection } from 'mongoose';
import type { Ticket } from '../ticket.ts';
import { bucketIn, companiesIn, ticketCollection, withoutKeys } from './ticket-collection.ts';

/**
 * Moves `updated_at` of tickets when something is written beside them (notes, documents, purchases, invoice lines), so that
 * `updated_after` finds them. The ticket itself does not change, so its version stays.
 */
export type TicketTimes = ReturnType<typeof createTicketTimes>;

const returnUpdated = { returnDocument: 'after', projection: withoutKeys } as const;

export function createTicketTimes({ connection, now }: { connection: Connection; now: () => Date }) {
  const tickets = ticketCollection(connection);
  return {
    /**
     * Moves the time on within a transaction, whose other writes take effect at that time.
     * @returns the ticket with its new time
     * @throws AppError not_found `ticket_not_found`
     */
    async advance(ticketId: string, session: ClientSession): Promise<Ticket> {
      const update = [{ $set: { updated_at: later(now()) } }, setBucket];
      const ticket = await tickets.findOneAndUpdate({ _id: ticketId }, update, { ...returnUpdated, session });
      if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
      return ticket;
    },
    /** Moves the time on and counts one more note; null if the ticket has `maxNotes` already. */
    reserveNote(ticketId: string, maxNotes: number): Promise<Ticket | null> {
      const filter = { _id: ticketId, note_count: { $lt: maxNotes } };
      const set = { updated_at: later(now()), note_count: { $add: ['$note_count', 1] } };
      return tickets.findOneAndUpdate(filter, [{ $set: set }, setBucket], returnUpdated);
    },
    /**
     * Moves the time to `atLeast` or later, after something was written that counts with the ticket. With `ifBefore`: the time only if it is
     * earlier than that, as another process may have moved it; the ticket is counted again in either case.
     */
    async advanceTo(ticketId: string, atLeast: Date, options?: { ifBefore: Date }): Promise<void> {
      const moved = later(now(), atLeast);
      const isEarlier = options && { $lt: ['$updated_at', options.ifBefore] };
      const updated_at = isEarlier ? { $cond: [isEarlier, moved, '$updated_at'] } : moved;
      await tickets.updateOne({ _id: ticketId }, [{ $set: { updated_at, uncounted: companiesIn } }, setBucket]);
    },
  };
}

const setBucket = { $set: { updated_bucket: bucketIn('$updated_at') } };

/** `nextTime` as a MongoDB expression on the stored ticket. */
function later(...times: Date[]): object {
  return { $max: [...times, { $add: ['$updated_at', 1] }] };
}
