import type { HeardStatuses } from '@app/contracts';
import { answer, bearerToken, documentedAs, id, moment, named, type Route, route, sendVersion } from '@app/http';
import { AppError, readPage } from '@app/kernel';
import type { UrlSigner } from '@app/storage';
import Joi from 'joi';
import type { Candidates } from '../comparison/candidates.ts';
import type { ReadDetails } from '../comparison/invoice-details.ts';
import { ticketCandidate } from '../comparison/ticket-schemas.ts';
import type { FindAddress } from '../feedback/supplier-address.ts';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import {
  detailedResponse,
  documentName,
  foundResponse,
  queuedResponse,
  reviewedResponse,
} from './invoice-responses.ts';
import { accountingRoute, type InvoiceParams, invoiceErrors, invoiceRoute } from './invoice-route-base.ts';
import { detailedSchema, foundSchema, queuedSchema, reviewedSchema } from './invoice-schemas.ts';
import { type InvoiceSearch, maxCounted, maxLookedAt } from './invoice-search-store.ts';
import type { Cursors, List } from './queue-cursor.ts';
import type { QueueStore, ReadPage } from './queue-store.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';

type Deps = {
  store: InvoiceStore;
  lists: QueueStore;
  invoices: InvoiceSearch;
  candidates: Pick<Candidates, 'list'>;
  cursorsOf: (list: List) => Cursors;
  links: UrlSigner;
  flagReplaced: FlagReplaced;
  readDetails: ReadDetails;
  findAddress: FindAddress;
  heardBy: (provider: string) => HeardStatuses;
};

type Paging = { cursor?: string; limit: number };
type SearchQuery = {
  q?: string;
  state?: State[];
  supplier?: string;
  provider?: string;
  from?: Date;
  to?: Date;
  order: 'asc' | 'desc';
  cursor?: string;
  limit: number;
};
type CandidateQuery = { q?: string; limit: number };

const searchText = Joi.string().max(200);
const stateText = Joi.string()
  .max(300)
  .custom((value: string, helpers) => {
    const named = [...new Set(value.split(','))];
    const all: readonly string[] = states;
    return named.every((one) => all.includes(one)) ? named : helpers.error('any.only', { valids: states.join(', ') });
  })
  .messages({ 'any.only': '{{#label}} must be one of {{#valids}}, or several separated by commas' });
const stateList = documentedAs(stateText, { type: 'array', minItems: 1, items: { type: 'string', enum: [...states] } });

/** Routes that read and find invoices, and tickets for them. */
export function invoiceRoutes(deps: Deps): Route[] {
  // What is listed comes first: `/invoices/search` would match `/invoices/:id`.
  return [
    searchRoute(deps),
    countsRoute(deps),
    candidatesRoute(deps),
    queueRoute(deps),
    reviewRoute(deps),
    readRoute(deps),
    documentRoute(deps),
  ];
}

function queueRoute({ lists, cursorsOf, flagReplaced }: Deps): Route {
  return listRoute({
    flagReplaced,
    path: '/invoices',
    summary: 'List the invoices that wait to be linked by hand',
    description: 'Those in state `ticket_unmatched`, oldest first, each with the tickets that it may belong to.',
    item: queuedSchema,
    view: queuedResponse,
    page: lists.queue,
    cursors: cursorsOf('invoice-queue'),
  });
}

function reviewRoute({ lists, cursorsOf, flagReplaced }: Deps): Route {
  return listRoute({
    flagReplaced,
    path: '/invoices/in-review',
    summary: 'List the invoices that wait for a person outside of the queue',
    description: 'Those in state `manual_review` or `error`, oldest first, each with its `reasons`.',
    item: reviewedSchema,
    view: reviewedResponse,
    page: lists.review,
    cursors: cursorsOf('invoice-review'),
  });
}

type Listed = Pick<Deps, 'flagReplaced'> & {
  path: string;
  summary: string;
  description: string;
  item: Joi.ObjectSchema;
  view: (invoice: Invoice) => object;
  page: ReadPage;
  cursors: Cursors;
};

function listRoute({ path, summary, description, item, view, page, cursors, flagReplaced }: Listed): Route {
  return route<object, Paging>({
    ...accountingRoute,
    errors: ['422 invalid_cursor'],
    method: 'get',
    path,
    summary,
    description,
    query: Joi.object<Paging>({
      cursor: Joi.string().max(500).description('the `nextCursor` of the page before'),
      limit: Joi.number().integer().min(1).max(200).default(50),
    }),
    reply: {
      status: 200,
      schema: answer({ items: Joi.array().items(item), nextCursor: Joi.string().allow(null) }),
    },
    async handle({ caller: { companyId }, query: { cursor, limit } }) {
      const query = { after: cursors.decode(companyId, cursor), limit };
      const read = (wanted: typeof query) => page(companyId, wanted);
      const { items, nextCursor } = await readPage(query, read, (last) => cursors.encode(companyId, last));
      return { items: (await flagReplaced(companyId, items)).map(view), nextCursor };
    },
  });
}

