import { oneOf, purchaseKinds } from '@app/contracts';
import { answer, named, type Route, responseSent, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import { type Storage, sendFile, type UrlSigner } from '@app/storage';
import Joi from 'joi';
import { type Paging, page, paging } from '../http/paging.ts';
import { type UploadDeps, uploadErrors, withUpload } from '../http/with-upload.ts';
import { thumbnailErrors, thumbnailReply } from '../pictures/thumbnail-reply.ts';
import type { Thumbnails } from '../pictures/thumbnails.ts';
import { type StoredFile, type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import {
  changeErrors,
  onTicket,
  permitAddition,
  type TicketDeps,
  type TicketParams,
  ticketErrors,
  ticketPath,
} from '../tickets/ticket-route-base.ts';
import { isReportVisible, visibleQuotes } from '../tickets/visibility.ts';
import {
  type DocumentVisibility,
  documentAdded,
  documentResponse,
  type TicketDocument,
  visibilities,
  visibleDocuments,
} from './document.ts';
import type { DocumentStore } from './document-store.ts';

type Deps = TicketDeps &
  UploadDeps & { documents: DocumentStore; links: UrlSigner; storage: Storage; thumbnails: Pick<Thumbnails, 'of'> };
type Fields = { visibility?: DocumentVisibility };
type ByKey = { s3_key: string };

const shown = named('Document', {
  _id: Joi.string(),
  name: Joi.string(),
  mimetype: Joi.string(),
  size: Joi.number(),
  hash: Joi.string().description('SHA-256'),
  kind: Joi.string().valid('document', ...purchaseKinds),
  visibility: oneOf(visibilities),
  added_at: Joi.string().isoDate(),
  s3_key: Joi.string(),
});

const fields = Joi.object<Fields>({ visibility: oneOf(visibilities) });

/** The Documents tab of a ticket, and downloads of its files. */
export function documentRoutes(deps: Deps): Route[] {
  return [listRoute(deps), additionRoute(deps), linkRoute(deps), thumbnailRoute(deps), fileRoute(deps)];
}

function listRoute({ tickets, documents }: Deps): Route {
  return route<TicketParams, Paging, object, Ticket>({
    ...onTicket({ tickets }),
    method: 'get',
    path: `${ticketPath}/documents`,
    tag: 'Documents',
    summary: 'List the documents of a ticket',
    query: Joi.object<Paging>(paging),
    reply: {
      status: 200,
      schema: answer({ documents: Joi.array().items(shown), cursor: Joi.string().allow(null) }),
    },
    async handle({ resource: found, caller, query }) {
      const readable = visibleDocuments(found, ownView(found, caller.companyId));
      const { items, cursor } = await page(query, (wanted) => documents.list(found._id, readable, wanted));
      return { documents: items.map(documentResponse), cursor };
    },
  });
}

function additionRoute(deps: Deps): Route {
  return route<TicketParams, object, object, Ticket>({
    ...onTicket(deps),
    method: 'post',
    path: `${ticketPath}/documents`,
    tag: 'Documents',
    summary: 'Add a document',
    errors: [...changeErrors, ...uploadErrors],
    multipart: fields.append({ file: Joi.any().required().description('PDF, PNG or JPEG of at most 20 MB') }),
    reply: { status: 201, schema: answer({ document: shown }) },
    async handle({ resource: found, caller, write, req, res }) {
      const form = { req, res, fields, options: { write } };
      return withUpload(deps, form, async ({ fields: { visibility = 'shared' }, file, keep }) => {
        // Checked on the current ticket, as receiving the file may have taken minutes; and after
        // the form is read, as 422 comes before 409 (docs/api.md). If the addition is refused, the
        // file is removed again.
        const make = (ticket: Ticket) => {
          permitAddition(ticket, caller, 'add_document');
          const document: TicketDocument = {
            _id: newId(ticket.updated_at),
            ticket_id: ticket._id,
            company_id: caller.companyId,
            added_by: caller.userId,
            kind: 'document',
            visibility,
            added_at: ticket.updated_at,
            file: file as StoredFile,
          };
          return { document, events: [documentAdded(ticket, document)] };
        };
        return { document: documentResponse(await deps.documents.add(found._id, make, { write, alongside: keep })) };
      });
    },
  });
}

function ofFile({ tickets }: Pick<Deps, 'tickets'>) {
  return {
    ...onTicket({ tickets }),
    method: 'get',
    tag: 'Documents',
    query: Joi.object<ByKey>({ s3_key: Joi.string().max(200).required() }),
  } as const;
}

function linkRoute({ tickets, documents, links }: Deps): Route {
  return route<TicketParams, ByKey, object, Ticket>({
    ...ofFile({ tickets }),
    path: `${ticketPath}/documents/download-link`,
    summary: 'Sign the link of a file of the ticket: of a document, a quote or a report',
    errors: [...ticketErrors, '404 document_not_found'],
    reply: {
      status: 200,
      schema: named('DownloadLink', { download_url: Joi.string(), expires_at: Joi.string().isoDate() }),
    },
    async handle({ resource: found, caller, query }) {
      const file = await readableFile({ documents }, found, ownView(found, caller.companyId), query.s3_key);
      const { url, expiresAt } = links.sign({ key: file.key, name: file.name, type: file.type });
      return { download_url: url, expires_at: expiresAt };
    },
  });
}

function thumbnailRoute({ tickets, documents, thumbnails, storage }: Deps): Route {
  return route<TicketParams, ByKey, object, Ticket>({
    ...ofFile({ tickets }),
    path: `${ticketPath}/documents/thumbnail`,
    summary: 'The thumbnail of a file of the ticket that is a picture: of a document, a quote or a report',
    errors: [...ticketErrors, '404 document_not_found', ...thumbnailErrors],
    reply: thumbnailReply,
    async handle({ resource: found, caller, query, req, res }) {
      const file = await readableFile({ documents }, found, ownView(found, caller.companyId), query.s3_key);
      await sendFile(storage, await thumbnails.of(file, caller.companyId), req, res);
      return responseSent;
    },
  });
}

/** @throws AppError not_found `document_not_found` if the ticket has no such file, or none that this view may read */
async function readableFile(
  { documents }: Pick<Deps, 'documents'>,
  ticket: Ticket,
  own: View,
  key: string,
): Promise<StoredFile> {
  const file =
    fileOnTicket(ticket, own, key) ?? (await documents.byKey(ticket._id, visibleDocuments(ticket, own), key))?.file;
  if (!file) throw new AppError('not_found', 'document_not_found', 'this ticket has no such file');
  return file;
}

/** The file of a quote or report, if this view may read it. */
function fileOnTicket(ticket: Ticket, own: View, key: string): StoredFile | undefined {
  const quotes = visibleQuotes(ticket.quotes, own);
  const reports = ticket.reports.filter((report) => isReportVisible(report, ticket, own));
  return [...quotes, ...reports].map(({ file }) => file).find((file) => file?.key === key) ?? undefined;
}

/** Serves a file to anyone with a valid link. Express answers HEAD by it too. */
function fileRoute({ links, storage }: Deps): Route {
  return route<{ token: string }>({
    host: 'download',
    method: 'get',
    path: '/files/:token',
    tag: 'Files',
    summary: 'Download a file by its signed link',
    errors: ['404 file_not_found', '416 range_not_satisfiable', '502 storage_unavailable'],
    access: 'public',
    params: Joi.object<{ token: string }>({ token: Joi.string().max(4096).required() }),
    reply: {
      status: 200,
      description: 'The file',
      // Any type: files have the type that they were stored with, also what providers sent as
      // invoices.
      file: ['*/*'],
      also: { 206: 'A range of the file', 304: 'The copy of the client is current' },
    },
    async handle({ params, req, res }) {
      await sendFile(storage, links.open(params.token), req, res);
      return responseSent;
    },
  });
}

function ownView(ticket: Ticket, companyId: string): View {
  return viewOfCompany(ticket, companyId) as View;
}
