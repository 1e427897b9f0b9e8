import type Joi from 'joi';
import { idempotencyKeyPattern, takesIdempotencyKey } from './idempotency-key.ts';
import { type Host, type Route, scopeOf } from './route.ts';

type Json = Record<string, unknown>;

/** A request that a service sends to receivers, for the documentation alone. */
export type Webhook = {
  host: Host;
  name: string;
  description: string;
  tag: string;
  /** Names with what they hold. */
  headers: Record<string, string>;
  body: Joi.ObjectSchema;
  example: unknown;
};

/** The OpenAPI 3.1 document of a service's routes, from the same Joi schemas that validate, and of the webhooks that it sends. */
export function openApi(service: string, routes: Route[], webhooks: Webhook[] = []): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  const sent = Object.fromEntries(webhooks.map((webhook) => [webhook.name, { post: received(webhook) }]));
  return {
    openapi: '3.1.0',
    info: { title: service, version: '3.0' },
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: sent }),
    components,
  };
}

const oneError = {
  'application/json': {
    schema: { type: 'object', properties: { error: { type: 'string' }, code: { type: 'string' } } },
  },
};
const components = {
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes a retry safe: for 24 hours, the same request with the same key is not carried out again, and gets the same answer with `Idempotent-Replayed: true`. A new one for each thing that you do, best a UUID.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: idempotencyKeyPattern.source },
    },
  },
  responses: {
    Error: { description: 'An error, with its code' },
    Conflict: {
      description:
        'The state of the thing forbids it; or `idempotency_key_in_progress`: the first request with this key is not answered yet',
      headers: { 'Retry-After': { description: 'seconds', schema: { type: 'integer' } } },
      content: oneError,
    },
    Unprocessable: {
      description:
        'Every fault of query and body; or `idempotency_key_invalid`; or `idempotency_key_reused`: the key came with another method, path or body before',
      content: oneError,
    },
  },
};
const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };
const idempotencyErrors = {
  409: { $ref: '#/components/responses/Conflict' },
  422: { $ref: '#/components/responses/Unprocessable' },
};

/** A Joi schema as JSON Schema 2020-12, which OpenAPI 3.1 embeds. */
export function jsonSchema(schema: Joi.Schema): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: object): Json } } })[
    '~standard'
  ];
  const { $schema: _, ...rest } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return withPatterns(rest) as Json;
}

/** The same for what others receive: fields may be added within a version, so a receiver must not refuse them. */
export function openJsonSchema(schema: Joi.Schema): Json {
  const isClosed = (key: string, value: unknown) => key === 'additionalProperties' && value === false;
  const text = JSON.stringify(jsonSchema(schema), (key, value) => (isClosed(key, value) ? undefined : value));
  return JSON.parse(text) as Json;
}

/** `hex` is a format of Joi alone; every tool knows patterns. */
function withPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) =>
    key === 'format' && inner === 'hex' ? ['pattern', '^[0-9a-fA-F]+$'] : [key, withPatterns(inner)],
  );
  return Object.fromEntries(entries);
}

function operation(route: Route): Json {
  const { method, path, summary, description, tag, reply } = route;
  const isRepeatable = takesIdempotencyKey(route);
  const words = path.replace(/^\/api\/v[\d.]+/, '').match(/[\w-]+/g) ?? [];
  return {
    operationId: [method, ...words].join('_').replaceAll('-', '_'),
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    'x-host': route.host,
    ...security(route),
    parameters: [
      ...pathParameters(route),
      ...parameters(route.query, 'query'),
      ...(isRepeatable ? [idempotencyKey] : []),
    ],
    ...requestBody(route),
    responses: {
      [reply.status]: {
        description: reply.description ?? summary,
        ...(reply.schema ? { content: { 'application/json': { schema: jsonSchema(reply.schema) } } } : {}),
      },
      ...(isRepeatable ? idempotencyErrors : {}),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

/** What a receiver of the webhook gets, and has to answer. */
function received({ host, name, description, tag, headers, body, example }: Webhook): Json {
  const schema = openJsonSchema(body);
  return {
    operationId: `receive_${name.replaceAll(/\W/g, '_')}`,
    summary: name,
    description,
    tags: [tag],
    'x-host': host,
    security: [],
    parameters: Object.entries(headers).map(([header, holds]) => ({
      ...{ name: header, in: 'header', required: true, description: holds },
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'received; any other answer is a failure' } },
  };
}

function security(route: Route): Json {
  const { access, host } = route;
  if (access === 'public') return { security: [] };
  if (access === 'platform') return { security: [{ platformAdmin: [] }] };
  const scope = scopeOf(route);
  return {
    security:
      host === 'ts' ? [{ session: [] }, { sessionToken: [] }] : [{ accessToken: scope === null ? [] : [scope] }],
  };
}

/** The parameters of the path, including those without a schema. */
function pathParameters({ path, params }: Route): Json[] {
  const described = new Map(parameters(params, 'path').map((parameter) => [parameter['name'], parameter]));
  return [...path.matchAll(/:([^/]+)/g)].map(
    ([, name]) => described.get(name) ?? { name, in: 'path', required: true, schema: { type: 'string' } },
  );
}

function parameters(schema: Joi.ObjectSchema | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
  }));
}

function requestBody({ body, rawBody, multipart }: Route): Json {
  const schema = body ?? rawBody ?? multipart;
  if (!schema) return {};
  const [type, described] =
    body || rawBody ? ['application/json', jsonSchema(schema)] : ['multipart/form-data', formSchema(schema)];
  const required = ((described['required'] as string[] | undefined) ?? []).length > 0;
  return { requestBody: { required, content: { [type]: { schema: described } } } };
}

/** Form fields without a type are files: tools then show a file picker. */
function formSchema(schema: Joi.Schema): Json {
  const { properties = {}, ...rest } = jsonSchema(schema) as { properties?: Record<string, Json> };
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    'type' in field || 'anyOf' in field ? field : { ...field, type: 'string', format: 'binary' },
  ]);
  return { ...rest, properties: Object.fromEntries(fields) };
}
