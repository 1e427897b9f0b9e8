import type { Caller } from '@app/contracts';
import { id, type Route, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import type { SecretBox } from '@app/runtime';
import type { AddressPolicy } from '@app/ssrf-guard';
import Joi from 'joi';
import type { Deliverer } from './deliver.ts';
import type { DeliveryLogStore } from './delivery-log-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Sender } from './dispatch.ts';
import {
  type Endpoint,
  type EndpointInput,
  type EndpointPatch,
  endpointView,
  newSecret,
  subscribableEvents,
} from './endpoint.ts';
import type { EndpointStore, Target } from './endpoint-store.ts';
import { healthValues } from './health.ts';

export type RouteDeps = {
  endpoints: EndpointStore;
  deliveries: DeliveryStore;
  log: DeliveryLogStore;
  deliverer: Deliverer;
  sender: Sender;
  secrets: SecretBox;
  policy: AddressPolicy;
};

const urlLength = 2048;

export const onEndpoints = {
  host: 'ts',
  tag: 'Webhooks',
  access: { permission: 'api_webhooks' },
} as const;

export const endpointParams = Joi.object<{ id: string }>({ id: id.required() });

const view = {
  id,
  name: Joi.string(),
  url: Joi.string(),
  events: Joi.array().items(Joi.string()),
  active: Joi.boolean(),
  consecutiveFailures: Joi.number(),
  disabledReason: Joi.string().allow(null),
  health: Joi.string()
    .valid(...healthValues)
    .description('failing: nothing arrives; disabled: automatically'),
  healthSince: Joi.string().isoDate().allow(null),
  lastError: Joi.string().allow(null).description('what told that it is failing, in words'),
  createdAt: Joi.string().isoDate(),
  updatedAt: Joi.string().isoDate(),
};
const viewSchema = Joi.object(view);

/** What a company's path names, or 404. */
export function findEndpoint(endpoints: EndpointStore) {
  return async ({ params, caller }: { params: { id: string }; caller: Caller }): Promise<Target> => {
    const endpoint = await endpoints.find(caller.companyId, params.id);
    if (endpoint) return endpoint;
    throw new AppError('not_found', 'webhook_endpoint_not_found', 'there is no such webhook endpoint');
  };
}

/** `/webhooks/endpoints` (spec section 4.3, design section 11). */
export function endpointRoutes({ endpoints, deliveries, sender, secrets, policy }: RouteDeps): Route[] {
  const fields = {
    name: Joi.string().trim().min(1).max(100).description('to tell it from the others'),
    url: Joi.string().max(urlLength).custom(publicUrl(policy)).description('HTTPS, public host'),
    events: Joi.array()
      .items(Joi.string().valid(...subscribableEvents))
      .min(1)
      .max(subscribableEvents.length)
      .unique(),
  };
  const find = findEndpoint(endpoints);

  async function stopWaiting(stopped: Endpoint): Promise<void> {
    sender.forget(stopped.id);
    await deliveries.cancelWaiting(stopped.id, stopped);
  }

  return [
    route({
      ...onEndpoints,
      method: 'get',
      path: '/webhooks/endpoints',
      summary: 'Webhook endpoints of the company',
      reply: { status: 200, schema: Joi.object({ items: Joi.array().items(viewSchema) }) },
      handle: async ({ caller }) => ({ items: (await endpoints.list(caller.companyId)).map(endpointView) }),
    }),
    route({
      ...onEndpoints,
      method: 'post',
      path: '/webhooks/endpoints',
      summary: 'Create a webhook endpoint',
      description: 'The secret is in this answer alone; it cannot be read again.',
      body: Joi.object<EndpointInput>({
        name: fields.name.required(),
        url: fields.url.required(),
        events: fields.events.required(),
      }),
      reply: { status: 201, schema: Joi.object({ ...view, secret: Joi.string() }) },
      async handle({ caller, body }) {
        const secret = newSecret();
        const endpoint = newEndpoint(caller.companyId, body, new Date());
        await endpoints.add({ ...endpoint, sealedSecret: secrets.seal(secret, endpoint.id) });
        return { ...endpointView(endpoint), secret };
      },
    }),
    route({
      ...onEndpoints,
      method: 'patch',
      path: '/webhooks/endpoints/:id',
      summary: 'Change a webhook endpoint',
      params: endpointParams,
      load: find,
      body: Joi.object<EndpointPatch>({ ...fields, active: Joi.boolean() }).min(1),
      reply: { status: 200, schema: viewSchema },
      async handle({ resource: found, body }) {
        const at = new Date();
        // Whoever made it inactive may have died before this was done, and nothing of before is to be sent unasked.
        if (body.active === true && !found.active) await deliveries.cancelWaiting(found.id, found);
        const changed = await endpoints.update(found, body, at);
        if (!changed)
          throw new AppError('not_found', 'webhook_endpoint_not_found', 'there is no such webhook endpoint');
        if (body.active === false) await stopWaiting(changed);
        else if (changed.url !== found.url) sender.takeAnew(found.id);
        return endpointView(changed);
      },
    }),
    route({
      ...onEndpoints,
      method: 'delete',
      path: '/webhooks/endpoints/:id',
      summary: 'Delete a webhook endpoint',
      params: endpointParams,
      load: find,
      reply: { status: 204 },
      async handle({ resource: found }) {
        await endpoints.remove(found, new Date());
        sender.forget(found.id);
        await deliveries.cancelWaiting(found.id, null);
      },
    }),
  ];
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

function publicUrl(policy: AddressPolicy): Joi.CustomValidator<string> {
  return (url, helpers) => {
    const fault = policy.violation(url);
    if (fault !== null) return helpers.message({ custom: `{{#label}} ${fault}` });
    // Kept as it is understood, so that it means the same to whoever reads it later; what is too long itself is told already.
    const { href } = new URL(url);
    const isLonger = href.length > urlLength && url.length <= urlLength;
    return isLonger ? helpers.error('string.max', { limit: urlLength }) : href;
  };
}
