import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import { createApp, id, type Listening, listen, route } from '@app/http';
import { AppError } from '@app/kernel';
import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';

export type FakeIdentityService = {
  companies: Map<string, CompanySnapshot>;
  users: Map<string, UserSnapshot>;
  /** `<user id of the caller> <path>` of each request so far. */
  asked: string[];
  /** Makes it answer 500. */
  broken: boolean;
  url: string;
  stop(): Promise<void>;
};

/** What identity's internal operations answer, over real HTTP: another service, so it is not ours to import here. */
export async function startIdentity(): Promise<FakeIdentityService> {
  const companies = new Map<string, CompanySnapshot>();
  const users = new Map<string, UserSnapshot>();
  const asked: string[] = [];
  const common = { host: 'internal', method: 'get', tag: 'Internal', access: { permission: null } } as const;
  const routes = [
    route<{ company_id: string }>({
      ...common,
      path: '/internal/companies/:company_id',
      summary: 'Read a company',
      params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
      reply: { status: 200 },
      async handle({ params, caller, req }) {
        asked.push(`${caller.userId} ${req.path}`);
        if (standIn.broken) throw new Error('broken');
        const company = companies.get(params.company_id);
        if (!company) throw new AppError('not_found', 'company_not_found', 'there is no such company');
        return company;
      },
    }),
    route<{ company_id: string }>({
      ...common,
      access: 'platform',
      path: '/internal/platform/companies/:company_id',
      summary: 'Read a company, for the platform',
      params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
      reply: { status: 200 },
      async handle({ params }) {
        const company = companies.get(params.company_id);
        if (!company) throw new AppError('not_found', 'company_not_found', 'there is no such company');
        return company;
      },
    }),
    route<{ company_id: string }, { ids: string }>({
      ...common,
      path: '/internal/companies/:company_id/users',
      summary: 'Users of a company by id',
      params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
      query: Joi.object<{ ids: string }>({ ids: Joi.string().required() }),
      reply: { status: 200 },
      async handle({ params, query, caller, req }) {
        asked.push(`${caller.userId} ${req.path}`);
        const wanted = query.ids.split(',');
        const found = [...users.values()].filter((user) => user.company_id === params.company_id);
        return { items: found.filter((user) => wanted.includes(user.id)) };
      },
    }),
  ];
  const standIn = { companies, users, asked, broken: false };
  const app = createApp({ service: 'identity', routes, logger: testLogger(), verifyToken: verifyTestToken });
  const server: Listening = await listen(app, { host: '127.0.0.1', port: 0 });
  return Object.assign(standIn, { url: `http://127.0.0.1:${server.port}`, stop: () => server.close() });
}
