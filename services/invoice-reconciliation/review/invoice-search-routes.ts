import { answer, documentedAs, id, moment, type Route, route } from '@app/http';
import { readPage } from '@app/kernel';
import Joi from 'joi';
import type { Candidates } from '../comparison/candidates.ts';
import { ticketCandidate } from '../comparison/ticket-schemas.ts';
import { type Invoice, type State, states } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { accountingRoute, type InvoiceParams, invoiceErrors, invoiceRoute } from './invoice-route-base.ts';
import { foundSchema } from './invoice-schemas.ts';
import { type InvoiceSearch, maxCounted, maxLookedAt } from './invoice-search-store.ts';
import { foundView } from './invoice-view.ts';
import type { Cursors } from './queue-cursor.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';

type Deps = {
  store: InvoiceStore;
  invoices: InvoiceSearch;
  candidates: Pick<Candidates, 'list'>;
  cursors: Cursors;
  flagReplaced: FlagReplaced;
};

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

const text = Joi.string().max(200);
const stateText = Joi.string()
  .max(300)
  .custom((value: string, helpers) => {
    const named = [...new Set(value.split(','))];
    const all: readonly string[] = states;
    return named.every((one) => all.includes(one)) ? named : helpers.error('any.only', { valids: states.join(', ') });
  })
  .messages({ 'any.only': '{{#label}} must be one of {{#valids}}, or several separated by commas' });
const stateList = documentedAs(stateText, { type: 'array', minItems: 1, items: { type: 'string', enum: [...states] } });

/** Routes that find invoices, and tickets for them. */
export function invoiceSearchRoutes(deps: Deps): Route[] {
  return [searchRoute(deps), countsRoute(deps), candidatesRoute(deps)];
}

function searchRoute({ invoices, cursors, flagReplaced }: Deps): Route {
  return route<object, SearchQuery>({
    ...accountingRoute,
    errors: ['422 invalid_cursor'],
    method: 'get',
    path: '/invoices/search',
    summary: 'Find invoices in any state',
    description: `By the time at which they were taken in, the newest first unless \`order\` says otherwise. Filters combine with AND. \`q\` looks at ${maxLookedAt} invoices that have its longest word, and needs another word if there are more.`,
    query: Joi.object<SearchQuery>({
      q: text.description('words of number, supplier name or SIREN, each from its beginning on'),
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
      return { items: (await flagReplaced(companyId, items)).map(foundView), nextCursor };
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
      q: text.description(
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
