import { type InvoiceLineSnapshot, invoiceLineSchema } from '@app/contracts';
import { id, type Route, route } from '@app/http';
import { AppError, type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { TicketSummary, TicketSummaryStore } from '../tickets/stores/ticket-summary-store.ts';
import { loadVisibleSummary } from '../tickets/ticket-route-base.ts';
import type { InvoiceLineProjection } from './invoice-line-projection.ts';

type Deps = { summaries: TicketSummaryStore; invoiceLineProjection: InvoiceLineProjection };
type Params = { ticket_id: string; invoice_id: string };

/** The route by which reconciliation pushes a line before it replies to a link or unlink, so that the next read shows it. */
export function invoiceLineRoutes({ summaries, invoiceLineProjection }: Deps): Route[] {
  return [
    route<Params, object, InvoiceLineSnapshot, TicketSummary>({
      host: 'internal',
      method: 'put',
      path: '/internal/tickets/:ticket_id/invoice-lines/:invoice_id',
      summary: 'Take over the line of an invoice at its version',
      description: 'With `line` null the path names the ticket on which it was.',
      tag: 'Internal',
      access: { permission: null },
      params: Joi.object<Params>({ ticket_id: id.required(), invoice_id: id.required() }),
      async load({ params, caller }) {
        const ticket = await loadVisibleSummary(summaries, params.ticket_id, caller);
        if (ticket.client_id === caller.companyId) return ticket;
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket of this client');
      },
      // A newer reconciliation may send more fields; the consumer of its events accepts them too.
      body: invoiceLineSchema.prefs({ allowUnknown: true }),
      reply: { status: 204 },
      async handle({ resource: found, params, body }) {
        checkIds(params, body);
        if (body.client_id !== found.client_id) {
          throw new AppError('not_found', 'invoice_not_found', 'there is no such invoice');
        }
        await invoiceLineProjection.apply(body, found);
      },
    }),
  ];
}

/** @throws ValidationError if the body names another ticket or invoice than the path */
function checkIds({ ticket_id, invoice_id }: Params, { invoice_id: invoice, line }: InvoiceLineSnapshot): void {
  const fault = (path: string): FieldError => ({ path, message: `${path} names something else than the path` });
  const errors = [
    ...(invoice === invoice_id ? [] : [fault('invoice_id')]),
    ...(line === null || line.ticket_id === ticket_id ? [] : [fault('line.ticket_id')]),
  ];
  if (errors.length > 0) throw new ValidationError(errors);
}
