import { furtherWebhooks, oneOf, webhookCatalogue, webhookHeaders } from '@app/contracts';
import { answer, named, openJsonSchema, type Route, route, type Webhook } from '@app/http';
import Joi from 'joi';
import { endpointRouteBase } from './endpoint-routes.ts';

const types = webhookCatalogue.concat(furtherWebhooks).map(({ event }) => event);

const eventTypeSchema = named('EventType', {
  type: oneOf(types).description('later versions may add some'),
  description: Joi.string(),
  subscribable: Joi.boolean().description('false for the test, which is sent on request alone'),
  schema: Joi.object().unknown().description('JSON Schema 2020-12 of the body; fields may be added to it'),
  example: Joi.object().unknown().description('a body'),
});

/** `/webhooks/event-types` */
export function eventTypeRoutes(): Route[] {
  const [items, further] = [webhookCatalogue, furtherWebhooks].map((webhooks) =>
    webhooks.map(({ event: type, description, subscribable, schema, example }) => {
      return { type, description, subscribable, schema: openJsonSchema(schema), example };
    }),
  );
  return [
    route({
      ...endpointRouteBase,
      method: 'get',
      path: '/webhooks/event-types',
      summary: 'What webhooks tell of, each with its JSON Schema and an example',
      reply: {
        status: 200,
        schema: answer({
          items: Joi.array().items(eventTypeSchema),
          further: Joi.array().items(eventTypeSchema).description('more, for endpoints that name them'),
        }),
      },
      handle: async () => ({ items, further }),
    }),
  ];
}

/** All webhooks for the OpenAPI document. */
export function webhookDocs(): Webhook[] {
  const { host, tag } = endpointRouteBase;
  return [...webhookCatalogue, ...furtherWebhooks].map(({ event: name, description, schema: body, example }) => {
    return { host, tag, name, description, headers: webhookHeaders, body, example };
  });
}
