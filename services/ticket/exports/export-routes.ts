import { audited, type Caller, oneOf } from '@app/contracts';
import { answer, auditSource, bearerToken, type Context, id, named, type Route, responseSent, route } from '@app/http';
import { sheetTypes } from '@app/http/lists';
import { AppError, readPage, ValidationError } from '@app/kernel';
import { type Storage, sendFile } from '@app/storage';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { type CompanyExport, exportKinds, exportResponse, exportStates, newExport } from './export.ts';
import type { ExportStore } from './export-store.ts';
import type { ExportWorker } from './export-worker.ts';
import { archiveOf, type RequestOf, rightsOf, serviceOf } from './list-export.ts';

type ExportRouteDeps = {
  exports: Pick<ExportStore, 'begin' | 'begun' | 'find' | 'kept' | 'list' | 'download'>;
  exportWorker: Pick<ExportWorker, 'notify'>;
  requestOf: RequestOf;
  companies: Pick<CompanyDirectory, 'companyForPlatform' | 'users'>;
  storage: Storage;
  now: () => Date;
};

type ById = { id: string };
type ListQuery = { limit: number; cursor?: string; company_id?: string };

const isoDate = Joi.string().isoDate();
const shown = named('CompanyExport', {
  id,
  company: answer({ id, name: Joi.string() }),
  file_name: Joi.string().description('of the archive, or of the list: `invoices-2026-11-28.xlsx`'),
  state: oneOf(exportStates).description('collecting, writing: it runs; done: the archive is there until `expires_at`'),
  requested_at: isoDate,
  finished_at: isoDate.allow(null),
  expires_at: isoDate.allow(null).description('when the archive is deleted'),
  size: Joi.number().integer().allow(null).description('bytes of the archive'),
  progress: answer({
    kinds: Joi.array().items(
      answer({
        kind: oneOf(exportKinds).description('later versions may add some'),
        count: Joi.number().integer().description('so far'),
        done: Joi.boolean(),
      }),
    ),
    files: answer({ total: Joi.number().integer(), done: Joi.number().integer() }),
  }),
  error: answer({ service: Joi.string(), kind: Joi.string().allow(null), message: Joi.string() })
    .allow(null)
    .description('who did not give what, if it has failed'),
});

const base = { host: 'ts', tag: 'Platform administration', access: 'platform' } as const;
const params = Joi.object<ById>({ id: id.required() });

/** Routes of one export: by the platform of a company's, by a user of an own one of a list. */
type Reading = Pick<Route, 'host' | 'tag' | 'access' | 'path'> & {
  isOwner: (job: CompanyExport, caller: Caller) => boolean;
};
const byPlatform: Reading = { ...base, path: '/admin/exports/:id', isOwner: ({ list }) => list === undefined };
const ownLists = { host: 'ts', tag: 'Exports', access: { permission: null }, path: '/exports' } as const;
const byUser: Reading = {
  ...ownLists,
  path: '/exports/:id',
  isOwner: ({ list, company }, { userId, companyId }) => list?.user_id === userId && company.id === companyId,
};

/** Exports of all that a company has, and of single lists. */
export function exportRoutes(deps: ExportRouteDeps): Route[] {
  const read = [byPlatform, byUser].flatMap((by) => [readRoute(deps, by), fileRoute(deps, by)]);
  const ofCompanies = listRoute(deps, {
    ...base,
    path: '/admin/exports',
    summary: 'List exports, the newest first',
    filters: { company_id: id.description('of one company alone') },
    of: ({ company_id: companyId }) => ({ companyId }),
  });
  const ofUser = listRoute(deps, {
    ...ownLists,
    summary: 'List the files of lists that you had made, the newest first',
    of: (_, { companyId, userId }) => ({ companyId, userId }),
  });
  return [beginRoute(deps), beginListRoute(deps), ofCompanies, ofUser, ...read];
}

function beginRoute({ exports, exportWorker, companies, now }: ExportRouteDeps): Route {
  return route({
    ...base,
    method: 'post',
    path: '/admin/companies/:id/exports',
    summary: 'Export all that a company has',
    description:
      'One ZIP of JSON lines and files, made in the background, also of a closed company. If one of the company is being made, that is the answer. It is deleted after 7 days.',
    errors: ['404 company_not_found'],
    params,
    async load({ params: { id: companyId }, req }) {
      const company = await companies.companyForPlatform(companyId, bearerToken(req));
      if (!company) throw new AppError('not_found', 'company_not_found', 'there is no such company');
      return company;
    },
    reply: { status: 202, schema: shown },
    async handle({ resource: { id: companyId, name, kind }, write, ...request }) {
      const at = now();
      const job = newExport({ id: companyId, name, kind }, at);
      const begun = await exports.begin(job, [auditEvent(job, 'export.requested', request, at)], write);
      exportWorker.notify();
      return exportResponse(begun);
    },
  });
}

/** How many files of lists a user may have, and how many a company may begin in 24 hours. */
const maxKept = 10;
const maxBegun = 100;

