import {
  type AuditAction,
  type AuditChange,
  auditChanges,
  audited,
  type Caller,
  oneOf,
  subscribableEvents,
} from '@app/contracts';
import { answer, auditSource, type Context, id, named, type Route, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import type { SecretBox } from '@app/runtime';
import type { AddressPolicy } from '@app/runtime/ssrf-guard';
import Joi from 'joi';
import type { CompanyClosureStore } from './company-closure-store.ts';
import { sealHeaders } from './custom-header.ts';
import {
  type Endpoint,
  type EndpointInput,
  type EndpointPatchBody,
  type EndpointWithSecret,
  endpointResponse,
  type NewEndpointBody,
  newSecret,
  permitContent,
  readsManagerNotes,
} from './endpoint.ts';
import { type EndpointFields, endpointFields } from './endpoint-fields.ts';
import { healthValues } from './endpoint-health.ts';
import type { EndpointStore } from './endpoint-store.ts';

type EndpointRouteDeps = {
  endpoints: EndpointStore;
  closures: Pick<CompanyClosureStore, 'apply'>;
  /** The deliveries of an endpoint that wait in the database. */
  deliveries: { cancelWaiting(endpointId: string, stopped: Endpoint | null): Promise<void> };
  /** The deliveries of an endpoint that are held in memory. */
  dispatcher: { evict(endpointId: string): void; reload(endpointId: string): void };
  secrets: SecretBox;
  policy: AddressPolicy;
  now: () => Date;
};

/**
 * What all routes of endpoints and deliveries have in common. An endpoint is the company's: it gets the events of every place,
 * and outlasts whoever made it. So a user limited to places has none, and reads no deliveries.
 */
export const endpointRouteBase = {
  host: 'ts',
  tag: 'Webhooks',
  access: { permission: 'api_webhooks', everyPlace: true },
} as const;

export const endpointErrors = ['404 webhook_endpoint_not_found'] as const;
export const endpointParams = Joi.object<{ id: string }>({ id: id.required() });

const responseFields = {
  id,
  name: Joi.string(),
  url: Joi.string(),
  events: Joi.array().items(oneOf(subscribableEvents)),
  headers: Joi.array()
    .items(answer({ name: Joi.string() }))
    .description('sent with each webhook; the values are not shown'),
  active: Joi.boolean(),
  consecutiveFailures: Joi.number(),
  disabledReason: Joi.string().allow(null),
  health: oneOf(healthValues).description('failing: nothing arrives; disabled: automatically'),
  healthSince: Joi.string().isoDate().allow(null),
  lastError: Joi.string().allow(null).description('the last error, as a sentence; null while nothing fails'),
  createdAt: Joi.string().isoDate(),
  updatedAt: Joi.string().isoDate(),
};
const responseSchema = named('Endpoint', responseFields);
const changedSchema = named('ChangedEndpoint', {
  ...responseFields,
  droppedHeaders: Joi.array()
    .items(answer({ name: Joi.string() }))
    .optional()
    .description('the headers that were not kept for a URL of another origin'),
});

/** Loads the endpoint of the path if it is the caller's. @throws AppError not_found */
export function loadEndpoint(endpoints: Pick<EndpointStore, 'find'>) {
  return async ({ params, caller }: { params: { id: string }; caller: Caller }): Promise<EndpointWithSecret> => {
    const endpoint = await endpoints.find(caller.companyId, params.id);
    if (endpoint) return endpoint;
    throw endpointNotFound();
  };
}

/** `/webhooks/endpoints` */
export function endpointRoutes(deps: EndpointRouteDeps): Route[] {
  const fields = endpointFields(deps.policy);
  return [listRoute(deps), createRoute(deps, fields), readRoute(deps), updateRoute(deps, fields), deleteRoute(deps)];
}

function listRoute({ endpoints }: EndpointRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'get',
    path: '/webhooks/endpoints',
    summary: 'Webhook endpoints of the company',
    reply: { status: 200, schema: answer({ items: Joi.array().items(responseSchema) }) },
    handle: async ({ caller }) => ({ items: (await endpoints.list(caller.companyId)).map(endpointResponse) }),
  });
}

function createRoute({ endpoints, closures, secrets, now }: EndpointRouteDeps, fields: EndpointFields): Route {
  const { name, url, events, headers } = fields;
  return route({
    ...endpointRouteBase,
    method: 'post',
    path: '/webhooks/endpoints',
    summary: 'Create a webhook endpoint',
    errors: ['409 webhook_endpoint_limit'],
    description: 'The secret is in this answer alone; it cannot be read again.',
    body: Joi.object<NewEndpointBody>({
      name: name.required(),
      url: url.required(),
      events: events.required(),
      headers,
    }),
    reply: { status: 201, schema: named('NewEndpoint', { ...responseFields, secret: Joi.string() }) },
    async handle({ caller, body: { headers: given = [], ...input }, write, ...request }) {
      permitContent(caller);
      const at = now();
      const endpoint = newEndpoint(caller.companyId, input, at);
      const changes = changesOf(null, { ...input, ...(given.length > 0 ? { headers: given } : {}) });
      const sealedSecret = secrets.seal(newSecret(), endpoint.id);
      const customHeaders = sealHeaders(secrets, endpoint.id, given);
      const sealed = { ...endpoint, sealedSecret, customHeaders, managerNotes: readsManagerNotes(caller) };
      const events = [auditEvent(endpoint, { action: 'webhook_endpoint.created', changes, at }, request)];
      const added = await endpoints.add(sealed, events, write);
      // The company may have been closed meanwhile.
      await closures.apply(caller.companyId);
      return { ...endpointResponse(added), secret: secrets.open(added.sealedSecret, added.id) };
    },
  });
}

