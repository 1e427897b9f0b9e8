import type { ContractorSnapshot, InvoiceLineSnapshot } from '@app/contracts';
import type { Logger } from '@app/runtime';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { nearAmounts } from '../projections/amount-key.ts';
import { sirenOf } from '../projections/directory-store.ts';
import type { DirtyTicket, TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { MatchQueries } from './match-query-store.ts';
import type { RematchMarks } from './rematch-mark-store.ts';
import { ticketGone } from './ticket-link.ts';

type Deps = {
  tickets: Pick<TicketProjectionStore, 'findDirty' | 'clearDirty'>;
  queries: Pick<MatchQueries, 'linkedTo'>;
  marks: RematchMarks;
  store: Pick<InvoiceStore, 'change' | 'find'>;
  /** From a change to the rematch, so that several changes are matched once. */
  rematchDelayMs: number;
  logger: Logger;
  now: () => Date;
};

const batchSize = 100;

/**
 * Has invoices of the queue matched again after changes of tickets and contractors. The change must be stored first: a match
 * that runs at the same time then sees either the change or the mark.
 */
export class RematchQueue {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async contractorChanged(contractor: ContractorSnapshot): Promise<void> {
    const { id, client_id } = contractor;
    const change = { client_id, siren: sirenOf(contractor), contractorIds: [id] };
    await this.#deps.marks.mark(change, this.#rematchAt());
  }

  /**
   * An invoice came to a ticket, or left it: for the others that may belong there something else is left of the order. All tickets
   * that it left count: it may have moved on before this event came.
   */
  async lineChanged({ client_id, invoice_id, version, line }: InvoiceLineSnapshot): Promise<void> {
    const { marks, store } = this.#deps;
    const isFirst = version === 1;
    const former = isFirst ? [] : ((await store.find(client_id, invoice_id))?.former_tickets ?? []);
    const ticketIds = distinct([...(line ? [line.ticket_id] : []), ...former]);
    if (ticketIds.length > 0) await marks.mark({ client_id, ticketIds }, this.#rematchAt());
  }

  /** Processes a batch of changed tickets. @returns how many */
  async queueRematches(): Promise<number> {
    const dirty = await this.#deps.tickets.findDirty(batchSize);
    const byClient = Map.groupBy(dirty, ({ client_id }) => client_id);
    let processed = 0;
    for (const [clientId, tickets] of byClient) processed += await this.#process(clientId, tickets);
    return processed;
  }

  async #process(client_id: string, tickets: DirtyTicket[]): Promise<number> {
    const { marks, tickets: projections, logger } = this.#deps;
    try {
      const change = {
        client_id,
        references: distinct(tickets.flatMap(({ keys }) => keys)),
        amounts: distinct(tickets.flatMap(({ amounts }) => nearAmounts(amounts))),
        ticketIds: tickets.map(({ _id }) => _id),
        contractorIds: distinct(tickets.flatMap(({ contractor_ids }) => contractor_ids)),
      };
      await marks.mark(change, this.#rematchAt());
      const moved = tickets.filter((ticket) => ticket.moved).map(({ _id }) => _id);
      if (moved.length > 0) await marks.countAgain(client_id, moved);
      await this.#reviewLinked(client_id, tickets);
      await projections.clearDirty(tickets);
      return tickets.length;
    } catch (error) {
      // They stay dirty, and the next round tries again.
      logger.warn('invoices of changed tickets could not be queued for matching', { clientId: client_id, error });
      return 0;
    }
  }

  /** Invoices on tickets that were removed or canceled need a person. */
  async #reviewLinked(clientId: string, tickets: DirtyTicket[]): Promise<void> {
    const { queries, store, now } = this.#deps;
    const closed = tickets.filter(({ open }) => !open).map(({ _id }) => _id);
    for (const { invoiceId, ticketId } of await queries.linkedTo(clientId, closed)) {
      await store.change(clientId, invoiceId, (invoice) => ticketGone(invoice, ticketId, now()), { write: null });
    }
  }

  #rematchAt(): Date {
    return new Date(this.#deps.now().getTime() + this.#deps.rematchDelayMs);
  }
}

function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
