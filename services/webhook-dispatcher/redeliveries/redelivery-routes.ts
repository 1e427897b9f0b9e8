import { oneOf, subscribableEvents } from '@app/contracts';
import { answer, type Context, id, moment, named, type Route, route } from '@app/http';
import { AppError, isId, newId } from '@app/kernel';
import Joi from 'joi';
import type { DeliveryStatus, LogFilter } from '../deliveries/delivery.ts';
import { loggedBy } from '../deliveries/delivery-list.ts';
import type { DeliveryLogStore } from '../deliveries/delivery-log-store.ts';
import { mustBeActive } from '../deliveries/delivery-routes.ts';
import { endpointErrors, endpointParams, endpointRouteBase, loadEndpoint } from '../endpoints/endpoint-routes.ts';
import type { EndpointStore } from '../endpoints/endpoint-store.ts';
import {
  countedAtMost,
  newRedelivery,
  redeliverableStatuses,
  redeliveryResponse,
  redeliveryStates,
} from './redelivery.ts';
import type { RedeliveryStore } from './redelivery-store.ts';

type RedeliveryRouteDeps = {
  endpoints: Pick<EndpointStore, 'find'>;
  log: Pick<DeliveryLogStore, 'read'>;
  redeliveries: RedeliveryStore;
  worker: { notify(): void };
  now: () => Date;
};

type Body = LogFilter & { status: DeliveryStatus };
const filterFields = {
  status: oneOf(redeliverableStatuses),
  event: oneOf(subscribableEvents),
  ticket: id.description('the id of a ticket'),
  since: moment.description('created at or after; an ISO date or milliseconds'),
  until: moment.description('created before; an ISO date or milliseconds'),
};
const isoDate = Joi.string().isoDate();
const redelivery = named('Redelivery', {
  id,
  state: oneOf(redeliveryStates),
  total: Joi.number().description(`what the filter found at first, at most ${countedAtMost}`),
  processed: Joi.number(),
  queued: Joi.number().description('of those: attempted again'),
  filter: answer({
    status: filterFields.status,
    event: filterFields.event.optional(),
    ticket: filterFields.ticket.optional(),
    since: isoDate.optional(),
    until: isoDate.description('at most the creation of this job'),
  }),
  createdAt: isoDate,
  endedAt: isoDate.allow(null),
});

/** Routes of jobs that send all deliveries of a filter again. */
export function redeliveryRoutes(deps: RedeliveryRouteDeps): Route[] {
  return [createRoute(deps), readRoute(deps)];
}

function createRoute({ endpoints, log, redeliveries, worker, now }: RedeliveryRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'post',
    path: '/webhooks/endpoints/:id/redeliveries',
    summary: 'Send again all deliveries that a filter finds',
    errors: [...endpointErrors, '409 webhook_endpoint_inactive', '409 webhook_redelivery_running'],
    description:
      'A job: it goes on by itself, and tells how far it came. Tests are left out. An endpoint has one at a time.',
    params: endpointParams,
    load: loadEndpoint(endpoints),
    body: Joi.object<Body>({ ...filterFields, status: filterFields.status.required() }),
    reply: { status: 202, schema: redelivery },
    async handle({ resource: endpoint, body: filter, write }) {
      mustBeActive(endpoint);
      const at = now();
      const ids = { id: newId(at), companyId: endpoint.companyId, endpointId: endpoint.id };
      const total = await log.read.count(endpoint.id, loggedBy({ until: at, ...filter }), countedAtMost);
      const added = await redeliveries.add(newRedelivery({ ...ids, filter }, total, at), write);
      worker.notify();
      return redeliveryResponse(added);
    },
  });
}

type ReadParams = { id: string; redeliveryId: string };

function readRoute({ endpoints, redeliveries }: RedeliveryRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'get',
    path: '/webhooks/endpoints/:id/redeliveries/:redeliveryId',
    summary: 'How far such a job came',
    errors: [...endpointErrors, '404 webhook_redelivery_not_found'],
    params: Joi.object<ReadParams>({ id: id.required(), redeliveryId: id.required() }),
    async load({ params, caller }: Pick<Context<ReadParams, never, never, never>, 'params' | 'caller'>) {
      const endpoint = await loadEndpoint(endpoints)({ params, caller });
      const found = isId(params.redeliveryId) ? await redeliveries.find(endpoint.id, params.redeliveryId) : null;
      if (found) return found;
      throw new AppError('not_found', 'webhook_redelivery_not_found', 'there is no such redelivery');
    },
    reply: { status: 200, schema: redelivery },
    handle: async ({ resource: found }) => redeliveryResponse(found),
  });
}
