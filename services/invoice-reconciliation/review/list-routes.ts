import type { Caller } from '@app/contracts';
import { answer, bearerToken, id, type Route, route } from '@app/http';
import { filterParameters, listRoutes } from '@app/http/lists';
import { AppError, type Condition, type Given } from '@app/kernel';
import { reasonWords } from '@app/kernel/words';
import { countedIds, countedParameters, type Statistics } from '@app/service/statistics';
import Joi from 'joi';
import { type Invoice, states } from '../invoices/invoice.ts';
import { invoiceList, parts } from '../invoices/invoice-list.ts';
import { signedAmounts } from '../invoices/linked-amounts.ts';
import { codedReason } from '../invoices/reason-code.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import { type InvoiceLists, type ListedInvoice, maxCounted } from './invoice-list-store.ts';
import { foundResponse, queuedResponse, reviewedResponse } from './invoice-responses.ts';
import { accountingRoute } from './invoice-route-base.ts';
import { foundSchema, queuedSchema, reviewedSchema } from './invoice-schemas.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';
import type { TicketClient } from './ticket-client.ts';
import type { VisibleInvoices } from './visible-invoices.ts';

type Deps = {
  lists: InvoiceLists;
  flagReplaced: FlagReplaced;
  visible: VisibleInvoices;
  tickets: Pick<TicketProjectionStore, 'findAll'>;
  client: Pick<TicketClient, 'places'>;
  statistics: Pick<Statistics, 'documents'>;
};

type Paging = { cursor?: string; limit: number };
type Filters = Given & { q?: string; place?: string; purchaseOrder?: string } & {
  [Name in 'countedIn' | 'countedOf' | 'countedFrom' | 'countedTo']?: string;
};

const paging = {
  cursor: Joi.string().max(500).description('the `nextCursor` of the page before'),
  limit: Joi.number().integer().min(1).max(200).default(50),
};
const filters = {
  q: Joi.string()
    .max(200)
    .description(
      'words of number, supplier name or SIREN, references and lines, each from its beginning on; an amount; or the number of its ticket, or a reference of that',
    ),
  place: id.description('where its ticket is, or above that'),
  purchaseOrder: Joi.string().max(100).description('the reference of a purchase order that it names'),
  ...countedParameters(
    parts,
    '/statistics/invoices',
    ([first = '', ...rest]) => `counted${first.toUpperCase()}${rest.join('')}`,
  ),
};

/** Lists of invoices. They come before what has an id in its path: `/invoices/search` would match `/invoices/:id`. */
export function invoiceListRoutes(deps: Deps): Route[] {
  return [...searchRoutes(deps), totalsRoute(deps), countsRoute(deps), queueRoute(deps), reviewRoute(deps)];
}

function queueRoute(deps: Deps): Route {
  return waitingRoute(deps, {
    path: '/invoices',
    summary: 'List the invoices that wait to be linked by hand',
    description: 'Those in state `ticket_unmatched`, oldest first, each with the tickets that it may belong to.',
    item: queuedSchema,
    view: queuedResponse,
    state: ['ticket_unmatched'],
  });
}

function reviewRoute(deps: Deps): Route {
  return waitingRoute(deps, {
    path: '/invoices/in-review',
    summary: 'List the invoices that wait for a person outside of the queue',
    description: 'Those in state `manual_review` or `error`, oldest first, each with its `reasons`.',
    item: reviewedSchema,
    view: reviewedResponse,
    state: ['error', 'manual_review'],
  });
}

type WaitingList = Pick<Route, 'path' | 'summary'> & {
  description: string;
  item: Joi.ObjectSchema;
  view: (invoice: Invoice) => object;
  state: string[];
};

function waitingRoute(deps: Deps, { item, view, state, ...described }: WaitingList): Route {
  return route<object, Paging>({
    ...accountingRoute,
    ...described,
    errors: ['422 invalid_cursor'],
    method: 'get',
    query: Joi.object<Paging>(paging),
    reply: { status: 200, schema: pageOf(item) },
    async handle({ caller, query }) {
      const waiting = { given: { state }, sort: { by: 'createdAt', descending: false } };
      const { items, nextCursor } = await deps.lists.read.page(caller.companyId, waiting, query);
      return { items: (await seen(deps, caller, items)).map(view), nextCursor };
    },
  });
}