function searchRoute({ invoices, cursorsOf, flagReplaced }: Deps): Route {
  const cursors = cursorsOf('invoice-search');
  return route<object, SearchQuery>({
    ...accountingRoute,
    errors: ['422 invalid_cursor'],
    method: 'get',
    path: '/invoices/search',
    summary: 'Find invoices in any state',
    description: `By the time at which they were taken in, the newest first unless \`order\` says otherwise. Filters combine with AND. \`q\` looks at ${maxLookedAt} invoices that have its longest word, and needs another word if there are more.`,
    query: Joi.object<SearchQuery>({
      q: searchText.description('words of number, supplier name or SIREN, each from its beginning on'),
      state: stateList.description('a state, or several separated by commas'),
      supplier: id.description('contractor id'),
      provider: Joi.string().max(64),
      from: moment.description('taken in at or after; an ISO date or milliseconds'),
      to: moment.description('taken in before; an ISO date or milliseconds'),
      order: Joi.string().valid('asc', 'desc').default('desc'),
      cursor: Joi.string().max(500).description('the `nextCursor` of the page before, with the same filters'),
      limit: Joi.number().integer().min(1).max(200).default(50),
    }),
    reply: {
      status: 200,
      schema: answer({ items: Joi.array().items(foundSchema), nextCursor: Joi.string().allow(null) }),
    },
    async handle({ caller: { companyId }, query }) {
      const { cursor, limit, order } = query;
      const page = { order, after: cursors.decode(companyId, cursor), limit };
      const read = (wanted: typeof page) => invoices.find(companyId, filterOf(query), wanted);
      const { items, nextCursor } = await readPage(page, read, (last) => cursors.encode(companyId, last));
      return { items: (await flagReplaced(companyId, items)).map(foundResponse), nextCursor };
    },
  });
}

function countsRoute({ invoices }: Deps): Route {
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
    async handle({ caller: { companyId } }) {
      return { state: await invoices.counts(companyId), limit: maxCounted };
    },
  });
}

function filterOf({ q, state, supplier, provider, from, to }: SearchQuery) {
  return {
    text: q ?? null,
    states: state ?? states,
    supplierId: supplier ?? null,
    provider: provider ?? null,
    from: from ?? null,
    until: to ?? null,
  };
}

function readRoute({ store, flagReplaced, readDetails, findAddress, heardBy }: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(store),
    method: 'get',
    path: '/invoices/:id',
    summary: 'Read an invoice, with how it came to be where it is and what it is compared with',
    versioned: true,
    reply: { status: 200, schema: detailedSchema },
    async handle({ resource: invoice, caller, req, res }) {
      const [flagged = invoice] = await flagReplaced(caller.companyId, [invoice]);
      const [details, found] = await Promise.all([readDetails(flagged), findAddress(flagged, bearerToken(req))]);
      sendVersion(res, invoice.version);
      return detailedResponse(flagged, details, { heard: heardBy(invoice.provider), found });
    },
  });
}

function documentRoute({ store, links }: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(store),
    method: 'get',
    path: '/invoices/:id/document',
    summary: "Sign the link of an invoice's document",
    errors: [...invoiceErrors, '404 document_not_found'],
    reply: {
      status: 200,
      schema: named('DownloadLink', { download_url: Joi.string(), expires_at: Joi.string().isoDate() }),
    },
    async handle({ resource: found }) {
      const { document } = found.content;
      if (!document) throw new AppError('not_found', 'document_not_found', 'this invoice came without a document');
      const { key, type } = document;
      const { url, expiresAt } = links.sign({ key, name: documentName(found, type), type });
      return { download_url: url, expires_at: expiresAt.toISOString() };
    },
  });
}

function candidatesRoute({ store, candidates }: Deps): Route {
  return route<InvoiceParams, CandidateQuery, object, Invoice>({
    ...invoiceRoute(store),
    method: 'get',
    path: '/invoices/:id/candidates',
    summary: 'Find tickets for an invoice',
    errors: invoiceErrors,
    description:
      'Without `q` those that it may belong to, the best first. With `q` tickets that are called so, compared with the invoice, whichever contractor or date they have. Drafts, canceled and removed tickets are left out.',
    query: Joi.object<CandidateQuery>({
      q: searchText.description(
        'words of number and title, each from its beginning on, or the reference of a quote or purchase document',
      ),
      limit: Joi.number().integer().min(1).max(50).default(20),
    }),
    reply: { status: 200, schema: answer({ items: Joi.array().items(ticketCandidate) }) },
    async handle({ resource: found, query: { q, limit } }) {
      return { items: await candidates.list(found, { text: q ?? null, limit }) };
    },
  });
}
