import type Joi from 'joi';
import { takesIdempotencyKey } from '../routing/idempotency-key.ts';
import { type Route, scopeOf } from '../routing/route.ts';
import { commonErrors, deprecationHeaders, headerRefs, quotaHeaders } from './components.ts';
import { type Json, jsonSchema } from './json-schema.ts';
import { links, operationId } from './links.ts';
import { recordedExample, requestName, responseName } from './recorded-example.ts';

type Describing = {
  /** The JSON Schema of a Joi schema; named schemas become references to the components. */
  describe: (schema: Joi.Schema) => Json;
  schemas: Record<string, Json>;
  /** All operations of the service: links name them. */
  routes: Route[];
  /** A reference to the response of a status with these codes. */
  refuse: (status: number, codes: string[], asksForToken: boolean) => Json;
};

export function operation(route: Route, describing: Describing): Json {
  const { summary, description, tag, deprecated } = route;
  const note = deprecated && `It goes on ${deprecated.sunset}: call ${deprecated.instead} instead.`;
  return {
    operationId: operationId(route),
    summary,
    description: [note, description, whoMayCall(route)].filter((part) => part !== undefined).join('\n\n'),
    ...(deprecated ? { deprecated: true } : {}),
    tags: [tag],
    'x-host': route.host,
    ...security(route),
    parameters: [
      ...pathParameters(route),
      ...parameters(route.query, 'query'),
      ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(heedsIfMatch(route) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ],
    ...requestBody(route, describing),
    responses: {
      ...successes(route, describing),
      ...errors(route, describing.refuse),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function heedsIfMatch({ versioned, method }: Route): boolean {
  return versioned === true && method !== 'get';
}

/** Whether clients send no credential beside the path. */
function isOpenly({ access }: Pick<Route, 'access'>): boolean {
  return access === 'public' || (typeof access === 'object' && access.inPath === true);
}

function whoMayCall(route: Route): string {
  const { access } = route;
  if (access === 'public') return 'Needs no credential.';
  if (access === 'platform') return 'For the administrator of the platform.';
  if (access === 'service') return 'For services.';
  const { permission, orPermission, only, everyPlace } = access;
  const scope = scopeOf(route);
  return [
    permission === null
      ? 'For every user of a company.'
      : `Needs the permission \`${permission}\`${orPermission ? ` or \`${orPermission}\`` : ''}.`,
    ...(only ? [`For ${only.kind} companies.`] : []),
    ...(everyPlace ? ['Not for users who are limited to places.'] : []),
    ...(scope === null ? [] : [`An API token that has scopes needs \`${scope}\`.`]),
  ].join(' ');
}

/** The security requirement, without the scope: outside OAuth tools do not take scopes. */
function security(route: Route): Json {
  const { access, host } = route;
  if (isOpenly(route)) return { security: [] };
  if (access === 'platform') return { security: [{ platformAdmin: [] }] };
  return {
    security: host === 'ts' ? [{ session: [] }, { hostSession: [] }, { sessionToken: [] }] : [{ accessToken: [] }],
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
    // Lists of a query are separated by commas.
    ...(property['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: property,
  }));
}

function requestBody(route: Route, { describe }: Describing): Json {
  const { body, rawBody, raw, multipart } = route;
  if (raw) return { requestBody: { required: true, content: { [raw.type]: { schema: binary } } } };
  const schema = body ?? rawBody ?? multipart;
  if (!schema) return {};
  const [type, described] =
    body || rawBody ? ['application/json', describe(schema)] : ['multipart/form-data', formSchema(schema)];
  const { required: fields = [], minProperties = 0 } = described as { required?: string[]; minProperties?: number };
  const required = fields.length > 0 || minProperties > 0;
  return { requestBody: { required, content: { [type]: { schema: described, ...exampleOf(requestName(route)) } } } };
}

function exampleOf(name: string): Json {
  const example = recordedExample(name);
  return example === undefined ? {} : { example };
}

const binary = { type: 'string', format: 'binary' };

/** Form fields without a type are files: tools then show a file picker. */
function formSchema(schema: Joi.Schema): Json {
  const { properties = {}, ...rest } = jsonSchema(schema) as { properties?: Record<string, Json> };
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    'type' in field || 'anyOf' in field ? field : { ...field, ...binary },
  ]);
  return { ...rest, properties: Object.fromEntries(fields) };
}