function readRoute({ endpoints }: EndpointRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'get',
    path: '/webhooks/endpoints/:id',
    summary: 'A webhook endpoint',
    errors: endpointErrors,
    params: endpointParams,
    load: loadEndpoint(endpoints),
    reply: { status: 200, schema: responseSchema },
    handle: async ({ resource: found }) => endpointResponse(found),
  });
}

function updateRoute(
  { endpoints, deliveries, dispatcher, secrets, now }: EndpointRouteDeps,
  fields: EndpointFields,
): Route {
  return route({
    ...endpointRouteBase,
    method: 'patch',
    path: '/webhooks/endpoints/:id',
    summary: 'Change a webhook endpoint',
    description:
      'A `url` of another origin (scheme, host, port) drops the headers, unless they are sent with it: their values were entered for the receiver before, and nobody can read them.',
    errors: [...endpointErrors, '409 webhook_endpoint_changed'],
    params: endpointParams,
    load: loadEndpoint(endpoints),
    body: Joi.object<EndpointPatchBody>({ ...fields, active: Joi.boolean() }).min(1),
    reply: { status: 200, schema: changedSchema },
    async handle({ resource: found, caller, body: { headers: given, ...input }, ...request }) {
      if (input.url !== undefined || input.events !== undefined) permitContent(caller);
      const at = now();
      const dropped = given === undefined && movesAway(found, input.url) ? (found.customHeaders?.names ?? []) : [];
      const headers = dropped.length > 0 ? [] : given;
      const changes = changesOf(found, { ...input, ...(headers ? { headers } : {}) });
      const event = auditEvent(found, { action: 'webhook_endpoint.changed', changes, at }, request);
      const customHeaders = headers && { customHeaders: sealHeaders(secrets, found.id, headers) };
      const body = { ...input, ...customHeaders, ...managerNotesOf(found, input.url, caller) };
      // The process that deactivated it may have died before it canceled these: they must not be
      // sent unless a person asks for it.
      if (body.active === true && !found.active) await deliveries.cancelWaiting(found.id, found);
      const changed = await endpoints.update(found, body, { at, events: changes.length > 0 ? [event] : [] });
      if (!changed) throw await lostEndpoint(endpoints, found);
      if (body.active === false) {
        dispatcher.evict(changed.id);
        await deliveries.cancelWaiting(changed.id, changed);
        // Every field that sending uses belongs in this condition.
      } else if (changed.url !== found.url || headers) dispatcher.reload(found.id);
      const droppedHeaders = dropped.map((name) => ({ name }));
      return { ...endpointResponse(changed), ...(dropped.length > 0 ? { droppedHeaders } : {}) };
    },
  });
}

function deleteRoute({ endpoints, deliveries, dispatcher, now }: EndpointRouteDeps): Route {
  return route({
    ...endpointRouteBase,
    method: 'delete',
    path: '/webhooks/endpoints/:id',
    summary: 'Delete a webhook endpoint',
    errors: endpointErrors,
    params: endpointParams,
    load: loadEndpoint(endpoints),
    reply: { status: 204 },
    async handle({ resource: found, ...request }) {
      const at = now();
      const event = auditEvent(found, { action: 'webhook_endpoint.deleted', changes: [], at }, request);
      await endpoints.remove(found, { at, events: [event] });
      dispatcher.evict(found.id);
      await deliveries.cancelWaiting(found.id, null);
    },
  });
}

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req'>;
type AuditedChange = { action: AuditAction; changes: AuditChange[]; at: Date };

/** For the audit log of the company. */
function auditEvent({ id, companyId, name }: Endpoint, { action, changes, at }: AuditedChange, request: Request) {
  const target = { kind: 'webhook_endpoint', id, name };
  return audited({ companyId, action, ...auditSource(request), target, changes }, at);
}

/**
 * Headers that are sent again count as changed: the old values are encrypted and cannot be
 * compared. The URL is not shown, since it may contain a token.
 */
function changesOf(found: Endpoint | null, input: EndpointPatchBody): AuditChange[] {
  return auditChanges(found && { ...found }, input, { names: Object.keys(input), shown: ['name', 'events', 'active'] });
}

function endpointNotFound(): AppError {
  return new AppError('not_found', 'webhook_endpoint_not_found', 'there is no such webhook endpoint');
}

/** Whether this URL is of another origin. */
function movesAway(found: Endpoint, url?: string): boolean {
  return url !== undefined && new URL(url).origin !== new URL(found.url).origin;
}

/** Stored together with the URL, also with the same one: another change may come in between. */
function managerNotesOf({ url: before, managerNotes = false }: Endpoint, url: string | undefined, caller: Caller) {
  if (url === undefined) return {};
  return { managerNotes: url === before ? managerNotes : readsManagerNotes(caller) };
}

/** Why an endpoint that was read a moment ago could not be changed. */
async function lostEndpoint(endpoints: EndpointStore, { id, companyId }: Endpoint): Promise<AppError> {
  if ((await endpoints.find(companyId, id)) === null) return endpointNotFound();
  const message =
    'its URL was changed meanwhile: read the endpoint, and send the headers again if they are for that receiver';
  return new AppError('conflict', 'webhook_endpoint_changed', message);
}

function newEndpoint(companyId: string, input: EndpointInput, at: Date) {
  return {
    id: newId(at),
    companyId,
    ...input,
    active: true,
    consecutiveFailures: 0,
    disabledReason: null,
    createdAt: at,
    updatedAt: at,
  };
}
