import { oneOf } from '@app/contracts';
import { answer, freeText, named, nullableString, type Route, route } from '@app/http';
import Joi from 'joi';
import { type HistoryItem, historyOperations } from '../tickets/history.ts';
import { type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import { onTicket, type TicketDeps, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { type HistoryDeps, historyOf } from './ticket-history.ts';
import { ticketStatus } from './ticket-schemas.ts';

type Deps = TicketDeps & HistoryDeps;
type Query = { limit: number; cursor?: string };

const item = named('TicketHistoryItem', {
  _id: Joi.string().description('of a document, a purchase document or an invoice: its own id'),
  at: Joi.string().isoDate(),
  by: answer({ _id: nullableString, firstName: freeText, lastName: freeText, company_id: Joi.string() })
    .allow(null)
    .description(
      'who did it, without names where only the company is known; null: a timer, or nobody that you may know of',
    ),
  operation: oneOf(historyOperations).description('an operation of docs/ticket-status.md, or what else happened'),
  from: ticketStatus.allow(null).description('your own status before; null if it did not change'),
  to: ticketStatus.allow(null),
  text: freeText.description('a reason, a reference, the name of a file, the names of fields, or the time of a date'),
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
      reply: { status: 200, schema: answer({ items: Joi.array().items(item), cursor: nullableString }) },
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

/** In order of time, then of ids. */
function cursorOf({ at, _id }: HistoryItem): string {
  return padded(`${at.getTime()}-${_id}`);
}

function padded(cursor: string): string {
  return cursor.padStart(40, '0');
}