function successes(route: Route, { describe, schemas, routes }: Describing): Json {
  const { status, schema, description = route.summary, file, headers = {}, also = {} } = route.reply;
  const sent = {
    ...headerRefs([
      'X-Request-Id',
      ...quotaHeaders,
      ...(takesIdempotencyKey(route) && !route.repeatable ? ['Idempotent-Replayed'] : []),
      ...(route.versioned && status !== 204 ? ['ETag'] : []),
      ...(route.deprecated ? deprecationHeaders : []),
    ]),
    ...Object.fromEntries(
      Object.entries(headers).map(([name, about]) => [name, { description: about, schema: { type: 'string' } }]),
    ),
  };
  const described = schema && describe(schema);
  const contentAt = (code: string) => ({
    ...(described
      ? {
          content: {
            'application/json': { schema: described, ...exampleOf(responseName({ ...route, status: code })) },
          },
          ...links(route, { answer: described, schemas, routes }),
        }
      : {}),
    ...(file ? { content: Object.fromEntries(file.map((type) => [type, { schema: binary }])) } : {}),
  });
  // A 204 and a 304 have no content.
  const one = (code: string, about: string) => ({
    description: about,
    headers: sent,
    ...(code < '300' && code !== '204' ? contentAt(code) : {}),
  });
  return Object.fromEntries(
    Object.entries({ [status]: description, ...also }).map(([code, about]) => [code, one(code, about)]),
  );
}

/**
 * The error responses: of the checks that every route has (docs/api.md), those that the route lists, and those of all
 * operations.
 */
function errors(route: Route, refuse: Describing['refuse']): Json {
  const codes = new Map<number, Set<string>>();
  const common = Object.entries(commonErrors).flatMap(([status, all]) => all.map((code) => `${status} ${code}`));
  for (const line of [...errorsOfChecks(route), ...common, ...(route.errors ?? [])]) {
    const [status, code] = line.split(' ') as [string, string | undefined];
    const before = codes.get(Number(status)) ?? [];
    codes.set(Number(status), new Set([...before, ...(code ? [code] : [])]));
  }
  return Object.fromEntries(
    [...codes].map(([status, all]) => [status, refuse(status, [...all], route.host === 'ticket')]),
  );
}

function errorsOfChecks(route: Route): string[] {
  const { host, access, method, rawBody, raw, multipart, params = null, idCodes = {} } = route;
  const reads = method !== 'get' && method !== 'delete';
  const ids = [...route.path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);
  const codeOf = (name: string) => (idCodes as Record<string, string>)[name] ?? 'invalid_id';
  const limits =
    typeof access === 'object'
      ? [...(access.only ? [`403 ${access.only.code}`] : []), ...(access.everyPlace ? ['403 limited_to_places'] : [])]
      : [];
  return [
    '400 invalid_url',
    ...(reads && !multipart && !raw ? ['400 invalid_json'] : []),
    ...(multipart ? ['400 invalid_multipart'] : []),
    ...(reads ? ['400 transfer_encoding_unsupported', '408 request_timeout', '413 payload_too_large'] : []),
    ...(reads && !rawBody && !raw ? ['415 unsupported_media_type'] : []),
    ...(isOpenly(route) ? [] : ['401 unauthorized', '403 forbidden', ...limits]),
    ...(scopeOf(route) === null ? [] : ['403 insufficient_scope']),
    ...(host === 'ts' && access !== 'public' && method !== 'get' ? ['403 origin_forbidden'] : []),
    // The gateway refuses encoded slashes and dot segments; on the ticket API other malformed ids are 400.
    ...(ids.length > 0 ? ['404 not_found'] : []),
    ...(params === null || host !== 'ticket' ? [] : ids.map((name) => `400 ${codeOf(name)}`)),
    ...(heedsIfMatch(route) ? ['412 precondition_failed'] : []),
    '422',
    ...(takesIdempotencyKey(route)
      ? ['409 idempotency_key_in_progress', '422 idempotency_key_invalid', '422 idempotency_key_reused']
      : []),
  ];
}
