import { createBatcher, majorityRead } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Quote, Ticket } from './ticket.ts';
import type { Viewer } from './ticket-list-plan.ts';
import { createTicketLoader } from './ticket-loader.ts';
import { ticketModel } from './ticket-model-store.ts';

/** What others need of a ticket to work beside it: far less than the whole. */
export type TicketSummary = Pick<
  Ticket,
  '_id' | 'number' | 'title' | 'version' | 'updated_at' | 'client_id' | 'views' | TicketFlag
> & { quotes: Pick<Quote, '_id' | 'contractor_id'>[] };

/** What a ticket may carry that stands in a collection of its own. */
export type TicketFlag = 'has_purchases' | 'has_invoices';

export type TicketSummaryStore = {
  /** As far as this company sees the ticket; without a viewer: the ticket, whoever sees it. */
  find(id: string, viewer?: Viewer): Promise<TicketSummary | null>;
  /**
   * Says that reads of this ticket must look for more. It is no change of the ticket, and is written before what it
   * points at: whatever a crash leaves in between costs a look in vain, never a purchase document or line that nobody sees.
   */
  setFlag(ticket: TicketSummary, mark: TicketFlag): Promise<void>;
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

export function createTicketSummaryStore({ connection }: { connection: Connection }): TicketSummaryStore {
  const tickets = ticketModel(connection).collection;
  // A mark that is read is not written again: one that an election may take back must not be seen.
  const reads = createTicketLoader<TicketSummary>(connection, glance, majorityRead);

  async function markAll(ids: string[], mark: TicketFlag): Promise<undefined[]> {
    await tickets.updateMany({ _id: { $in: ids } } as never, { $set: { [mark]: true } });
    return ids.map(() => undefined);
  }

  const marksOf = (mark: TicketFlag) =>
    createBatcher({ maxBatch: markedAtOnce, maxDelayMs: pauseMs, run: (ids: string[]) => markAll(ids, mark) });
  const marks = { has_purchases: marksOf('has_purchases'), has_invoices: marksOf('has_invoices') };

  return {
    find: reads.load,
    async setFlag(ticket, mark) {
      if (!ticket[mark]) await marks[mark].add(ticket._id);
    },
  };
}
