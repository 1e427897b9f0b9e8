import { type Caller, oneOf, subscribableEvents, testEvent } from '@app/contracts';
import { answer, type Context, id, moment, named, type Route, respond, route } from '@app/http';
import { listRoutes } from '@app/http/lists';
import { AppError, isId, newId } from '@app/kernel';
import Joi from 'joi';
import { type Attempt, attemptErrors, isFaultOfOurs } from '../attempt.ts';
import {
  type Endpoint,
  type EndpointWithSecret,
  permitContent,
  permitManagerNotes,
  readsContent,
} from '../endpoints/endpoint.ts';
import { endpointErrors, endpointParams, endpointRouteBase, loadEndpoint } from '../endpoints/endpoint-routes.ts';
import type { EndpointStore } from '../endpoints/endpoint-store.ts';
import { type Delivery, deliveryBody, deliveryStatuses, maxAttemptsOf, outcomeOf } from './delivery.ts';
import { deliveryList } from './delivery-list.ts';
import type { DeliveryLogStore, LoggedDelivery } from './delivery-log-store.ts';
import { type DeliveryRecord, type DeliveryStore, toDelivery } from './delivery-store.ts';

type DeliveryRouteDeps = {
  endpoints: Pick<EndpointStore, 'find'>;
  deliveries: Pick<DeliveryStore, 'insert'>;
  log: DeliveryLogStore;
  dispatcher: { notifyDue(endpointId: string): void };
  sender: {
    send(delivery: Delivery, endpoint: EndpointWithSecret): Promise<Attempt>;
    headersOf(delivery: Delivery, endpoint: EndpointWithSecret, at: Date): Record<string, string> | null;
  };
  retryDelaysMs: readonly number[];
  now: () => Date;
};

const deliveryParams = Joi.object<{ id: string; deliveryId: string }>({ id: id.required(), deliveryId: id.required() });

const deliveryErrors = [...endpointErrors, '404 webhook_delivery_not_found'] as const;

const attemptError = oneOf(attemptErrors).allow(null).description('null for a success; later versions may add some');
const attemptFields = {
  at: Joi.string().isoDate(),
  statusCode: Joi.number().allow(null),
  durationMs: Joi.number(),
  error: attemptError,
  responseBody: Joi.string().allow(null, '').description('first 1 KB'),
};
const requestHeaders = Joi.object()
  .pattern(Joi.string(), Joi.string())
  .allow(null)
  .description('with the signature; null if nothing was sent, or the secret cannot be read any more');
const itemFields = {
  id,
  event: oneOf([...subscribableEvents, testEvent]).description('later versions may add some'),
  ticket: answer({ id, number: Joi.string(), title: Joi.string().allow('') })
    .allow(null)
    .description('null for a test, and for who may not read tickets'),
  eventId: Joi.string().allow(null).description('the same at every endpoint; null for a test'),
  eventTime: Joi.string().isoDate().allow(null).description('created_at of the body; null for a test'),
  status: oneOf(deliveryStatuses),
  statusCode: Joi.number().allow(null).description('of the last attempt'),
  attempts: Joi.array().items(answer(attemptFields)),
  maxAttempts: Joi.number().description('those made, and those that may follow while it is `pending` or `failed`'),
  createdAt: Joi.string().isoDate(),
  nextAttemptAt: Joi.string().isoDate().allow(null),
};

const deliverySchema = named('Delivery', itemFields);
const testResultSchema = named('TestResult', {
  success: Joi.boolean(),
  statusCode: Joi.number().allow(null),
  error: attemptError,
  deliveryId: id.description('of the log, which has the answer in more detail'),
});

/** The delivery log of an endpoint, and its operations: redeliver, recover, test. */
export function deliveryRoutes(deps: DeliveryRouteDeps): Route[] {
  return [...logRoutes(deps), readRoute(deps), redeliverRoute(deps), recoverRoute(deps), testRoute(deps)];
}