function beginListRoute({ exports, exportWorker, companies, now }: ExportRouteDeps): Route {
  return route<object, object, { download: string }>({
    ...ownLists,
    method: 'post',
    summary: 'Have the file of a list made in the background',
    description:
      'For lists that are too long for a download, up to 1,000,000 rows. It has what you may see while it is made; if your rights change meanwhile, it fails. It is deleted after 7 days.',
    errors: ['409 export_running', '409 too_many_exports', '409 exports_limited'],
    body: Joi.object<{ download: string }>({
      download: Joi.string()
        .max(4_000)
        .required()
        .description('path and query of the download: `/invoices/export?format=xlsx&state=validated`'),
    }),
    reply: { status: 202, schema: shown },
    async handle({ body: { download }, caller, write, ...request }) {
      const { companyId, companyName, companyKind, userId } = caller;
      const service = serviceOf(download);
      if (!service) throw new ValidationError([{ path: 'download', message: 'download must be that of a list' }]);
      const user = (await companies.users(companyId, [userId], bearerToken(request.req))).get(userId);
      if (!user) throw new AppError('forbidden', 'forbidden', 'you are not known here');
      if ((await exports.kept(userId)) >= maxKept)
        throw new AppError('conflict', 'too_many_exports', `${maxKept} files of yours are kept, each for 7 days`);
      const at = now();
      if ((await exports.begun(companyId, new Date(at.getTime() - 24 * 3600_000), maxBegun)) >= maxBegun)
        throw new AppError('conflict', 'exports_limited', `your company has had ${maxBegun} files made in 24 hours`);
      const list = { address: download, user_id: userId, rights: rightsOf(user) };
      const job = newExport({ id: companyId, name: companyName, kind: companyKind }, at, { service, list });
      const begun = await exports.begin(job, [auditEvent(job, 'export.requested', request, at)], write);
      if (begun.list?.address !== download)
        throw new AppError('conflict', 'export_running', 'another list of yours is exported: wait until it is done');
      exportWorker.notify();
      return exportResponse(begun);
    },
  });
}

/** A page of exports: those of companies to the platform, those of own lists to a user. */
type Listing = Pick<Route, 'host' | 'tag' | 'access' | 'path' | 'summary'> & {
  filters?: Joi.PartialSchemaMap<ListQuery>;
  of: (query: ListQuery, caller: Caller) => Omit<Parameters<ExportStore['list']>[0], 'limit'>;
};

function listRoute({ exports }: ExportRouteDeps, { filters, of, ...by }: Listing): Route {
  return route<object, ListQuery>({
    ...by,
    method: 'get',
    query: Joi.object<ListQuery>({
      limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
      cursor: id.description('`nextCursor` of the previous page'),
      ...filters,
    }),
    reply: { status: 200, schema: answer({ items: Joi.array().items(shown), nextCursor: Joi.string().allow(null) }) },
    async handle({ query, caller }) {
      const page = { ...of(query, caller), before: query.cursor, limit: query.limit };
      const { items, nextCursor } = await readPage(page, exports.list, (last) => last._id);
      return { items: items.map(exportResponse), nextCursor };
    },
  });
}

function readRoute({ exports }: ExportRouteDeps, { isOwner, ...by }: Reading): Route {
  return route<ById, object, object, CompanyExport>({
    ...by,
    method: 'get',
    summary: 'An export, with how far it came',
    errors: ['404 export_not_found'],
    params,
    load: (asked) => existing(exports, isOwner, asked),
    reply: { status: 200, schema: shown },
    handle: async ({ resource: found }) => exportResponse(found),
  });
}

function fileRoute({ exports, storage, requestOf, now }: ExportRouteDeps, { isOwner, ...by }: Reading): Route {
  return route<ById, object, object, CompanyExport>({
    ...by,
    method: 'get',
    path: `${by.path}/file`,
    summary: 'Download what an export made',
    description:
      'Each download is in the audit log of the company. Ranges are served, so that it can go on where it was cut off.',
    errors: [
      '404 export_not_found',
      '404 file_not_found',
      '409 export_not_done',
      '416 range_not_satisfiable',
      '502 storage_unavailable',
    ],
    params,
    load: (asked) => existing(exports, isOwner, asked),
    reply: {
      status: 200,
      description: 'A ZIP; of a list CSV or XLSX',
      file: by.access === 'platform' ? ['application/zip'] : sheetTypes,
      also: { 206: 'A range of it', 304: 'The copy of the client is current' },
    },
    async handle({ resource: found, req, res, ...request }) {
      const { archive, list, state } = found;
      const isRecorded =
        state === 'done' &&
        (!list || (await requestOf(found)) !== null) &&
        (await exports.download(found._id, [auditEvent(found, 'export.downloaded', { ...request, req }, now())]));
      if (!archive || !isRecorded)
        throw new AppError('conflict', 'export_not_done', 'this export has no archive, or no longer');
      await sendFile(storage, { key: archive.key, ...archiveOf(found) }, req, res);
      return responseSent;
    },
  });
}

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req'>;

function auditEvent(
  { _id, company }: CompanyExport,
  action: 'export.requested' | 'export.downloaded',
  by: Request,
  at: Date,
) {
  const target = { kind: 'export', id: _id, name: null };
  return audited({ companyId: company.id, action, ...auditSource(by), target }, at);
}

async function existing(
  exports: Pick<ExportStore, 'find'>,
  isOwner: Reading['isOwner'],
  { params: { id: exportId }, caller }: { params: ById; caller: Caller },
): Promise<CompanyExport> {
  const found = await exports.find(exportId);
  if (!found || !isOwner(found, caller)) throw new AppError('not_found', 'export_not_found', 'there is no such export');
  return found;
}
