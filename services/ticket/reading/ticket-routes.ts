import { id, type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { flag, timestamp } from '../http/joi-fields.ts';
import { page, paging } from '../http/paging.ts';
import { filterOnlyStatuses, statuses, type Ticket, typologies } from '../tickets/ticket.ts';
import type { ListQuery } from '../tickets/ticket-list-plan.ts';
import { onTicket, type TicketDeps, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { pageReply, ticketReply } from './ticket-schemas.ts';

/** What the routes of the collection have in common. */
export const list = {
  host: 'ticket',
  tag: 'Tickets',
  access: { permission: 'tickets' },
  path: '/api/v3.0/tickets',
} as const;

const known = [...statuses, ...filterOnlyStatuses] as readonly string[];
const statusList = Joi.string()
  .max(1_000)
  .custom((value: string, helpers) => {
    const keys = value.split(',').map((key) => key.trim());
    const unknown = keys.find((key) => !known.includes(key));
    return unknown === undefined
      ? keys
      : helpers.message({ custom: `{{#label}} holds an unknown status: ${unknown.slice(0, 50)}` });
  });

const typologyIds: readonly string[] = Object.values(typologies);

/** The id of a typology, in any case as ids are; gives it in lower case. */
export const typologyId = id
  .custom((value: string, helpers) =>
    typologyIds.includes(value) ? value : helpers.error('any.only', { valids: typologyIds }),
  )
  .description(`typology id: ${typologyIds.join(', ')}`);

const listQuery = Joi.object<ListQuery>({
  ...paging,
  created_after: timestamp.description('created at or after; milliseconds'),
  created_before: timestamp.description('created before; milliseconds'),
  updated_after: timestamp.description('updated after; milliseconds; a short window, never a date far in the past'),
  assigned_after: timestamp.description('assigned after; milliseconds'),
  client_id: id.description('for contractors only'),
  interventions: flag.description('only tickets that are no maintenance'),
  maintenances: flag.description('only maintenance tickets'),
  status: statusList.description('status keys, separated by commas'),
  typology: typologyId,
});

/** Finding and reading tickets (spec section 4.1). */
export function ticketRoutes({ tickets, views }: TicketDeps): Route[] {
  return [
    route<object, { ticket_number: string }>({
      ...list,
      path: '/api/v3.0/tickets/get-id-from-number',
      method: 'get',
      summary: 'Find the newest ticket of a number',
      query: Joi.object<{ ticket_number: string }>({ ticket_number: Joi.string().max(100).required() }),
      reply: { status: 200, schema: Joi.object({ ticket_id: Joi.string().required() }) },
      async handle({ query, caller }) {
        const found = await tickets.idOfNumber(query.ticket_number, caller);
        if (!found)
          throw new AppError(
            'not_found',
            'ticket_not_found',
            `no ticket of yours has the number ${query.ticket_number}`,
          );
        return { ticket_id: found };
      },
    }),
    route<object, ListQuery>({
      ...list,
      method: 'get',
      summary: 'List tickets',
      description:
        'Ascending by id. All filters combine with AND. Never use `updated_after` with a date far in the past.',
      query: listQuery,
      reply: { status: 200, schema: pageReply },
      async handle({ query, caller }) {
        if (query.client_id && caller.companyKind !== 'contractor') throw clientIdForContractors();
        const found = await tickets.list({ ...query, limit: query.limit + 1 }, caller);
        const { items, cursor } = page(found, query.limit);
        return { cursor, tickets: await views.page(items, caller) };
      },
    }),
    route<TicketParams, object, object, Ticket>({
      ...onTicket({ tickets }),
      path: ticketPath,
      tag: 'Tickets',
      method: 'get',
      summary: 'Read a ticket',
      reply: { status: 200, schema: ticketReply },
      handle: ({ resource: found, caller }) => views.one(found, caller),
    }),
  ];
}

/** `client_id` says whose tickets a contractor means; a client has only its own. */
export function clientIdForContractors(): AppError {
  return new AppError(
    'forbidden',
    'client_id_contractors_only',
    'client_id is for contractors; a client sees its own tickets',
  );
}