/** Loads the delivery of the path, with its endpoint, if it is the caller's. @throws AppError not_found */
function loadDelivery({ endpoints, log }: DeliveryRouteDeps) {
  type Request = Pick<Context<{ id: string; deliveryId: string }, never, never, never>, 'params' | 'caller'>;
  return async ({ params, caller }: Request) => {
    const endpoint = await loadEndpoint(endpoints)({ params, caller });
    const delivery = isId(params.deliveryId) ? await log.find(endpoint.id, params.deliveryId) : null;
    if (!delivery) throw new AppError('not_found', 'webhook_delivery_not_found', 'there is no such delivery');
    return { endpoint, delivery };
  };
}

function logRoutes({ endpoints, log, retryDelaysMs }: DeliveryRouteDeps): Route[] {
  type Logged = Omit<DeliveryRecord, 'body'>;
  return listRoutes<Logged, Endpoint, { id: string }>({
    base: {
      ...endpointRouteBase,
      path: '/webhooks/endpoints/:id/deliveries',
      errors: endpointErrors,
      params: endpointParams,
      load: loadEndpoint(endpoints),
    },
    summary: [
      'Last deliveries of an endpoint, the newest first',
      'Download the deliveries of an endpoint for a spreadsheet',
    ],
    description: '90 days of them, page by page. Filters combine with AND.',
    list: deliveryList,
    read: log.read,
    byDefault: { by: 'createdAt', order: 'desc' },
    maxLimit: 100,
    tenantOf: ({ resource }) => resource.id,
    show: (found, { caller }) => found.map((one) => itemResponse(toDelivery(one), { retryDelaysMs, caller })),
    rows: (found, { caller }) =>
      found.map((one) => ({
        ...itemResponse(toDelivery(one), { retryDelaysMs, caller }),
        attempted: one.attempts.length,
        error: one.attempts.at(-1)?.error ?? null,
      })),
    item: deliverySchema,
    names: { items: 'items', cursor: 'nextCursor', file: 'deliveries' },
  });
}

function readRoute(deps: DeliveryRouteDeps): Route {
  const { sender, retryDelaysMs } = deps;
  return route({
    ...endpointRouteBase,
    method: 'get',
    path: '/webhooks/endpoints/:id/deliveries/:deliveryId',
    summary: 'A delivery with the body and the headers sent',
    errors: deliveryErrors,
    params: deliveryParams,
    load: loadDelivery(deps),
    reply: {
      status: 200,
      schema: named('DeliveryWithBody', {
        ...itemFields,
        attempts: Joi.array().items(named('AttemptWithRequest', { ...attemptFields, requestHeaders })),
        body: Joi.string().description('the bytes sent, as text'),
      }),
    },
    async handle({ resource: { endpoint, delivery }, caller }) {
      if (delivery.event !== testEvent) permitContent(caller);
      if (delivery.isForManagers) permitManagerNotes(caller);
      return {
        ...itemResponse(delivery, { retryDelaysMs, caller }),
        attempts: delivery.attempts.map((attempt) => ({
          ...attemptResponse(attempt),
          requestHeaders: isFaultOfOurs(attempt.error) ? null : sender.headersOf(delivery, endpoint, attempt.at),
        })),
        body: delivery.body,
      };
    },
  });
}

function redeliverRoute(deps: DeliveryRouteDeps): Route {
  const { log, dispatcher, retryDelaysMs, now } = deps;
  return route({
    ...endpointRouteBase,
    method: 'post',
    path: '/webhooks/endpoints/:id/deliveries/:deliveryId/redeliver',
    summary: 'Send a delivery again, under its same id',
    errors: [...deliveryErrors, '409 webhook_endpoint_inactive'],
    params: deliveryParams,
    load: loadDelivery(deps),
    body: Joi.object({}),
    reply: { status: 202, schema: deliverySchema },
    async handle({ resource: { endpoint, delivery }, caller, write }) {
      mustBeActive(endpoint);
      const restarted = await log.redeliver(endpoint, delivery.id, { at: now(), write });
      dispatcher.notifyDue(endpoint.id);
      const current = restarted ?? (await log.find(endpoint.id, delivery.id)) ?? delivery;
      return itemResponse(current, { retryDelaysMs, caller });
    },
  });
}

