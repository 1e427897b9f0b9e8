import { answer, type Route, route } from '@app/http';
import { readPage } from '@app/kernel';
import Joi from 'joi';
import { personSchema } from '../http/answer-schemas.ts';
import { type Paging, paging } from '../http/paging.ts';
import type { CompanyProjections } from './company-projection-store.ts';
import { userResponse } from './user-response.ts';

/** The users of the caller's company, whom `manager_ids` and `contact_ids` may name. */
export function userRoutes({ projections }: { projections: CompanyProjections }): Route[] {
  return [
    route<object, Paging>({
      host: 'ticket',
      method: 'get',
      path: '/api/v3.0/users',
      summary: "List one's own company's users",
      tag: 'Users',
      access: { permission: 'tickets' },
      query: Joi.object<Paging>(paging),
      reply: {
        status: 200,
        schema: answer({ users: Joi.array().items(personSchema), cursor: Joi.string().allow(null) }),
      },
      async handle({ caller, query }) {
        const read = (wanted: Paging) => projections.listUsers(caller.companyId, wanted);
        const { items, nextCursor: cursor } = await readPage(query, read, (last) => last.id);
        return { users: items.map(userResponse), cursor };
      },
    }),
  ];
}
