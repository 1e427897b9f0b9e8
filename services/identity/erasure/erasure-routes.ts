import { auditSource, byId, type Route, route } from '@app/http';
import { platformRoute } from '../page-schemas.ts';
import { userResponse } from '../users/user.ts';
import { loadUser, userReply } from '../users/user-routes.ts';
import { type ErasureDeps, erasePerson } from './erase-user.ts';

const reply = { status: 202, schema: userReply } as const;
const description = [
  'The user is out everywhere within 5 seconds, and name, e-mail address and phone number become neutral values, in all services.',
  '`erasure` of the user says when that is done. It cannot be taken back. What people wrote is not searched for names.',
].join(' ');

export function erasureRoutes(deps: ErasureDeps): Route[] {
  return [
    route({
      host: 'ts',
      method: 'post',
      path: '/company/users/:id/erase',
      summary: 'Erase a person of your company',
      description,
      errors: ['404 user_not_found', '409 user_is_oneself', '409 last_admin'],
      tag: 'Users',
      access: { permission: 'admin' },
      params: byId,
      load: loadUser(deps.users),
      reply,
      handle: async ({ params, caller: by, ...context }) =>
        userResponse(await erasePerson(deps, { userId: params.id, by, source: auditSource(context) })),
    }),
    route({
      ...platformRoute,
      method: 'post',
      path: '/admin/users/:id/erase',
      summary: 'Erase a person',
      description,
      errors: ['404 user_not_found'],
      params: byId,
      reply,
      handle: async ({ params, ...context }) =>
        userResponse(await erasePerson(deps, { userId: params.id, by: null, source: auditSource(context) })),
    }),
  ];
}
