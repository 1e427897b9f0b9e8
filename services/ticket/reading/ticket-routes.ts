import { answer, documentedAs, id, type Route, route, sendVersion, timestamp } from '@app/http';
import { AppError, withPlainDashes } from '@app/kernel';
import Joi from 'joi';
import { flag } from '../http/joi-fields.ts';
import { paging } from '../http/paging.ts';
import { searchedKeys } from '../tickets/lists/list-keys.ts';
import type { ListQuery } from '../tickets/lists/ticket-list-plan.ts';
import { countedAtMost } from '../tickets/stores/ticket-queries-store.ts';
import { filterOnlyStatuses, priorities, statuses, type Ticket } from '../tickets/ticket.ts';
import {
  clientIdForContractors,
  contractorIdForClients,
  onTicket,
  type TicketParams,
  ticketPath,
  ticketsRoute,
  typologyId,
} from '../tickets/ticket-route-base.ts';
import type { PresentedTicketDeps } from './ticket-presenter.ts';
import { countsReply, pageReply, ticketReply } from './ticket-schemas.ts';

const maxWords = 10;

const knownStatuses = [...statuses, ...filterOnlyStatuses] as readonly string[];
const statusText = Joi.string()
  .max(1_000)
  .custom((value: string, helpers) => {
    const keys = value.split(',').map((key) => key.trim());
    const unknown = keys.find((key) => !knownStatuses.includes(key));
    return unknown === undefined
      ? keys
      : helpers.message({ custom: `{{#label}} holds an unknown status: ${unknown.slice(0, 50)}` });
  });
const statusList = documentedAs(statusText, {
  type: 'array',
  minItems: 1,
  items: { type: 'string', enum: knownStatuses },
});

const words = Joi.string()
  .max(100)
  .custom((value: string, helpers) => {
    const count = searchedKeys(value, '').length;
    if (count > 0 && count <= maxWords) return value;
    return helpers.message({ custom: `{{#label}} must hold 1 to ${maxWords} words of letters or digits` });
  });

const listQuery = Joi.object<ListQuery>({
  ...paging,
  created_after: timestamp.description('created at or after; milliseconds'),
  created_before: timestamp.description('created before; milliseconds'),
  updated_after: timestamp.description('updated after; milliseconds; a short window, never a date far in the past'),
  assigned_after: timestamp.description('assigned after; milliseconds'),
  client_id: id.description('for contractors only'),
  interventions: flag.description('only tickets that are no maintenance'),
  maintenances: flag.description('only maintenance tickets'),
  status: statusList.description(
    'status keys, separated by commas; created, accepted, expired and cashedby find nothing',
  ),
  typology: typologyId,
  q: words.description(
    'words of number and title, each by its beginning of 3 letters or more; words that are shorter or have a digit are found whole. Of a long title the first words are found, about 12',
  ),
  contractor_id: id.description('for clients only: has the ticket, or a proposal of it'),
  equipment_id: id,
  location_id: id,
  manager_id: id,
  priority: Joi.string().valid(...priorities),
  order: Joi.string().valid('asc', 'desc').description('by id: asc (default), or desc, the newest first'),
});

/** Finding, listing and reading tickets. */
export function ticketRoutes({ tickets, presenter }: PresentedTicketDeps): Route[] {
  return [
    route<object, { ticket_number: string }>({
      ...ticketsRoute,
      path: '/api/v3.0/tickets/get-id-from-number',
      method: 'get',
      summary: 'Find the newest ticket of a number',
      errors: ['404 ticket_not_found'],
      query: Joi.object<{ ticket_number: string }>({ ticket_number: Joi.string().max(100).required() }),
      reply: { status: 200, schema: answer({ ticket_id: Joi.string() }) },
      async handle({ query, caller }) {
        const found = await tickets.idOfNumber(withPlainDashes(query.ticket_number), caller);
        if (found) return { ticket_id: found };
        const message = `no ticket of yours has the number ${query.ticket_number}`;
        throw new AppError('not_found', 'ticket_not_found', message);
      },
    }),
    route({
      ...ticketsRoute,
      path: '/api/v3.0/tickets/counts',
      method: 'get',
      summary: 'Count your tickets by status',
      reply: { status: 200, schema: countsReply },
      handle: async ({ caller }) => ({ status: await tickets.counts(caller), limit: countedAtMost }),
    }),
    route<object, ListQuery>({
      ...ticketsRoute,
      method: 'get',
      summary: 'List tickets',
      description:
        'In order of ids. All filters combine with AND. A page of several of them may be short, or empty, and yet have a cursor: go on until it is null. Never use `updated_after` with a date far in the past.',
      query: listQuery,
      errors: ['403 client_id_contractors_only', '403 contractor_id_clients_only'],
      reply: { status: 200, schema: pageReply },
      async handle({ query, caller }) {
        if (query.client_id && caller.companyKind !== 'contractor') throw clientIdForContractors();
        if (query.contractor_id && caller.companyKind === 'contractor') throw contractorIdForClients();
        const { items, cursor } = await tickets.list(query, caller);
        return { cursor, tickets: await presenter.page(items, caller) };
      },
    }),
    route<TicketParams, object, object, Ticket>({
      ...onTicket({ tickets }),
      path: ticketPath,
      tag: 'Tickets',
      method: 'get',
      summary: 'Read a ticket',
      versioned: true,
      reply: { status: 200, schema: ticketReply },
      handle({ resource: found, caller, res }) {
        sendVersion(res, found.version);
        return presenter.one(found, caller);
      },
    }),
  ];
}
