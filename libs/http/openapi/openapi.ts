import type Joi from 'joi';
import type { Route } from '../routing/route.ts';
import { define } from './answer.ts';
import { anyError, errorResponse, headers, parameters, schemas } from './components.ts';
import { type Json, jsonSchema, withComponents } from './json-schema.ts';
import { operation } from './operation.ts';
import { receivedWebhook, type Webhook } from './webhook.ts';

/**
 * The OpenAPI 3.1 document of a service's routes, from the same Joi schemas that validate, and of the webhooks that it sends.
 * @throws Error if two different schemas have one name
 */
export function openApi(service: string, routes: Route[], webhooks: Webhook[] = []): Json {
  const all: Record<string, Json> = { ...schemas };
  const describe = (schema: Joi.Schema): Json => {
    const { schema: described, components } = withComponents(jsonSchema(schema));
    for (const [name, component] of Object.entries(components)) define(all, name, component);
    return described;
  };
  const responses: Record<string, Json> = { Error: anyError };
  const refuse = (status: number, codes: string[], asksForToken: boolean): Json => {
    const name = [status, ...codes, ...(status === 401 && asksForToken ? ['bearer'] : [])].join('.');
    define(responses, name, errorResponse(status, codes, asksForToken));
    return { $ref: `#/components/responses/${name}` };
  };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, { describe, schemas: all, routes, refuse }) };
  }
  const components = { schemas: all, parameters, headers, responses };
  const sent = Object.fromEntries(webhooks.map((webhook) => [webhook.name, { post: receivedWebhook(webhook) }]));
  return {
    openapi: '3.1.0',
    info: { title: service, version: '3.0' },
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: sent }),
    components,
  };
}
