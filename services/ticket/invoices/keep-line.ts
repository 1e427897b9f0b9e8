import type { InvoiceLineFacts } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { TicketGlance, TicketGlances } from '../tickets/ticket-glance-store.ts';
import { type InvoiceLine, lineEvents, viewOf } from './invoice-line.ts';
import type { InvoiceLines } from './invoice-line-store.ts';

export type LineKeeper = {
  /** Puts the line on the view that it names, or takes it away. @throws AppError not_found `view_not_found` */
  keep(facts: InvoiceLineFacts, ticket: TicketGlance): Promise<void>;
  /** The same for what comes by event, often after the hand-over. @throws AppError not_found `ticket_not_found`, `view_not_found` */
  keepFromEvent(facts: InvoiceLineFacts): Promise<void>;
};

type Deps = { lines: InvoiceLines; glances: TicketGlances };

/** What reconciliation hands over and its events repeat: each version of a line is kept and told once, in any order. */
export function createLineKeeper({ lines, glances }: Deps): LineKeeper {
  async function keep(facts: InvoiceLineFacts, ticket: TicketGlance, known?: InvoiceLine | null): Promise<void> {
    const { line } = facts;
    if (line && !viewOf(ticket, line.view_id)) {
      throw new AppError('not_found', 'view_not_found', 'this ticket has no such view');
    }
    if (line) await glances.mark(ticket, 'has_invoices');
    await lines.keep(facts, (before, after) => lineEvents(before, after, ticket), known);
  }

  return {
    keep: (facts, ticket) => keep(facts, ticket),
    async keepFromEvent(facts) {
      const known = await lines.find(facts.invoice_id);
      if (known && known.version >= facts.version) return;
      if (facts.line === null) return lines.keep(facts, () => [], known);
      const ticket = await glances.find(facts.line.ticket_id);
      if (ticket?.client_id !== facts.client_id) {
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket of this client');
      }
      await keep(facts, ticket, known);
    },
  };
}
