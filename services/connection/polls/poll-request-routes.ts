import { byId, named, type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { Connection } from '../connections/connection.ts';
import { connectionRoute, orNotFound } from '../connections/connection-routes.ts';
import type { ConnectionStore } from '../connections/connection-store.ts';

type Deps = {
  connections: Pick<ConnectionStore, 'find' | 'requestPoll'>;
  notifyPoller: () => void;
  now: () => Date;
};

/** The route by which a person has a connection polled at once. */
export function pollRequestRoutes({ connections, notifyPoller, now }: Deps): Route[] {
  return [
    route<{ id: string }, object, object, Connection>({
      ...connectionRoute,
      method: 'post',
      path: '/invoice-connections/:id/poll',
      summary: 'Have a connection polled now',
      description:
        'At most once a minute, and not while it is being polled: such a request changes nothing. `lastPolledAt` tells when a poll was complete.',
      errors: ['404 connection_not_found', '409 connection_inactive'],
      params: byId,
      load: ({ params, caller }) => orNotFound(connections.find(params.id, caller.companyId)),
      reply: { status: 202, schema: named('Ok', { ok: Joi.boolean().valid(true) }) },
      async handle({ resource: connection, caller: { companyId } }) {
        if (!connection.active) {
          throw new AppError('conflict', 'connection_inactive', 'this connection is switched off');
        }
        if (await connections.requestPoll(connection.id, companyId, now())) notifyPoller();
        return { ok: true };
      },
    }),
  ];
}
