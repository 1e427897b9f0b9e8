import { type AuditAction, auditChanges, companySchema } from '@app/contracts';
import { auditSource, byId, type Context, id, named, type Route, route } from '@app/http';
import { AppError, type Page, parseSiret, readPage } from '@app/kernel';
import { maxLookedAt } from '@app/runtime';
import type { ProtectedWrite, Within } from '@app/runtime/idempotency';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { pageReply, platformRoute, searchQuery } from '../page-schemas.ts';
import {
  type Company,
  type CompanyChange,
  changeCompany,
  closeCompany,
  companyResponse,
  companySnapshot,
  createCompany,
  type NewCompany,
  reopenCompany,
} from './company.ts';
import type { CompanyStore } from './company-store.ts';

type Deps = { companies: CompanyStore; auditLog: Pick<AuditLogStore, 'add'>; now: () => Date };

const name = Joi.string().max(200);
const siret = Joi.string().max(50).custom(checkSiret).allow(null).description('14 digits; spaces are allowed');
const newCompany = Joi.object<NewCompany>({
  name: name.required(),
  kind: Joi.string().valid('client', 'contractor').required(),
  siret,
});
const companyChange = Joi.object<CompanyChange>({ name, siret }).min(1);

export const companyReply = named('Company', companySchema);
const administeredCompany = named(
  'AdministeredCompany',
  (companySchema as Joi.ObjectSchema).keys({
    closed_at: Joi.string().isoDate().allow(null).required().description('null: it is open'),
  }),
);

export function companyRoutes(deps: Deps): Route[] {
  const { companies } = deps;
  return [
    createRoute(deps),
    route({
      ...platformRoute,
      method: 'get',
      path: '/admin/companies',
      summary: 'List companies',
      description: `\`q\` finds them by name, SIREN and SIRET. It looks at ${maxLookedAt} companies that have its longest word, and needs another word if there are more.`,
      query: searchQuery,
      reply: { status: 200, schema: pageReply(administeredCompany) },
      async handle({ query: { q, ...query } }) {
        const read = (page: Page) => (q === undefined ? companies.list(page) : companies.search(q, page));
        const page = await readPage(query, read, (last) => last.id);
        return { ...page, items: page.items.map(companyResponse) };
      },
    }),
    changeRoute(deps),
    closeRoute(deps),
    reopenRoute(deps),
    ...internalRoutes(deps),
  ];
}

/** A company, for a service whose copy lacks it: on behalf of a user of a company, or of the platform's administrator. */
function internalRoutes({ companies }: Deps): Route[] {
  const base = {
    host: 'internal',
    method: 'get',
    summary: 'A company, for a service whose copy lacks it',
    tag: 'Internal',
    params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
    load: ({ params }: { params: { company_id: string } }) => existingCompany(companies, params.company_id),
    reply: { status: 200, schema: companySchema },
    handle: async ({ resource: found }: { resource: Company }) => companySnapshot(found),
  } as const;
  return [
    route({ ...base, path: '/internal/companies/:company_id', access: { permission: null } }),
    route({ ...base, path: '/internal/platform/companies/:company_id', access: 'platform' }),
  ];
}

function createRoute({ companies, auditLog, now }: Deps): Route {
  return route({
    ...platformRoute,
    method: 'post',
    path: '/admin/companies',
    summary: 'Create a company',
    body: newCompany,
    reply: { status: 201, schema: administeredCompany },
    async handle({ body, write, ...request }) {
      const at = now();
      const alongside = auditedBy({ auditLog }, 'company.created', request, at);
      return companyResponse(await companies.add(createCompany(body, at), { write, alongside }));
    },
  });
}

/** The routes of one company that change it. */
function changingRoute({ companies }: Deps) {
  return {
    ...platformRoute,
    errors: ['404 company_not_found'],
    params: byId,
    load: ({ params }: { params: { id: string } }) => existingCompany(companies, params.id),
    reply: { status: 200, schema: administeredCompany },
  } as const;
}

function changeRoute(deps: Deps): Route {
  return route({
    ...changingRoute(deps),
    method: 'patch',
    path: '/admin/companies/:id',
    summary: 'Change a company',
    description:
      'What is left out stays; `siret: null` removes the number. Tickets keep the name that their client had when they were created.',
    body: companyChange,
    handle: ({ body, ...request }) =>
      change(deps, 'company.changed', request, (company, at) => changeCompany(company, body, at)),
  });
}

function closeRoute(deps: Deps): Route {
  return route({
    ...changingRoute(deps),
    method: 'post',
    path: '/admin/companies/:id/close',
    summary: 'Close a company',
    description:
      'Within 5 seconds nothing of it answers or is sent any more: 401 for its users and API tokens, no webhooks, no provider is asked. Nothing is deleted. One that is closed stays as it is.',
    handle: (request) => change(deps, 'company.closed', request, closeCompany),
  });
}

function reopenRoute(deps: Deps): Route {
  return route({
    ...changingRoute(deps),
    method: 'post',
    path: '/admin/companies/:id/reopen',
    summary: 'Open a closed company again',
    description:
      'Everything works again; invoices that came meanwhile are fetched, webhooks can be sent by `recover`. One that is open stays as it is.',
    handle: (request) => change(deps, 'company.reopened', request, reopenCompany),
  });
}

type Rule = (company: Company, at: Date) => ReturnType<typeof closeCompany>;
type Change = Request & { params: { id: string }; write: ProtectedWrite | null };

async function change(
  { companies, auditLog, now }: Deps,
  action: AuditAction,
  { params, write, ...request }: Change,
  rule: Rule,
) {
  const at = now();
  const alongside = auditedBy({ auditLog }, action, request, at);
  const changed = await companies.change(params.id, (company) => rule(company, at), { write, alongside });
  return companyResponse(orNotFound(changed));
}

const changeable = ['name', 'siret'];

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req'>;

/** Adds what is done to a company to its audit log. */
function auditedBy({ auditLog }: Pick<Deps, 'auditLog'>, action: AuditAction, request: Request, at: Date) {
  return async (company: Company, within: Required<Within>, before = company) => {
    const { id, name } = company;
    const target = { kind: 'company', id, name };
    const changes = auditChanges(before, company, { names: changeable, shown: changeable });
    await auditLog.add([auditEntry({ companyId: id, action, ...auditSource(request), target, changes }, at)], within);
  };
}

/** @throws AppError not_found `company_not_found` */
export async function existingCompany(companies: CompanyStore, companyId: string) {
  return orNotFound(await companies.find(companyId));
}

function orNotFound(company: Company | null): Company {
  if (!company) throw new AppError('not_found', 'company_not_found', 'there is no such company');
  return company;
}

/** As a Joi rule, so that a wrong SIRET is reported together with the other faults of the body. */
function checkSiret(text: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  try {
    parseSiret(text);
    return text;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return helpers.message({ custom: error.message });
  }
}
