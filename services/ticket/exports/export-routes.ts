import { audited } from '@app/contracts';
import { answer, auditSource, bearerToken, type Context, id, named, type Route, responseSent, route } from '@app/http';
import { AppError, readPage } from '@app/kernel';
import { type Storage, sendFile } from '@app/storage';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { archiveName, type CompanyExport, exportKinds, exportResponse, exportStates, newExport } from './export.ts';
import type { ExportStore } from './export-store.ts';
import type { ExportWorker } from './export-worker.ts';

type ExportRouteDeps = {
  exports: Pick<ExportStore, 'begin' | 'find' | 'list' | 'download'>;
  exportWorker: Pick<ExportWorker, 'notify'>;
  companies: Pick<CompanyDirectory, 'companyForPlatform'>;
  storage: Storage;
  now: () => Date;
};

type ById = { id: string };
type ListQuery = { limit: number; cursor?: string; company_id?: string };

const isoDate = Joi.string().isoDate();
const shown = named('CompanyExport', {
  id,
  company: answer({ id, name: Joi.string() }),
  state: Joi.string()
    .valid(...exportStates)
    .description('collecting, writing: it runs; done: the archive is there until `expires_at`'),
  requested_at: isoDate,
  finished_at: isoDate.allow(null),
  expires_at: isoDate.allow(null).description('when the archive is deleted'),
  size: Joi.number().integer().allow(null).description('bytes of the archive'),
  progress: answer({
    kinds: Joi.array().items(
      answer({
        kind: Joi.string()
          .valid(...exportKinds)
          .description('later versions may add some'),
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

/** Exports of all that a company has. */
export function exportRoutes(deps: ExportRouteDeps): Route[] {
  return [beginRoute(deps), listRoute(deps), readRoute(deps), fileRoute(deps)];
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

function listRoute({ exports }: ExportRouteDeps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/admin/exports',
    summary: 'List exports, the newest first',
    query: Joi.object<ListQuery>({
      limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
      cursor: id.description('`nextCursor` of the previous page'),
      company_id: id.description('of one company alone'),
    }),
    reply: { status: 200, schema: answer({ items: Joi.array().items(shown), nextCursor: Joi.string().allow(null) }) },
    async handle({ query: { limit, cursor, company_id: companyId } }) {
      const page = { companyId, before: cursor, limit };
      const { items, nextCursor } = await readPage(page, exports.list, (last) => last._id);
      return { items: items.map(exportResponse), nextCursor };
    },
  });
}

function readRoute({ exports }: ExportRouteDeps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/admin/exports/:id',
    summary: 'An export, with how far it came',
    errors: ['404 export_not_found'],
    params,
    load: ({ params: { id: exportId } }) => existing(exports, exportId),
    reply: { status: 200, schema: shown },
    handle: async ({ resource: found }) => exportResponse(found),
  });
}

function fileRoute({ exports, storage, now }: ExportRouteDeps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/admin/exports/:id/file',
    summary: 'Download the archive of an export',
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
    load: ({ params: { id: exportId } }) => existing(exports, exportId),
    reply: {
      status: 200,
      description: 'The archive, a ZIP',
      file: ['application/zip'],
      also: { 206: 'A range of it', 304: 'The copy of the client is current' },
    },
    async handle({ resource: found, req, res, ...request }) {
      const { archive, state } = found;
      const isRecorded =
        state === 'done' &&
        (await exports.download(found._id, [auditEvent(found, 'export.downloaded', { ...request, req }, now())]));
      if (!archive || !isRecorded)
        throw new AppError('conflict', 'export_not_done', 'this export has no archive, or no longer');
      await sendFile(storage, { key: archive.key, name: archiveName(found), type: 'application/zip' }, req, res);
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

async function existing(exports: Pick<ExportStore, 'find'>, exportId: string): Promise<CompanyExport> {
  const found = await exports.find(exportId);
  if (!found) throw new AppError('not_found', 'export_not_found', 'there is no such export');
  return found;
}
