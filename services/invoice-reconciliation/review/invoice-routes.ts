import type { HeardStatuses } from '@app/contracts';
import { answer, bearerToken, named, type Route, route, sendVersion } from '@app/http';
import { AppError } from '@app/kernel';
import type { UrlSigner } from '@app/storage';
import Joi from 'joi';
import type { Candidates } from '../comparison/candidates.ts';
import type { ReadDetails } from '../comparison/invoice-details.ts';
import { ticketCandidate } from '../comparison/ticket-schemas.ts';
import type { FindAddress } from '../feedback/supplier-address.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { detailedResponse, documentName } from './invoice-responses.ts';
import { type InvoiceParams, type InvoiceRouteDeps, invoiceErrors, invoiceRoute } from './invoice-route-base.ts';
import { detailedSchema } from './invoice-schemas.ts';
import type { FlagReplaced } from './replaced-flag-store.ts';

type Deps = InvoiceRouteDeps & {
  candidates: Pick<Candidates, 'list'>;
  links: UrlSigner;
  flagReplaced: FlagReplaced;
  readDetails: ReadDetails;
  findAddress: FindAddress;
  heardBy: (provider: string) => HeardStatuses;
};

type CandidateQuery = { q?: string; limit: number };

/** Routes that read an invoice, and find tickets for it. */
export function invoiceRoutes(deps: Deps): Route[] {
  return [candidatesRoute(deps), readRoute(deps), documentRoute(deps)];
}

function readRoute(deps: Deps): Route {
  const { flagReplaced, readDetails, findAddress, heardBy, visible } = deps;
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(deps),
    method: 'get',
    path: '/invoices/:id',
    summary: 'Read an invoice, with how it came to be where it is and what it is compared with',
    versioned: true,
    reply: { status: 200, schema: detailedSchema },
    async handle({ resource: invoice, caller, req, res }) {
      const [flagged = invoice] = await flagReplaced(caller.companyId, [invoice]);
      const [details, found] = await Promise.all([readDetails(flagged), findAddress(flagged, bearerToken(req))]);
      sendVersion(res, invoice.version);
      return detailedResponse(flagged, await visible.details(caller, details), {
        heard: heardBy(invoice.provider),
        found,
      });
    },
  });
}

function documentRoute(deps: Deps): Route {
  const { links } = deps;
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(deps),
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

function candidatesRoute(deps: Deps): Route {
  return route<InvoiceParams, CandidateQuery, object, Invoice>({
    ...invoiceRoute(deps),
    method: 'get',
    path: '/invoices/:id/candidates',
    summary: 'Find tickets for an invoice',
    errors: invoiceErrors,
    description:
      'Without `q` those that it may belong to, the best first. With `q` tickets that are called so, compared with the invoice, whichever contractor or date they have. Drafts, canceled and removed tickets are left out.',
    query: Joi.object<CandidateQuery>({
      q: Joi.string()
        .max(200)
        .description(
          'words of number and title, each from its beginning on, or the reference of a quote or purchase document',
        ),
      limit: Joi.number().integer().min(1).max(50).default(20),
    }),
    reply: { status: 200, schema: answer({ items: Joi.array().items(ticketCandidate) }) },
    async handle({ resource: found, query: { q, limit }, caller: { placeIds } }) {
      return { items: await deps.candidates.list(found, { text: q ?? null, limit, placeIds }) };
    },
  });
}
