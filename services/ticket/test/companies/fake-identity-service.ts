import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import { createApp, id, listen, route } from '@app/http';
import { AppError } from '@app/kernel';
import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';

/** What identity's internal operations answer, over real HTTP: another service, so it is not ours to import here. */
export async function startIdentity() {
  const companies = new Map<string, CompanySnapshot>();
  const users = new Map<string, UserSnapshot>();
  /** `<user id of the caller> <path>` of each request so far. */
  const asked: string[] = [];
  const common = { host: 'internal', method: 'get', tag: 'Internal', access: { permission: null } } as const;
  const ofCompany = {
    params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
    reply: { status: 200 },
  };
  const read = (company_id: string) => {
    if (standIn.broken) throw new Error('broken');
    const company = companies.get(company_id);
    if (!company) throw new AppError('not_found', 'company_not_found', 'there is no such company');
    return company;
  };
  const routes = [
    route<{ company_id: string }>({
      ...common,
      ...ofCompany,
      path: '/internal/companies/:company_id',
      summary: 'Read a company',
      async handle({ params, caller, req }) {
        asked.push(`${caller.userId} ${req.path}`);
        return read(params.company_id);
      },
    }),
    route<{ company_id: string }>({
      ...common,
      ...ofCompany,
      access: 'platform',
      path: '/internal/platform/companies/:company_id',
      summary: 'Read a company, for the platform',
      handle: async ({ params }) => read(params.company_id),
    }),
    route<{ company_id: string }, { ids: string }>({
      ...common,
      ...ofCompany,
      path: '/internal/companies/:company_id/users',
      summary: 'Users of a company by id',
      query: Joi.object<{ ids: string }>({ ids: Joi.string().required() }),
      async handle({ params, query, caller, req }) {
        asked.push(`${caller.userId} ${req.path}`);
        const wanted = query.ids.split(',');
        const found = [...users.values()].filter((user) => user.company_id === params.company_id);
        return { items: found.filter((user) => wanted.includes(user.id)) };
      },
    }),
  ];
  /** `broken` makes it answer 500. */
  const standIn = { companies, users, asked, broken: false };
  const app = createApp({ routes, logger: testLogger(), verifyToken: verifyTestToken });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return Object.assign(standIn, { url: `http://127.0.0.1:${server.port}`, stop: () => server.close() });
}
