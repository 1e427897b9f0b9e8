import { answer, bearerToken, id, type Route, route } from '@app/http';
import { readPage } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { reference } from '../http/answer-schemas.ts';
import { type Paging, page, paging } from '../http/paging.ts';
import { answerRequest, type Contractor, contractorNotFound } from './contractor.ts';
import type { ContractorStore } from './contractor-store.ts';

type Deps = {
  contractors: Pick<ContractorStore, 'clientsOf' | 'requestsTo' | 'ofCompany' | 'change'>;
  companies: Pick<CompanyDirectory, 'names'>;
  now?: () => Date;
};

const common = {
  host: 'ticket',
  tag: 'Contractors',
  access: {
    permission: 'tickets',
    only: { kind: 'contractor', code: 'contractors_only', message: 'this operation is for contractor companies' },
  },
} as const;

/** The clients for which a contractor may create tickets, and those that ask it for its yes. */
export function clientRoutes(deps: Deps): Route[] {
  return [...requestRoutes(deps), ...listRoutes(deps)];
}

const requestsPath = '/api/v3.0/clients/requests';

function requestRoutes(deps: Deps): Route[] {
  const { contractors, companies } = deps;
  return [
    route<object, Paging>({
      ...common,
      path: requestsPath,
      method: 'get',
      summary: 'List the clients that ask to link your company',
      description: 'A client that has named your company in its directory shares no ticket with it before you say yes.',
      query: Joi.object<Paging>(paging),
      reply: {
        status: 200,
        schema: answer({
          requests: Joi.array().items(
            answer({
              contractor_id: Joi.string().description('the entry of its directory'),
              name: Joi.string().description('what it calls you'),
              client: reference,
            }),
          ),
          cursor: Joi.string().allow(null),
        }),
      },
      async handle({ caller, query, req }) {
        const { items, cursor } = await page(query, (wanted) => contractors.requestsTo(caller.companyId, wanted));
        const ids = items.map(({ client_id }) => client_id);
        const names = await companies.names(ids, bearerToken(req));
        const requests = items.map(({ _id: contractor_id, name, client_id }, index) => {
          return { contractor_id, name, client: { _id: client_id, name: names[index] ?? null } };
        });
        return { requests, cursor };
      },
    }),
    answerRoute(deps, {
      method: 'put',
      accept: true,
      summary: 'Say yes to a client that asks to link your company',
      description: 'It may share its tickets with you, those included that it has assigned to this entry before.',
    }),
    answerRoute(deps, {
      method: 'delete',
      accept: false,
      summary: 'Say no to a client that asks to link your company',
      description: 'The request ends. What is linked stays so.',
    }),
  ];
}

type Answer = { method: 'put' | 'delete'; accept: boolean; summary: string; description: string };

function answerRoute({ contractors, now = () => new Date() }: Deps, { accept, ...documented }: Answer): Route {
  return route<{ contractor_id: string }, object, object, Contractor>({
    ...common,
    ...documented,
    path: `${requestsPath}/:contractor_id`,
    errors: ['404 contractor_not_found', '409 contractor_exists', '503 contractor_busy'],
    params: Joi.object<{ contractor_id: string }>({ contractor_id: id.required() }),
    async load({ params, caller }) {
      const found = await contractors.ofCompany(caller.companyId, params.contractor_id);
      if (!found) throw contractorNotFound();
      return found;
    },
    reply: { status: 204 },
    async handle({ resource, caller: { companyId } }) {
      const at = now();
      await contractors.change(resource.client_id, resource._id, (current) =>
        answerRequest(current, { companyId, accept, at }),
      );
    },
  });
}

function listRoutes({ contractors, companies }: Deps): Route[] {
  return [
    route<object, Paging>({
      ...common,
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
        const read = (wanted: Paging) => contractors.clientsOf(caller.companyId, wanted);
        const { items, nextCursor: cursor } = await readPage(query, read, (last) => last);
        const token = bearerToken(req);
        const names = await companies.names(items, token);
        return { clients: items.map((_id, index) => ({ _id, name: names[index] ?? null })), cursor };
      },
    }),
  ];
}
