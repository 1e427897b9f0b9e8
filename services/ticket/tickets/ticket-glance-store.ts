import { createBatcher, majorityRead } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Quote, Ticket } from './ticket.ts';
import type { Viewer } from './ticket-filters.ts';
import { ticketModel } from './ticket-model-store.ts';
import { createTicketReads } from './ticket-reads-store.ts';

/** What others need of a ticket to work beside it: far less than the whole. */
export type TicketGlance = Pick<
  Ticket,
  '_id' | 'number' | 'title' | 'version' | 'updated_at' | 'client_id' | 'views' | TicketMark
> & { quotes: Pick<Quote, '_id' | 'contractor_id'>[] };

/** What a ticket may carry that stands in a collection of its own. */
export type TicketMark = 'has_purchases' | 'has_invoices';

export type TicketGlances = {
  /** As far as this company sees the ticket; without a viewer: the ticket, whoever sees it. */
  find(id: string, viewer?: Viewer): Promise<TicketGlance | null>;
  /**
   * Says that reads of this ticket must look for more. It is no change of the ticket, and is written before what it
   * points at: whatever a crash leaves in between costs a look in vain, never a purchase document or line that nobody sees.
   */
  mark(ticket: TicketGlance, mark: TicketMark): Promise<void>;
};

const markedAtOnce = 100;
const pauseMs = 5;

const glance = {
  number: 1,
  title: 1,
  version: 1,
  updated_at: 1,
  client_id: 1,
  views: 1,
  'quotes._id': 1,
  'quotes.contractor_id': 1,
  has_purchases: 1,
  has_invoices: 1,
} as const;

export function createTicketGlances({ connection }: { connection: Connection }): TicketGlances {
  const tickets = ticketModel(connection).collection;
  // A mark that is read is not written again: one that an election may take back must not be seen.
  const reads = createTicketReads<TicketGlance>(connection, glance, majorityRead);

  async function markAll(ids: string[], mark: TicketMark): Promise<undefined[]> {
    await tickets.updateMany({ _id: { $in: ids } } as never, { $set: { [mark]: true } });
    return ids.map(() => undefined);
  }

  const marksOf = (mark: TicketMark) =>
    createBatcher({ maxBatch: markedAtOnce, maxDelayMs: pauseMs, run: (ids: string[]) => markAll(ids, mark) });
  const marks = { has_purchases: marksOf('has_purchases'), has_invoices: marksOf('has_invoices') };

  return {
    find: reads.find,
    async mark(ticket, mark) {
      if (!ticket[mark]) await marks[mark].add(ticket._id);
    },
  };
}
