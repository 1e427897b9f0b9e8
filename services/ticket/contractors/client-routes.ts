import { answer, bearerToken, type Route, route } from '@app/http';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { reference } from '../http/answer-schemas.ts';
import { type Paging, page, paging } from '../http/paging.ts';
import type { ContractorStore } from './contractor-store.ts';

type Deps = { contractors: Pick<ContractorStore, 'clientsOf'>; companies: Pick<CompanyDirectory, 'company'> };

/** The clients for which a contractor may create tickets. */
export function clientRoutes({ contractors, companies }: Deps): Route[] {
  return [
    route<object, Paging>({
      host: 'ticket',
      tag: 'Contractors',
      access: {
        permission: 'tickets',
        only: { kind: 'contractor', code: 'contractors_only', message: 'this operation is for contractor companies' },
      },
      path: '/api/v3.0/clients',
      method: 'get',
      summary: 'List the clients that have your company in their directory',
      description: 'Ascending by id: any of them can be the `client_id` of a ticket that you create.',
      query: Joi.object<Paging>(paging),
      reply: {
        status: 200,
        schema: answer({ clients: Joi.array().items(reference), cursor: Joi.string().allow(null) }),
      },
      async handle({ caller, query, req }) {
        const read = await contractors.clientsOf(caller.companyId, { ...query, limit: query.limit + 1 });
        const ids = read.map((_id) => ({ _id }));
        const { items, cursor } = page(ids, query.limit);
        const token = bearerToken(req);
        const named = await Promise.all(items.map(({ _id }) => companies.company(_id, token)));
        return { clients: items.map(({ _id }, index) => ({ _id, name: named[index]?.name ?? null })), cursor };
      },
    }),
  ];
}
