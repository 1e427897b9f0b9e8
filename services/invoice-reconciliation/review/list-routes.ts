import type { Caller } from '@app/contracts';
import { answer, type ErrorLine, id, type Route, responseSent, route } from '@app/http';
import {
  assertSheetHolds,
  filterParameters,
  maxSheetRows,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetTypes,
  sortParameters,
} from '@app/http/lists';
import { AppError, decodePosition, encodePosition, type Given, positionOf, readPage, type Sort } from '@app/kernel';
import { reasonWords } from '@app/kernel/words';
import Joi from 'joi';
import { type Invoice, states } from '../invoices/invoice.ts';
import { invoiceList } from '../invoices/invoice-list.ts';
import { codedReason } from '../invoices/reason-code.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import { type InvoiceFilters, type InvoiceLists, type ListedInvoice, maxCounted } from './invoice-list-store.ts';
import { foundResponse, queuedResponse, reviewedResponse } from './invoice-responses.ts';
import { accountingRoute } from './invoice-route-base.ts';
import { foundSchema, queuedSchema, reviewedSchema } from './invoice-schemas.ts';
import { type Cursors, invalidCursor, type ListName, maxCursorLength } from './list-cursor.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';
import type { VisibleInvoices } from './visible-invoices.ts';

type Deps = {
  lists: InvoiceLists;
  cursorsOf: (list: ListName) => Cursors;
  flagReplaced: FlagReplaced;
  visible: VisibleInvoices;
  tickets: Pick<TicketProjectionStore, 'findAll'>;
};

type Paging = { cursor?: string; limit: number };
type Filters = Given & { q?: string; place?: string; purchaseOrder?: string };
type Sorted = { sort: string; order: 'asc' | 'desc' };

const paging = {
  cursor: Joi.string()
    .max(maxCursorLength)
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
  place: id.description('a location of its ticket'),
  purchaseOrder: Joi.string().max(100).description('the reference of a purchase order that it names'),
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
    name: 'invoice-queue',
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
    name: 'invoice-review',
    path: '/invoices/in-review',
    summary: 'List the invoices that wait for a person outside of the queue',
    description: 'Those in state `manual_review` or `error`, oldest first, each with its `reasons`.',
    item: reviewedSchema,
    view: reviewedResponse,
    state: ['error', 'manual_review'],
  });
}

type WaitingList = Pick<Route, 'path' | 'summary'> & {
  name: ListName;
  description: string;
  item: Joi.ObjectSchema;
  view: (invoice: Invoice) => object;
  state: string[];
};

function waitingRoute(deps: Deps, { name, item, view, state, ...described }: WaitingList): Route {
  const read = pageReader(deps, name, view);
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
  const read = pageReader(deps, 'invoice-search', foundResponse);
  return route<object, Filters & Sorted & Paging>({
    ...accountingRoute,
    errors: ['403 limited_to_places', '422 invalid_cursor', tooBroad],
    method: 'get',
    path: '/invoices/search',
    summary: 'Find invoices in any state',
    description: 'The newest first unless `sort` and `order` say otherwise. Filters combine with AND.',
    query: Joi.object<Filters & Sorted & Paging>({ ...filters, ...sorting, ...paging }),
    reply: { status: 200, schema: pageOf(foundSchema) },
    async handle({ caller, query }) {
      if (caller.placeIds && query.sort !== 'createdAt') throw revealing();
      return read(caller, filtersOf(query), sortOf(query), query);
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

function totalsRoute({ lists }: Deps): Route {
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
    async handle({ caller, query }) {
      return { items: await lists.totals(caller.companyId, filtersOf(query)) };
    },
  });
}

function sheetRoute(deps: Deps): Route {
  const { lists } = deps;
  return route<object, Filters & Sorted & SheetQuery>({
    ...accountingRoute,
    errors: [tooBroad, '422 sheet_too_large'],
    method: 'get',
    path: '/invoices/export',
    summary: 'Download the invoices that a search finds, for a spreadsheet',
    description: `At most ${maxSheetRows} of them, in their order. A text that could be taken for a formula begins with an apostrophe in a CSV.`,
    query: Joi.object<Filters & Sorted & SheetQuery>({ ...filters, ...sorting, ...sheetParameters }),
    reply: { status: 200, file: sheetTypes },
    async handle({ caller, query, res }) {
      const { companyId } = caller;
      const wanted = filtersOf(query);
      assertSheetHolds(await countSeen(caller, wanted, deps));
      const all = await lists.all(companyId, wanted, sortOf(query));
      const rows = rowsOf(caller, all, deps);
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

function pageReader(
  { lists, cursorsOf, flagReplaced, visible }: Deps,
  name: ListName,
  view: (invoice: Invoice) => object,
) {
  const cursors = cursorsOf(name);
  return async (caller: Caller, wanted: InvoiceFilters, sort: Sort, { cursor, limit }: Paging) => {
    const { companyId } = caller;
    const after = cursor === undefined ? null : decodePosition(invoiceList, sort, cursors.decode(companyId, cursor));
    if (cursor !== undefined && after === null) throw invalidCursor();
    const { items, nextCursor } = await readPage(
      { sort, after, limit },
      (page) => lists.page(companyId, wanted, page),
      (last) => cursors.encode(companyId, encodePosition(sort, positionOf(invoiceList, sort, last))),
    );
    const seen = await visible.of(caller, items);
    return { items: (await flagReplaced(companyId, seen)).map(view), nextCursor };
  };
}

function filtersOf({ q, place, purchaseOrder, ...given }: Filters): InvoiceFilters {
  return {
    given,
    ...(q === undefined ? {} : { text: q }),
    ...(place === undefined ? {} : { place }),
    ...(purchaseOrder === undefined ? {} : { purchaseOrder }),
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

/** So many invoices at once get the number of their ticket. */
const batchSize = 200;

/** How many the caller sees, counted up to one more than a file has. */
export async function countSeen(
  caller: Caller,
  wanted: InvoiceFilters,
  { lists, visible }: { lists: Pick<InvoiceLists, 'count' | 'all'>; visible: Pick<VisibleInvoices, 'of'> },
): Promise<number> {
  const count = await lists.count(caller.companyId, wanted, maxSheetRows + 1);
  if (!caller.placeIds || count <= maxSheetRows) return count;
  const all = await lists.all(caller.companyId, wanted, { by: 'createdAt', descending: true });
  let seen = 0;
  for await (const batch of inBatches(all, batchSize)) {
    seen += (await visible.of(caller, batch)).length;
    if (seen > maxSheetRows) break;
  }
  return seen;
}

/** Those of the invoices that the caller sees, with the number of their ticket, and codes in place of sentences. */
async function* rowsOf(
  caller: Caller,
  invoices: AsyncIterable<ListedInvoice>,
  { tickets, visible }: Pick<Deps, 'tickets' | 'visible'>,
) {
  for await (const listed of inBatches(invoices, batchSize)) {
    const batch = await visible.of(caller, listed);
    const ids = [...new Set(batch.flatMap(({ ticket_id }) => ticket_id ?? []))];
    const found = await tickets.findAll(caller.companyId, ids);
    const numbers = new Map(found.map(({ ticket }) => [ticket.id, ticket.number]));
    for (const invoice of batch) {
      const codes = invoice.reasons.map((reason) => codedReason(reason).code);
      const reasons = codes.map((code) => (code in reasonWords ? code : 'other'));
      yield { ...invoice, reasons, ticket_number: numbers.get(invoice.ticket_id ?? '') ?? null };
    }
  }
}

async function* inBatches<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
