import type { Caller } from '@app/contracts';
import { answer, id, named, type Route, respond, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import Joi from 'joi';
import {
  type FilteredList,
  filteredLists,
  permitChange,
  type SavedFilter,
  type SavedFilterInput,
  savedFilterResponse,
} from './saved-filter.ts';
import type { SavedFilterStore } from './saved-filter-store.ts';

type Deps = { savedFilters: SavedFilterStore; now: () => Date };
type ById = { id: string };

const fields = {
  name: Joi.string().max(60).pattern(/\S/),
  query: Joi.string().max(1_000).description('of the address of the console page, without `?`'),
  shared: Joi.boolean().description('the others of the company see it'),
};
const reply = named('SavedFilter', { id, ...fields, mine: Joi.boolean().description('you saved it') });

/** Filters of lists that users save for themselves, or share with their company. */
export function savedFilterRoutes(deps: Deps): Route[] {
  return (Object.keys(filteredLists) as FilteredList[]).flatMap((list) => {
    const access = { permission: filteredLists[list] };
    const base = { host: 'ts', tag: 'Saved filters', access, path: `/company/filters/${list}` } as const;
    return [...collectionRoutes(deps, list, base), ...entryRoutes(deps, list, base)];
  });
}

type Base = Pick<Route, 'host' | 'tag' | 'access' | 'path'>;

function collectionRoutes({ savedFilters, now }: Deps, list: FilteredList, base: Base): Route[] {
  return [
    route({
      ...base,
      method: 'get',
      summary: `List your saved filters of ${list}, and those that your company shares`,
      reply: { status: 200, schema: answer({ items: Joi.array().items(reply) }) },
      async handle({ caller }) {
        const found = await savedFilters.list({ ...viewerOf(caller), list });
        return { items: found.map((filter) => savedFilterResponse(filter, caller)) };
      },
    }),
    route<object, object, SavedFilterInput>({
      ...base,
      method: 'post',
      summary: `Save a filter of ${list}`,
      errors: ['422 saved_filter_limit'],
      body: Joi.object<SavedFilterInput>({
        name: fields.name.required(),
        query: fields.query.required(),
        shared: fields.shared.default(false),
      }),
      reply: { status: 201, schema: reply },
      async handle({ body, caller, write }) {
        const added = await savedFilters.add({ id: newId(now()), ...viewerOf(caller), list, ...body }, write);
        return savedFilterResponse(added, caller);
      },
    }),
  ];
}

function entryRoutes({ savedFilters }: Deps, list: FilteredList, base: Base): Route[] {
  const entry = {
    ...base,
    path: `${base.path}/:id`,
    errors: ['403 saved_filter_of_another', '404 saved_filter_not_found'],
    params: Joi.object<ById>({ id: id.required() }),
    async load({ params, caller }: { params: ById; caller: Caller }) {
      const found = await savedFilters.find({ ...viewerOf(caller), list }, params.id);
      if (!found) throw new AppError('not_found', 'saved_filter_not_found', 'there is no such filter');
      return found;
    },
  } as const;
  return [
    route<ById, object, Partial<SavedFilterInput>, SavedFilter>({
      ...entry,
      method: 'patch',
      summary: `Change, share or stop sharing a filter of ${list}`,
      errors: [...entry.errors, '422 saved_filter_limit'],
      body: Joi.object<Partial<SavedFilterInput>>(fields).min(1),
      reply: { status: 200, schema: reply },
      async handle({ resource, body, caller }) {
        permitChange(caller, resource);
        return savedFilterResponse(await savedFilters.change(resource, body), caller);
      },
    }),
    route<ById, object, object, SavedFilter>({
      ...entry,
      method: 'delete',
      summary: `Remove a filter of ${list}`,
      reply: { status: 204 },
      async handle({ resource, caller }) {
        permitChange(caller, resource);
        await savedFilters.remove(resource.id);
        return respond(204);
      },
    }),
  ];
}

function viewerOf({ companyId, userId }: Caller) {
  return { company_id: companyId, user_id: userId };
}
