import type { InvoiceLineSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { TicketSummary, TicketSummaryStore } from '../tickets/ticket-summary-store.ts';
import { nextTime } from '../tickets/ticket-time.ts';
import type { TicketTimes } from '../tickets/ticket-times-store.ts';
import { type InvoiceLine, lineEvents, viewOf } from './invoice-line.ts';
import type { InvoiceLineStore } from './invoice-line-store.ts';

export type InvoiceLineProjection = {
  /** Puts the line on the view that it names, or takes it away. @throws AppError not_found `view_not_found` */
  apply(facts: InvoiceLineSnapshot, ticket: TicketSummary): Promise<void>;
  /** The same for what comes by event, often after the hand-over. @throws AppError not_found `ticket_not_found`, `view_not_found` */
  applyEvent(facts: InvoiceLineSnapshot): Promise<void>;
};

type Deps = {
  lines: InvoiceLineStore;
  glances: TicketSummaryStore;
  times: Pick<TicketTimes, 'advanceTo'>;
  now: () => Date;
};

/** What reconciliation hands over and its events repeat: each version of a line is kept and told once, in any order. */
export function createInvoiceLineProjection({ lines, glances, times, now }: Deps): InvoiceLineProjection {
  async function keep(facts: InvoiceLineSnapshot, ticket: TicketSummary, known?: InvoiceLine | null): Promise<void> {
    const { line } = facts;
    if (line && !viewOf(ticket, line.view_id)) {
      throw new AppError('not_found', 'view_not_found', 'this ticket has no such view');
    }
    if (line) await glances.setFlag(ticket, 'has_invoices');
    const at = nextTime(ticket, now());
    const kept = await lines.saveIfNewer(facts, { at, known, tell: (...change) => lineEvents(...change, ticket) });
    if (kept) await follow(kept);
  }

  /** Tickets that read otherwise with this version of the line. Only once it is kept: whoever reads them then sees it. */
  async function follow(line: InvoiceLine, options?: { ifBefore: Date }): Promise<void> {
    const { ticket_id, former_ticket_id = null, kept_at } = line;
    const tickets = new Set([ticket_id, former_ticket_id].filter((id) => id !== null));
    if (kept_at) await Promise.all([...tickets].map((id) => times.advanceTo(id, kept_at, options)));
  }

  async function keepNowhere(facts: InvoiceLineSnapshot, known: InvoiceLine | null): Promise<void> {
    const kept = await lines.saveIfNewer(facts, { at: now(), known, tell: () => [] });
    if (kept) await follow(kept);
  }

  return {
    apply: (facts, ticket) => keep(facts, ticket),
    async applyEvent(facts) {
      const known = await lines.find(facts.invoice_id);
      if (known && known.version >= facts.version) {
        // Kept by whom it was handed over to, who may have died before its tickets followed.
        return known.kept_at && follow(known, { ifBefore: known.kept_at });
      }
      if (facts.line === null) return keepNowhere(facts, known);
      const ticket = await glances.find(facts.line.ticket_id);
      if (ticket?.client_id !== facts.client_id) {
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket of this client');
      }
      await keep(facts, ticket, known);
    },
  };
}
