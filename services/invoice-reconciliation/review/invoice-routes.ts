import { answer, named, type Route, route, sendVersion } from '@app/http';
import { AppError, readPage } from '@app/kernel';
import type { UrlSigner } from '@app/storage';
import Joi from 'joi';
import type { ReadDetails } from '../comparison/invoice-details.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { accountingRoute, type InvoiceParams, invoiceErrors, invoiceRoute } from './invoice-route-base.ts';
import { detailedSchema, queuedSchema, reviewedSchema } from './invoice-schemas.ts';
import { detailedView, documentName, queuedView, reviewedView } from './invoice-view.ts';
import type { Cursors, List } from './queue-cursor.ts';
import type { QueueStore, ReadPage } from './queue-store.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';

type Deps = {
  store: InvoiceStore;
  lists: QueueStore;
  cursorsOf: (list: List) => Cursors;
  links: UrlSigner;
  flagReplaced: FlagReplaced;
  readDetails: ReadDetails;
};

type Paging = { cursor?: string; limit: number };

/** Routes that read invoices. */
export function invoiceRoutes(deps: Deps): Route[] {
  // The lists first: `/invoices/in-review` would match `/invoices/:id`.
  return [queueRoute(deps), reviewRoute(deps), readRoute(deps), documentRoute(deps)];
}

function queueRoute({ lists, cursorsOf, flagReplaced }: Deps): Route {
  return listRoute({
    flagReplaced,
    path: '/invoices',
    summary: 'List the invoices that wait to be linked by hand',
    description: 'Those in state `ticket_unmatched`, oldest first, each with the tickets that it may belong to.',
    item: queuedSchema,
    view: queuedView,
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
    view: reviewedView,
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

function readRoute({ store, flagReplaced, readDetails }: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(store),
    method: 'get',
    path: '/invoices/:id',
    summary: 'Read an invoice, with how it came to be where it is and what it is compared with',
    versioned: true,
    reply: { status: 200, schema: detailedSchema },
    async handle({ resource: found, caller, res }) {
      const [flagged = found] = await flagReplaced(caller.companyId, [found]);
      sendVersion(res, found.version);
      return detailedView(flagged, await readDetails(flagged));
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
