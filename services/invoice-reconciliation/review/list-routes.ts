import type { Caller } from '@app/contracts';
import { answer, bearerToken, type ErrorLine, id, type Route, responseSent, route } from '@app/http';
import {
  assertSheetHolds,
  filterParameters,
  inBatches,
  maxSheetRows,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetTypes,
  sortParameters,
} from '@app/http/lists';
import { AppError, type Given, type Sort } from '@app/kernel';
import Joi from 'joi';
import { type Invoice, states } from '../invoices/invoice.ts';
import { invoiceList } from '../invoices/invoice-list.ts';
import { codedReason } from '../invoices/reason-code.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import { type InvoiceFilters, type InvoiceLists, type ListedInvoice, maxCounted } from './invoice-list-store.ts';
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
};

type Paging = { cursor?: string; limit: number };
type Filters = Given & { q?: string; place?: string; purchaseOrder?: string; ticketNumber?: string };
type Sorted = { sort: string; order: 'asc' | 'desc' };

const paging = {
  cursor: Joi.string()
    .max(500)
    .description('the `nextCursor` of the page before, with the same filters and order'),
  limit: Joi.number().integer().min(1).max(200).default(50),
};
const filters = {
  q: Joi.string()
    .max(200)
    .description(
      'words of number, supplier name or SIREN, references and lines, each from its beginning on; an amount; or the number of its ticket, or a reference of that',
    ),
  ...filterParameters(invoiceList),
  place: id.description('where its ticket is, or above that'),
  purchaseOrder: Joi.string().max(100).description('the reference of a purchase order that it names'),
  ticketNumber: Joi.string().max(100).description('the number of its ticket, or a reference of that'),
};
const sorting = sortParameters(invoiceList, { by: 'createdAt', order: 'desc' });
const tooBroad: ErrorLine = '422 list_too_broad';

/** Lists of invoices. They come before what has an id in its path: `/invoices/search` would match `/invoices/:id`. */
export function listRoutes(deps: Deps): Route[] {
  return [
    searchRoute(deps),
    totalsRoute(deps),
    sheetRoute(deps),
    countsRoute(deps),
    queueRoute(deps),
    reviewRoute(deps),
  ];
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
  const read = pageReader(deps, view);
  return route<object, Paging>({
    ...accountingRoute,
    ...described,
    errors: ['422 invalid_cursor'],
    method: 'get',
    query: Joi.object<Paging>(paging),
    reply: { status: 200, schema: pageOf(item) },
    handle: ({ caller, query }) => read(caller, { given: { state } }, { by: 'createdAt', descending: false }, query),
  });
}

function searchRoute(deps: Deps): Route {
  const read = pageReader(deps, foundResponse);
  return route<object, Filters & Sorted & Paging>({
    ...accountingRoute,
    errors: ['403 limited_to_places', '422 invalid_cursor', tooBroad],
    method: 'get',
    path: '/invoices/search',
    summary: 'Find invoices in any state',
    description: 'The newest first unless `sort` and `order` say otherwise. Filters combine with AND.',
    query: Joi.object<Filters & Sorted & Paging>({ ...filters, ...sorting, ...paging }),
    reply: { status: 200, schema: pageOf(foundSchema) },
    async handle({ caller, query, req }) {
      if (caller.placeIds && query.sort !== 'createdAt') throw revealing();
      return read(caller, await filtersOf(query, bearerToken(req), deps), sortOf(query), query);
    },
  });
}

const total = {
  currency: Joi.string().allow(null).description('null: invoices that could not be read'),
  count: Joi.number().integer(),
  ht: Joi.number(),
  tva: Joi.number(),
  ttc: Joi.number(),
};

