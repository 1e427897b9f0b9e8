import { companySchema } from '@app/contracts';
import { id, named, type Route, route } from '@app/http';
import { AppError, parseSiret } from '@app/kernel';
import Joi from 'joi';
import { pageQuery, pageReply } from '../page-schemas.ts';
import { readPage } from '../paging.ts';
import { createCompany, type NewCompany } from './company.ts';
import type { CompanyStore } from './company-store.ts';

type Deps = { companies: CompanyStore; now: () => Date };

const newCompany = Joi.object<NewCompany>({
  name: Joi.string().max(200).required(),
  kind: Joi.string().valid('client', 'contractor').required(),
  siret: Joi.string().max(50).custom(checkSiret).allow(null).description('14 digits; spaces are allowed'),
});

export const companyReply = named('Company', companySchema);

export function companyRoutes({ companies, now }: Deps): Route[] {
  return [
    route({
      host: 'ts',
      method: 'post',
      path: '/admin/companies',
      summary: 'Create a company',
      tag: 'Platform administration',
      access: 'platform',
      body: newCompany,
      reply: { status: 201, schema: companyReply },
      async handle({ body }) {
        return companies.add(createCompany(body, now()));
      },
    }),
    route({
      host: 'ts',
      method: 'get',
      path: '/admin/companies',
      summary: 'List companies',
      tag: 'Platform administration',
      access: 'platform',
      query: pageQuery,
      reply: { status: 200, schema: pageReply(companyReply) },
      handle: ({ query }) => readPage(query, companies.list),
    }),
    route({
      host: 'internal',
      method: 'get',
      path: '/internal/companies/:company_id',
      summary: 'A company, for a service whose copy lacks it',
      tag: 'Internal',
      access: { permission: null },
      params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
      load: ({ params }) => existingCompany(companies, params.company_id),
      reply: { status: 200, schema: companySchema },
      handle: async ({ resource: found }) => found,
    }),
  ];
}

/** @throws AppError not_found `company_not_found` */
export async function existingCompany(companies: CompanyStore, companyId: string) {
  const company = await companies.find(companyId);
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
