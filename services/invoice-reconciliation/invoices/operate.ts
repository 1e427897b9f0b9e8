import { AppError } from '@app/kernel';
import { habitsOf } from '@app/matching';
import type { Logger } from '@app/runtime';
import type { TicketClient } from '../copies/ticket-client.ts';
import type { TicketCopies } from '../copies/ticket-copies-store.ts';
import type { TicketCopy } from '../copies/ticket-copy.ts';
import type { TicketKeeping } from '../copies/ticket-keeping-store.ts';
import type { Finder } from './find-ticket.ts';
import type { HabitStore } from './habit-store.ts';
import type { Invoice } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import { lineOf } from './line.ts';
import { clearReview, link, refuseUnlinkable, unlink } from './link.ts';

/** What operators do with an invoice; `token` is the internal token of their request. */
export type Operate = {
  /**
   * @throws AppError not_found `ticket_not_found`, `view_not_found`, conflict `invoice_state_forbidden`; unavailable
   * `service_unavailable`, timeout `service_timeout`, also where it is linked and the ticket could not be told
   */
  link(invoice: Invoice, to: { ticketId: string; viewId: string }, token: string): Promise<void>;
  /** @throws AppError conflict `invoice_state_forbidden`; unavailable and timeout as `link` */
  unlink(invoice: Invoice, token: string): Promise<void>;
  /** @throws AppError conflict `invoice_state_forbidden` */
  clear(invoice: Invoice): Promise<void>;
};

type Deps = {
  store: InvoiceStore;
  finder: Finder;
  habits: Pick<HabitStore, 'learn' | 'forget'>;
  tickets: Pick<TicketCopies, 'find'>;
  keeping: Pick<TicketKeeping, 'keepTicket'>;
  client: TicketClient;
  rematchDelayMs: number;
  logger: Logger;
  now: () => Date;
};

export function createOperate(deps: Deps): Operate {
  const { store, finder, habits, tickets, keeping, client, rematchDelayMs, logger, now } = deps;
  /** The copy or, where it lacks the ticket or the view, what its owner says, kept then. */
  async function ticketWith(
    clientId: string,
    { ticketId, viewId }: { ticketId: string; viewId: string },
    token: string,
  ) {
    const known = await tickets.find(clientId, ticketId);
    if (known && hasView(known, viewId)) return known;
    const facts = await client.facts(ticketId, token);
    if (facts?.client_id !== clientId) return null;
    await keeping.keepTicket(facts);
    return tickets.find(clientId, ticketId);
  }

  /**
   * Before the answer, so that the next read of the ticket shows it; also where nothing changed, since whoever changed it may
   * have failed to tell. Of an invoice that was unlinked the ticket that it was on last is told.
   */
  async function handOver(after: Invoice, token: string): Promise<void> {
    const ticketId = after.ticket_id ?? after.refused_tickets.at(-1);
    if (after.line_version > 0 && ticketId) await client.putLine(ticketId, lineOf(after), token);
  }

  /** What a person's link shows of its supplier. It only makes later suggestions better, so the link stands without it too. */
  async function learn({ _id, client_id, supplier_id, canonical }: Invoice, copy: TicketCopy | null): Promise<void> {
    try {
      if (copy === null || canonical === null || supplier_id === null) await habits.forget(client_id, _id);
      else {
        const shown = habitsOf(canonical, copy);
        await habits.learn({ clientId: client_id, contractorId: supplier_id, invoiceId: _id }, shown);
      }
    } catch (error) {
      logger.warn('nothing could be learned from a link', { invoiceId: _id, error });
    }
  }

  return {
    async link({ client_id, _id }, { ticketId, viewId }, token) {
      const copy = await ticketWith(client_id, { ticketId, viewId }, token);
      if (!copy || copy.facts.status === 'removed') {
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
      }
      if (!hasView(copy, viewId)) throw new AppError('not_found', 'view_not_found', 'this ticket has no such view');
      let before: Invoice | undefined;
      const after = await store.change(client_id, _id, async (invoice) => {
        before = invoice;
        refuseUnlinkable(invoice);
        return link(invoice, await finder.placeOn(invoice, copy, viewId), now());
      });
      if (after !== before) await learn(after, copy);
      logger.info('invoice linked', { invoiceId: _id, ticketId, viewId });
      await handOver(after, token);
    },
    async unlink({ client_id, _id }, token) {
      let before: Invoice | undefined;
      const after = await store.change(client_id, _id, (invoice) => {
        before = invoice;
        return unlink(invoice, new Date(now().getTime() + rematchDelayMs), now());
      });
      await learn(after, null);
      logger.info('invoice unlinked', { invoiceId: _id, ticketId: before?.ticket_id });
      await handOver(after, token);
    },
    async clear({ client_id, _id }) {
      const later = new Date(now().getTime() + rematchDelayMs);
      await store.change(client_id, _id, (invoice) => clearReview(invoice, later, now()));
      logger.info('review of an invoice cleared', { invoiceId: _id });
    },
  };
}

function hasView({ facts }: TicketCopy, viewId: string): boolean {
  return facts.views.some(({ id }) => id === viewId);
}