/** The limit of a dry run's count. */
const countedAtMost = 100_000;

type Recovery = { since: Date; until?: Date; dryRun: boolean };

function recoverRoute({ endpoints, log, dispatcher, now }: DeliveryRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'post',
    path: '/webhooks/endpoints/:id/recover',
    summary: 'Send again all exhausted or canceled deliveries since a moment',
    description: `With \`dryRun\` nothing is sent: it answers how many there are, up to ${countedAtMost}, also for an inactive endpoint.`,
    errors: [...endpointErrors, '409 webhook_endpoint_inactive'],
    params: endpointParams,
    load: loadEndpoint(endpoints),
    body: Joi.object<Recovery>({
      since: moment.required().description('created at or after; an ISO date or milliseconds'),
      until: moment.description('created before; an ISO date or milliseconds'),
      dryRun: Joi.boolean().default(false),
    }),
    reply: { status: 202, schema: answer({ queued: Joi.number() }), also: { 200: 'How many there are' } },
    async handle({ resource: found, body: { dryRun, ...made } }) {
      if (dryRun) return respond(200, { queued: await log.countRecoverable(found.id, made, countedAtMost) });
      mustBeActive(found);
      const queued = await log.recover(found, made, now());
      dispatcher.notifyDue(found.id);
      return { queued };
    },
  });
}

function testRoute({ endpoints, deliveries, sender, now }: DeliveryRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'post',
    path: '/webhooks/endpoints/:id/test',
    summary: 'Send a webhook.test event and wait for the answer',
    errors: endpointErrors,
    params: endpointParams,
    load: loadEndpoint(endpoints),
    body: Joi.object({}),
    reply: { status: 200, schema: testResultSchema },
    async handle({ resource: found }) {
      const delivery = newTest(found, now());
      const attempt = await sender.send(delivery, found);
      const { status } = outcomeOf(attempt, 0, []);
      const logged = { ...delivery, status, tries: 1, attempts: [attempt] };
      await deliveries.insert([{ delivery: logged, lease: null }]);
      // Never the body of the answer: it would let a caller read what only this service can reach.
      const { statusCode, error } = attempt;
      return { success: error === null, statusCode, error, deliveryId: delivery.id };
    },
  });
}

/** @throws AppError conflict */
export function mustBeActive(endpoint: Endpoint): void {
  if (endpoint.active) return;
  throw new AppError('conflict', 'webhook_endpoint_inactive', 'the endpoint is inactive; set active to true first');
}

function newTest({ id: endpointId, name }: Endpoint, at: Date): Delivery {
  const body = deliveryBody(testEvent, at.toISOString(), { endpoint: { id: endpointId, name } });
  const empty = { tries: 0, attempts: [], nextAttemptAt: null };
  return { id: newId(at), endpointId, event: testEvent, body, status: 'pending', createdAt: at, ...empty };
}

type View = { retryDelaysMs: readonly number[]; caller: Caller };

/** A delivery in the log; `statusCode` is that of its last attempt. */
function itemResponse(delivery: LoggedDelivery, { retryDelaysMs, caller }: View) {
  const { id: deliveryId, event, ticket, origin, status, attempts, ...times } = delivery;
  return {
    id: deliveryId,
    event,
    ticket: readsContent(caller) ? (ticket ?? null) : null,
    eventId: origin?.eventId ?? null,
    eventTime: origin?.eventTime.toISOString() ?? null,
    status,
    statusCode: attempts.at(-1)?.statusCode ?? null,
    attempts: attempts.map(attemptResponse),
    maxAttempts: maxAttemptsOf(delivery, retryDelaysMs),
    createdAt: times.createdAt.toISOString(),
    nextAttemptAt: times.nextAttemptAt?.toISOString() ?? null,
  };
}

function attemptResponse(attempt: Attempt) {
  return { ...attempt, at: attempt.at.toISOString() };
}