function searchRoutes({ lists, ...deps }: Deps): Route[] {
  return listRoutes<ListedInvoice>({
    base: { ...accountingRoute, path: '/invoices/search', errors: ['403 limited_to_places'] },
    sheetPath: '/invoices/export',
    summary: ['Find invoices in any state', 'Download the invoices that a search finds, for a spreadsheet'],
    description: 'The newest first unless `sort` and `order` say otherwise. Filters combine with AND.',
    list: invoiceList,
    read: lists.read,
    byDefault: { by: 'createdAt', order: 'desc' },
    filters,
    conditionsOf(given, { caller, req, places }) {
      // By narrowing the range, the amounts of invoices elsewhere could be found out.
      if (caller.placeIds && (given['amountFrom'] ?? given['amountTo']) !== undefined) throw revealing();
      return conditionsOf(given, caller, places ?? bearerToken(req), { lists, ...deps });
    },
    permitSort({ by }, { caller }) {
      if (caller.placeIds && by !== 'createdAt') throw revealing();
    },
    show: async (found, { caller }) => (await seen(deps, caller, found)).map(foundResponse),
    rows: (found, { caller }) => rowsOf(caller, found, deps),
    item: foundSchema,
    names: { items: 'items', cursor: 'nextCursor', file: 'invoices' },
  });
}

const total = {
  currency: Joi.string().allow(null).description('null: invoices that could not be read'),
  count: Joi.number().integer(),
  ht: Joi.number(),
  tva: Joi.number(),
  ttc: Joi.number(),
};

function totalsRoute(deps: Deps): Route {
  return route<object, Filters>({
    ...accountingRoute,
    errors: ['422 list_too_broad'],
    method: 'get',
    path: '/invoices/totals',
    summary: 'Add up the invoices that a search finds',
    description:
      'By currency, since amounts of several currencies have no sum. Credit notes count negative. For a user limited to places of the invoices that this user sees.',
    query: Joi.object<Filters>({ ...filters, ...filterParameters(invoiceList) }),
    reply: { status: 200, schema: answer({ items: Joi.array().items(answer(total)) }) },
    async handle({ caller, query, req }) {
      const conditions = await conditionsOf(query, caller, bearerToken(req), deps);
      const seenOf = caller.placeIds && ((ids: string[]) => deps.visible.tickets(caller, ids));
      return { items: await deps.lists.totals(caller.companyId, query, conditions, seenOf) };
    },
  });
}

function countsRoute({ visible }: Deps): Route {
  return route({
    ...accountingRoute,
    method: 'get',
    path: '/invoices/counts',
    summary: 'Count invoices by state',
    reply: {
      status: 200,
      schema: answer({
        state: answer(Object.fromEntries(states.map((one) => [one, Joi.number().integer()]))),
        limit: Joi.number().integer().description('a state with so many has so many or more'),
      }),
    },
    handle: async ({ caller }) => ({ state: await visible.counts(caller), limit: maxCounted }),
  });
}

function pageOf(item: Joi.ObjectSchema) {
  return answer({ items: Joi.array().items(item), nextCursor: Joi.string().allow(null) });
}

/** Those of the invoices that the caller sees, as the caller sees them. */
async function seen(
  { visible, flagReplaced }: Pick<Deps, 'visible' | 'flagReplaced'>,
  caller: Caller,
  found: Invoice[],
) {
  return flagReplaced(caller.companyId, await visible.of(caller, found));
}

/** `below`: the places of the filter by one, or the token to ask for them. */
async function conditionsOf(
  { q, place, purchaseOrder, countedIn, countedOf: of, countedFrom: from, countedTo: to }: Filters,
  { companyId }: Caller,
  below: readonly string[] | string,
  { lists, client, statistics }: Pick<Deps, 'lists' | 'client' | 'statistics'>,
): Promise<Condition[]> {
  const places =
    place === undefined ? undefined : typeof below === 'string' ? await client.places(below, place) : below;
  const ids = await countedIds(statistics, companyId, { in: countedIn, of, from, to });
  const counted = ids ? [{ filter: { _id: { $in: ids } }, index: '_id_' }] : [];
  return [...counted, ...(await lists.conditionsOf(companyId, { text: q, places, purchaseOrder }))];
}

/** A cursor has the value that a page ended with, which may be that of an invoice on a hidden ticket. */
function revealing(): AppError {
  const message =
    'users who are limited to places list invoices in the order in which they were taken in, and not by amount';
  return new AppError('forbidden', 'limited_to_places', message);
}

/** Those of the invoices that the caller sees, with the number of their ticket, and codes in place of sentences. */
async function rowsOf(caller: Caller, found: Invoice[], { tickets, visible }: Pick<Deps, 'tickets' | 'visible'>) {
  const invoices = await visible.of(caller, found);
  const ids = [...new Set(invoices.flatMap(({ ticket_id }) => ticket_id ?? []))];
  const named = await tickets.findAll(caller.companyId, ids);
  const numbers = new Map(named.map(({ ticket }) => [ticket.id, ticket.number]));
  return invoices.map((invoice) => {
    const codes = invoice.reasons.map((reason) => codedReason(reason).code);
    const reasons = codes.map((code) => (code in reasonWords ? code : 'other'));
    const ticket_number = numbers.get(invoice.ticket_id ?? '') ?? null;
    const canonical = invoice.canonical && { ...invoice.canonical, amounts: signedAmounts(invoice.canonical) };
    return { ...invoice, canonical, reasons, ticket_number };
  });
}