function totalsRoute({ lists, client }: Deps): Route {
  return route<object, Filters>({
    ...accountingRoute,
    access: { ...accountingRoute.access, everyPlace: true },
    errors: [tooBroad],
    method: 'get',
    path: '/invoices/totals',
    summary: 'Add up the invoices that a search finds',
    description: 'By currency, since amounts of several currencies have no sum. Credit notes count negative.',
    query: Joi.object<Filters>(filters),
    reply: { status: 200, schema: answer({ items: Joi.array().items(answer(total)) }) },
    async handle({ caller, query, req }) {
      const wanted = await filtersOf(query, bearerToken(req), { client });
      return { items: await lists.totals(caller.companyId, wanted) };
    },
  });
}

function sheetRoute({ lists, tickets, visible, client }: Deps): Route {
  return route<object, Filters & Sorted & SheetQuery>({
    ...accountingRoute,
    errors: [tooBroad, '422 sheet_too_large'],
    method: 'get',
    path: '/invoices/export',
    summary: 'Download the invoices that a search finds, for a spreadsheet',
    description: `At most ${maxSheetRows} of them, in their order. A text that could be taken for a formula begins with an apostrophe in a CSV.`,
    query: Joi.object<Filters & Sorted & SheetQuery>({ ...filters, ...sorting, ...sheetParameters }),
    reply: { status: 200, file: sheetTypes },
    async handle({ caller, query, req, res }) {
      const { companyId } = caller;
      const wanted = await filtersOf(query, bearerToken(req), { client });
      assertSheetHolds(await lists.count(companyId, wanted, maxSheetRows + 1));
      const all = await lists.all(companyId, wanted, sortOf(query));
      const rows = rowsOf(caller, all, { tickets, visible });
      await sendSheet(res, { ...query, list: invoiceList, name: 'invoices', rows });
      return responseSent;
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

function pageReader({ lists, flagReplaced, visible }: Deps, view: (invoice: Invoice) => object) {
  return async (caller: Caller, wanted: InvoiceFilters, sort: Sort, { cursor, limit }: Paging) => {
    const { items, nextCursor } = await lists.page(caller.companyId, wanted, sort, { cursor, limit });
    const seen = await visible.of(caller, items);
    return { items: (await flagReplaced(caller.companyId, seen)).map(view), nextCursor };
  };
}

async function filtersOf(
  { q, place, purchaseOrder, ticketNumber, ...given }: Filters,
  token: string,
  { client }: Pick<Deps, 'client'>,
): Promise<InvoiceFilters> {
  return {
    given,
    ...(q === undefined ? {} : { text: q }),
    ...(place === undefined ? {} : { places: await client.places(token, place) }),
    ...(purchaseOrder === undefined ? {} : { purchaseOrder }),
    ...(ticketNumber === undefined ? {} : { ticketNumber }),
  };
}

/** A cursor has the value that a page ended with, which may be that of an invoice on a hidden ticket. */
function revealing(): AppError {
  const message = 'users who are limited to places list invoices in the order in which they were taken in';
  return new AppError('forbidden', 'limited_to_places', message);
}

function sortOf({ sort, order }: Sorted): Sort {
  return { by: sort, descending: order === 'desc' };
}

/** Those of the invoices that the caller sees, with the number of their ticket, and codes in place of sentences. */
async function* rowsOf(
  caller: Caller,
  invoices: AsyncIterable<ListedInvoice>,
  { tickets, visible }: Pick<Deps, 'tickets' | 'visible'>,
) {
  for await (const listed of inBatches(invoices)) {
    const batch = await visible.of(caller, listed);
    const ids = [...new Set(batch.flatMap(({ ticket_id }) => ticket_id ?? []))];
    const found = await tickets.findAll(caller.companyId, ids);
    const numbers = new Map(found.map(({ ticket }) => [ticket.id, ticket.number]));
    for (const invoice of batch) {
      const reasons = invoice.reasons.map((reason) => codedReason(reason).code);
      yield { ...invoice, reasons, ticket_number: numbers.get(invoice.ticket_id ?? '') ?? null };
    }
  }
}
