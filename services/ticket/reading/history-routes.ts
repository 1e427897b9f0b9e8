import { answer, named, type Route, route } from '@app/http';
import Joi from 'joi';
import { type TicketDocument, visibleDocuments } from '../documents/document.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { text, written } from '../http/answer-schemas.ts';
import type { InvoiceLineStore } from '../invoices/invoice-line-store.ts';
import type { PurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import { earlierItems, type HistoryItem, historyOperations, ofCompany, visibleEntries } from '../tickets/history.ts';
import { type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import { onTicket, type TicketDeps, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { ticketStatus } from './ticket-schemas.ts';

type Deps = TicketDeps & {
  documents: Pick<DocumentStore, 'list'>;
  purchases: Pick<PurchaseProjectionStore, 'listByTicket'>;
  invoices: Pick<InvoiceLineStore, 'listByTicket'>;
};
type Query = { limit: number; cursor?: string };

/** How many documents are read: the first page of the Documents tab. */
const maxDocuments = 1_000;

const item = named('TicketHistoryItem', {
  _id: Joi.string(),
  at: Joi.string().isoDate(),
  by: answer({ _id: text, firstName: written, lastName: written, company_id: Joi.string() })
    .allow(null)
    .description(
      'who did it, without names where only the company is known; null: a timer, or nobody that you may know of',
    ),
  operation: Joi.string()
    .valid(...historyOperations)
    .description('an operation of docs/ticket-status.md, or what else happened'),
  from: ticketStatus.allow(null).description('your own status before; null if it did not change'),
  to: ticketStatus.allow(null),
  text: written.description('a reason, a reference, the name of a file, the names of fields, or the time of a date'),
});

const query = Joi.object<Query>({
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: Joi.string()
    .pattern(/^\d{1,15}-[0-9a-f]{24}$/)
    .messages({ 'string.pattern.base': '{{#label}} is no cursor of this list' })
    .description('the `cursor` of the previous page'),
});

/** The history of a ticket, as far as the reader may see it. */
export function historyRoutes(deps: Deps): Route[] {
  return [
    route<TicketParams, Query, object, Ticket>({
      ...onTicket(deps),
      path: `${ticketPath}/history`,
      tag: 'Tickets',
      method: 'get',
      summary: 'Read the history of a ticket, oldest first',
      description:
        'Moves are kept since this operation exists, the last 500 of a ticket; what else a ticket holds is listed from its beginning.',
      query,
      reply: { status: 200, schema: answer({ items: Joi.array().items(item), cursor: text }) },
      async handle({ resource: ticket, caller, query: { limit, cursor } }) {
        const own = viewOfCompany(ticket, caller.companyId) as View;
        const all = (await historyOf(deps, ticket, own)).sort((one, other) =>
          cursorOf(one) < cursorOf(other) ? -1 : 1,
        );
        const left = cursor === undefined ? all : all.filter((one) => cursorOf(one) > padded(cursor));
        const items = left.slice(0, limit);
        const last = items.at(-1);
        return { items, cursor: left.length > limit && last ? `${last.at.getTime()}-${last._id}` : null };
      },
    }),
  ];
}

async function historyOf(deps: Deps, ticket: Ticket, own: View): Promise<HistoryItem[]> {
  const companyId = own.company_id as string;
  const views = own.role === 'client' ? undefined : [own._id];
  const [entries, documents, purchases, invoices] = await Promise.all([
    deps.tickets.history(ticket._id),
    deps.documents.list(ticket._id, visibleDocuments(ticket, own), { limit: maxDocuments }),
    ticket.has_purchases ? deps.purchases.listByTicket([ticket._id], companyId) : null,
    ticket.has_invoices ? deps.invoices.listByTicket([ticket._id], views) : null,
  ]);
  const beside = (given: Omit<HistoryItem, 'from' | 'to'>): HistoryItem => ({ ...given, from: null, to: null });
  return [
    ...visibleEntries(entries, ticket, own),
    ...earlierItems(entries, ticket, own),
    ...documents
      .filter(isPlain)
      .map(({ _id, added_at: at, company_id, file }) =>
        beside({ _id, at, by: ofCompany(company_id), operation: 'add_document', text: file.name }),
      ),
    ...(purchases?.get(ticket._id) ?? []).map(({ _id, created_at, buyer_company_id, created_by, kind, reference }) =>
      beside({
        _id,
        at: new Date(created_at),
        by: ofCompany(buyer_company_id, created_by),
        operation: 'add_purchase',
        text: `${kind} ${reference}`,
      }),
    ),
    ...(invoices?.get(ticket._id) ?? []).map(({ _id, added_at, reference }) =>
      beside({ _id, at: new Date(added_at), by: null, operation: 'add_invoice', text: reference }),
    ),
  ];
}

/** Whether a document is one of its own, not the file of a purchase document. */
function isPlain({ kind }: TicketDocument): boolean {
  return kind === 'document';
}

/** In order of time, then of ids. */
function cursorOf({ at, _id }: HistoryItem): string {
  return padded(`${at.getTime()}-${_id}`);
}

function padded(cursor: string): string {
  return cursor.padStart(40, '0');
}
