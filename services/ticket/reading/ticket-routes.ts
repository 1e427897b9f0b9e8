import { type Caller, oneOf } from '@app/contracts';
import { answer, documentedAs, type ErrorLine, id, type Route, route, sendVersion, timestamp } from '@app/http';
import { filterParameters, flag } from '@app/http/lists';
import { AppError, sortColumns, ValidationError, withPlainDashes } from '@app/kernel';
import { countedIds, countedParameters, type Statistics } from '@app/service/statistics';
import Joi from 'joi';
import { paging } from '../http/paging.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { parts } from '../statistics/ticket-entries.ts';
import { searchedKeys } from '../tickets/lists/list-keys.ts';
import { ticketList } from '../tickets/lists/ticket-list.ts';
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

export type ReadingDeps = PresentedTicketDeps & PermittedDeps;
type PermittedDeps = { referentials: Pick<ReferentialStore, 'placesBelow'>; statistics: Pick<Statistics, 'documents'> };

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

const amount = Joi.number().min(0).max(1e9);

/** What tickets can be filtered by. */
export const ticketFilters = {
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
  location_id: id.description('a place; for clients with the places below it'),
  equipment_id: id,
  manager_id: id,
  priority: oneOf(priorities),
  ...filterParameters(ticketList),
  overdue: flag.description('only tickets with a due date that has passed; to a contractor those that it has'),
  quote_from: amount.description('for clients only: has a quote of this price or more'),
  quote_to: amount.description('for clients only: has a quote of this price or less'),
  ...countedParameters(parts, '/statistics/tickets', (part) => `counted_${part}`),
};

/** The order by ids needs no column. */
const byId = 'created_at';
export const ticketSorting = {
  sort: Joi.string()
    .valid(byId, ...sortColumns(ticketList))
    .description('by default the order of ids, which is that of creation; `work_date` is for clients only'),
  order: Joi.string().valid('asc', 'desc').description('asc (default), or desc: the newest, highest or latest first'),
};

const listQuery = Joi.object<ListQuery>({
  ...paging,
  cursor: Joi.string()
    .max(300)
    .description('the `cursor` of the previous page: in order of ids the `_id` of its last item'),
  ...ticketFilters,
  ...ticketSorting,
});

/**
 * The query of a list, as this caller may make it, with the places below the one that it names.
 * @throws AppError forbidden; ValidationError for a cursor that is no id, in order of ids
 */
export async function permittedQuery(
  { sort, ...query }: ListQuery,
  { companyKind, companyId }: Caller,
  { referentials, statistics }: PermittedDeps,
): Promise<ListQuery> {
  if (query.client_id && companyKind !== 'contractor') throw clientIdForContractors();
  if (query.contractor_id && companyKind === 'contractor') throw contractorIdForClients();
  const { work_after, work_before, quote_from, quote_to } = query;
  const revealing = [work_after, work_before, quote_from, quote_to].some((given) => given !== undefined);
  if (companyKind === 'contractor' && (revealing || sort === 'work_date')) throw forClients();
  const { location_id, ...elsewhere } = query;
  const isTree = location_id !== undefined && companyKind === 'client';
  const location_ids = isTree ? await referentials.placesBelow(companyId, [location_id]) : [];
  const { counted_in, counted_of: of, counted_from: from, counted_to: to } = query;
  const ids = await countedIds(statistics, companyId, { in: counted_in, of, from, to });
  const placed: ListQuery = {
    ...(location_ids.length > 1 ? { ...elsewhere, location_ids } : query),
    ...(ids && { ids }),
  };
  const sorted: ListQuery = sort === undefined || sort === byId ? placed : { ...placed, sort };
  if (sorted.sort !== undefined || query.cursor === undefined) return sorted;
  const { value, error } = id.validate(query.cursor);
  if (error) throw new ValidationError([{ path: 'cursor', message: 'cursor must be 24 hexadecimal characters' }]);
  return { ...sorted, cursor: value };
}

/** Contractors must not learn when others work, or for how much. */
function forClients(): AppError {
  const message = 'sort=work_date, work_after, work_before, quote_from and quote_to are for clients';
  return new AppError('forbidden', 'clients_only', message);
}

export const listErrors: readonly ErrorLine[] = [
  '403 client_id_contractors_only',
  '403 contractor_id_clients_only',
  '403 clients_only',
  '422 list_too_broad',
];

/** Finding, listing and reading tickets. */
export function ticketRoutes({ tickets, presenter, ...deps }: ReadingDeps): Route[] {
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
      summary: 'Count your tickets by status, and those overdue',
      errors: ['422 list_too_broad'],
      reply: { status: 200, schema: countsReply },
      handle: async ({ caller }) => ({ ...(await tickets.counts(caller)), limit: countedAtMost }),
    }),
    route<object, ListQuery>({
      ...ticketsRoute,
      method: 'get',
      summary: 'List tickets',
      description:
        'In order of ids, unless `sort` says otherwise. All filters combine with AND. A page of several of them may be short, or empty, and yet have a cursor: go on until it is null. Never use `updated_after` with a date far in the past.',
      query: listQuery,
      errors: [...listErrors, '422 invalid_cursor'],
      reply: { status: 200, schema: pageReply },
      async handle({ query, caller }) {
        const permitted = await permittedQuery(query, caller, deps);
        const { items, cursor } = await tickets.list(permitted, caller);
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
