import type Joi from 'joi';
import type { Host } from '../routing/route.ts';
import { type Json, openJsonSchema } from './json-schema.ts';

/** A request that a service sends to receivers, for the documentation alone. */
export type Webhook = {
  host: Host;
  name: string;
  description: string;
  tag: string;
  /** Descriptions by header name. */
  headers: Record<string, string>;
  body: Joi.ObjectSchema;
  example: unknown;
};

/** The webhook as an OpenAPI operation: the request that a receiver gets, and the response that it must give. */
export function receivedWebhook({ host, name, description, tag, headers, body, example }: Webhook): Json {
  const schema = openJsonSchema(body);
  return {
    operationId: `receive_${name.replaceAll(/\W/g, '_')}`,
    summary: name,
    description,
    tags: [tag],
    'x-host': host,
    security: [],
    parameters: Object.entries(headers).map(([header, holds]) => ({
      name: header,
      in: 'header',
      required: true,
      description: holds,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'received; any other answer is a failure' } },
  };
}
