import type { Caller } from '@app/contracts';
import { answer, byId, id, named, type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { FilteredList, SavedFilter, SavedFilterStore, StoredFilter } from './saved-filter-store.ts';

type Deps = { savedFilters: SavedFilterStore };

const fields = {
  name: Joi.string().max(60).pattern(/\S/).required(),
  query: Joi.string().max(1_000).required().description('of the address of the console page, without `?`'),
  shared: Joi.boolean().default(false).description('the others of the company see it'),
};
const reply = named('SavedFilter', { id, ...fields, mine: Joi.boolean().description('you saved it') });

/** Filters of lists that users save for themselves, or share with their company. */
export function savedFilterRoutes(deps: Deps): Route[] {
  return [...routesOf(deps, 'tickets', 'tickets'), ...routesOf(deps, 'invoices', 'accounting')];
}

/** For who may see the list. */
function routesOf({ savedFilters }: Deps, list: FilteredList, permission: 'tickets' | 'accounting'): Route[] {
  const base = { host: 'ts', tag: 'Saved filters', access: { permission }, path: `/company/filters/${list}` } as const;
  const viewerOf = ({ companyId, userId }: Caller) => ({ company_id: companyId, user_id: userId, list });
  return [
    route({
      ...base,
      method: 'get',
      summary: `List your saved filters of ${list}, and those that your company shares`,
      reply: { status: 200, schema: answer({ items: Joi.array().items(reply) }) },
      async handle({ caller }) {
        return { items: (await savedFilters.list(viewerOf(caller))).map((filter) => responseOf(filter, caller)) };
      },
    }),
    route<object, object, SavedFilter>({
      ...base,
      method: 'put',
      summary: `Save a filter of ${list}`,
      description: 'Your own of the same name is replaced.',
      errors: ['422 saved_filter_limit'],
      body: Joi.object<SavedFilter>(fields),
      reply: { status: 200, schema: reply },
      handle: async ({ body, caller }) => responseOf(await savedFilters.save(viewerOf(caller), body), caller),
    }),
    route<{ id: string }, object, object, StoredFilter>({
      ...base,
      path: `${base.path}/:id`,
      method: 'delete',
      summary: `Remove a filter of ${list}`,
      errors: ['403 saved_filter_of_another', '404 saved_filter_not_found'],
      params: byId,
      async load({ params, caller }) {
        const found = (await savedFilters.list(viewerOf(caller))).find(({ _id }) => _id === params.id);
        if (found) return found;
        throw new AppError('not_found', 'saved_filter_not_found', 'there is no such filter');
      },
      reply: { status: 204 },
      async handle({ resource: { _id, user_id }, caller: { userId, permissions } }) {
        if (user_id !== userId && !permissions.includes('admin'))
          throw new AppError('forbidden', 'saved_filter_of_another', 'who saved this filter removes it, or an admin');
        await savedFilters.remove(_id);
      },
    }),
  ];
}

function responseOf({ _id, name, query, shared, user_id }: StoredFilter, { userId }: Caller) {
  return { id: _id, name, query, shared, mine: user_id === userId };
}
