import type { InvoiceLineSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { TicketSummary, TicketSummaryStore } from '../tickets/stores/ticket-summary-store.ts';
import type { TicketTimes } from '../tickets/stores/ticket-times-store.ts';
import { nextTime } from '../tickets/ticket.ts';
import { type InvoiceLine, lineEvents, viewOf } from './invoice-line.ts';
import type { InvoiceLineStore } from './invoice-line-store.ts';

/**
 * Projects invoice lines onto tickets. A newer version is saved and published once; an older one
 * that comes late changes nothing.
 */
export type InvoiceLineProjection = ReturnType<typeof createInvoiceLineProjection>;

type Deps = {
  store: InvoiceLineStore;
  summaries: TicketSummaryStore;
  times: Pick<TicketTimes, 'advanceTo'>;
  now: () => Date;
};

export function createInvoiceLineProjection({ store, summaries, times, now }: Deps) {
  async function apply(snapshot: InvoiceLineSnapshot, ticket: TicketSummary, current?: InvoiceLine | null) {
    const { line } = snapshot;
    if (line && !viewOf(ticket, line.view_id)) {
      throw new AppError('not_found', 'view_not_found', 'this ticket has no such view');
    }
    if (line) await summaries.setFlag(ticket, 'has_invoices');
    const at = nextTime(ticket, now());
    const saved = await store.saveIfNewer(snapshot, {
      at,
      current,
      events: (...change) => lineEvents(...change, ticket),
    });
    if (saved) await advanceTickets(saved);
  }

  /** Moves the times of the tickets that gained or lost the line; after it is saved, so that their readers see it. */
  async function advanceTickets(line: InvoiceLine, options?: { ifBefore: Date }): Promise<void> {
    const { ticket_id, former_ticket_id = null, kept_at } = line;
    const tickets = new Set([ticket_id, former_ticket_id].filter((id) => id !== null));
    if (kept_at) await Promise.all([...tickets].map((id) => times.advanceTo(id, kept_at, options)));
  }

  async function removeFromTicket(snapshot: InvoiceLineSnapshot, current: InvoiceLine | null): Promise<void> {
    const saved = await store.saveIfNewer(snapshot, { at: now(), current, events: () => [] });
    if (saved) await advanceTickets(saved);
  }

  return {
    /** Puts the line on its view, or removes it. @throws AppError not_found `view_not_found` */
    apply: (snapshot: InvoiceLineSnapshot, ticket: TicketSummary): Promise<void> => apply(snapshot, ticket),
    /** Reconciliation has lost the invoice by a restore: its line is removed, at that version. */
    async markLost(invoice_id: string, version: number): Promise<void> {
      const current = await store.find(invoice_id);
      if (!current) return;
      const moved = { moved_at: now().toISOString(), moved_by: null };
      const { client_id } = current;
      await removeFromTicket({ invoice_id, client_id, version, line: null, ...moved }, current);
    },
    /** The same for a snapshot that comes by event. @throws AppError not_found `ticket_not_found`, `view_not_found` */
    async applyEvent(snapshot: InvoiceLineSnapshot): Promise<void> {
      const current = await store.find(snapshot.invoice_id);
      if (current && current.version >= snapshot.version) {
        // The process that saved it may have died before it moved the times.
        return current.kept_at && advanceTickets(current, { ifBefore: current.kept_at });
      }
      if (snapshot.line === null) return removeFromTicket(snapshot, current);
      const ticket = await summaries.find(snapshot.line.ticket_id);
      if (ticket?.client_id !== snapshot.client_id) {
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket of this client');
      }
      await apply(snapshot, ticket, current);
    },
  };
}
