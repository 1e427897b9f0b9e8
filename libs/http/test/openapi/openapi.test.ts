import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import { createApp } from '../../create-app.ts';
import { answer, named } from '../../openapi/answer.ts';
import { jsonSchema, openJsonSchema } from '../../openapi/json-schema.ts';
import { openApi } from '../../openapi/openapi.ts';
import { type Route, route } from '../../routing/route.ts';
import { routes } from '../web.ts';

type Content = Record<string, { schema: Record<string, unknown>; example?: unknown }>;
type Response = {
  $ref?: string;
  description: string;
  headers: Record<string, unknown>;
  content: Content;
};
type Operation = {
  operationId: string;
  security?: object[];
  parameters: { name: string; in: string }[];
  responses: Record<string, Response>;
  requestBody?: { required: boolean; content: Content };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, Response> };
};

const thing = named('Thing', { id: Joi.string(), note: Joi.string().optional() });

function read(schema: Joi.Schema, more: Partial<Route> = {}): Route {
  return {
    ...route({
      host: 'ticket',
      method: 'get',
      path: '/things/:thing_id',
      summary: 'Read',
      tag: 'Things',
      access: { permission: 'tickets' },
      params: Joi.object({ thing_id: Joi.string().required() }) as never,
      reply: { status: 200, schema },
      handle: async () => ({}),
    }),
    ...more,
  };
}
const documentOf = (...routes: Route[]) => openApi('x', routes) as Document;
/** The responses of the operation, in place of references to them. */
function responsesOf(given: Route): Record<string, Response> {
  const { paths, components } = documentOf(given);
  const [operation] = Object.values(Object.values(paths)[0] ?? {});
  const named = ({ $ref }: Response) => components.responses[$ref?.split('/').at(-1) ?? ''];
  return Object.fromEntries(
    Object.entries(operation?.responses ?? {}).map(([status, response]) => [status, named(response) ?? response]),
  );
}

test('a schema with a name stands once, wherever answers have it', () => {
  const both = answer({
    best: thing.description('the best'),
    others: Joi.array().items(thing),
    last: thing.allow(null),
  });
  const { components } = documentOf(read(both), read(thing, { path: '/other/:thing_id' }));
  const ref = '#/components/schemas/Thing';
  expect(components.schemas['Thing']).toEqual({
    type: 'object',
    properties: { id: { type: 'string', minLength: 1 }, note: { type: 'string', minLength: 1 } },
    required: ['id'],
  });
  expect(responsesOf(read(both))['200']?.content['application/json']?.schema).toEqual({
    type: 'object',
    required: ['best', 'last', 'others'],
    properties: {
      best: { $ref: ref, description: 'the best' },
      others: { type: 'array', items: { $ref: ref } },
      last: { anyOf: [{ type: 'null' }, { $ref: ref }] },
    },
  });
});

test('two different schemas under one name are refused, in one answer and in two', () => {
  const other = named('Thing', { id: Joi.number() });
  expect(() => documentOf(read(thing), read(other, { path: '/other' }))).toThrow(
    'two different schemas are called Thing',
  );
  expect(() => documentOf(read(answer({ a: thing, b: other })))).toThrow('two different schemas are called Thing');
  expect(() =>
    documentOf(read(thing), read(named('Thing', { id: Joi.string(), note: Joi.string().optional() }))),
  ).not.toThrow();
});

test('a name does not change what a schema accepts, and it accepts fields of later versions', () => {
  const errorOf = (value: unknown) => thing.validate(value).error?.message;
  for (const value of [{ id: '1' }, { id: '1', more: 1 }]) expect(errorOf(value)).toBeUndefined();
  expect(errorOf({ note: 'x' })).toBe('"id" is required');
});

test('what is refused before the operation is known stands under `default`, with `Allow`', () => {
  const { default: other } = responsesOf(read(thing));
  for (const error of ['400 malformed_request', '404 unknown_host', '405 method_not_allowed', '431 headers_too_large'])
    expect(other?.description).toContain(`\`${error}\``);
  expect(Object.keys(other?.headers ?? {})).toEqual(['X-Request-Id', 'Allow']);
});

test('an operation lists the codes of its checks, its own and the common ones by status', () => {
  const responses = responsesOf(
    read(thing, { method: 'post', errors: ['404 thing_not_found', '409 thing_frozen', '503 thing_busy'] }),
  );
  const codesOf = (status: number) =>
    [...(responses[status]?.description ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code);
  const statuses = [200, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504, 'default'];
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses.map(String)));
  expect(codesOf(400)).toEqual(expect.arrayContaining(['invalid_json', 'invalid_id']));
  expect(codesOf(403)).toEqual(['forbidden', 'insufficient_scope']);
  expect(codesOf(404)).toEqual(['not_found', 'thing_not_found']);
  expect(codesOf(409)).toEqual(['idempotency_key_in_progress', 'thing_frozen']);
  expect(codesOf(503)).toEqual(['overloaded', 'thing_busy']);
  expect(responses[404]?.content['application/json']?.schema).toEqual({
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { code: { type: 'string', enum: ['not_found', 'thing_not_found'] } } },
    ],
  });
});

test('responses name their headers', () => {
  const responses = responsesOf(
    read(thing, { method: 'post', reply: { status: 200, headers: { 'Set-Cookie': 'the session' } } }),
  );
  const namesAt = (status: number) => Object.keys(responses[status]?.headers ?? {});
  expect(namesAt(200)).toEqual(
    expect.arrayContaining(['X-Request-Id', 'RateLimit-Limit', 'Idempotent-Replayed', 'Set-Cookie']),
  );
  expect(namesAt(401)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
  expect(namesAt(409)).toEqual(['X-Request-Id', 'Retry-After']);
});

test('a file and other statuses of success are described', () => {
  const also = { 206: 'A part', 304: 'Not modified' };
  const responses = responsesOf(read(thing, { reply: { status: 200, file: ['application/zip'], also } }));
  expect(responses[304]).not.toHaveProperty('content');
  expect(Object.keys(responses[206]?.content ?? {})).toEqual(['application/zip']);
  expect(responses[206]?.description).toBe('A part');
});

test.each<[string, Joi.Schema, object]>([
  ['an id by its pattern', Joi.string().hex(), { type: 'string', pattern: '^[0-9a-fA-F]+$' }],
  [
    'null among its values',
    Joi.string().valid('a', 'b').allow(null),
    { type: ['string', 'null'], enum: ['a', 'b', null] },
  ],
  ['null beside one value', Joi.valid('a', null), { enum: ['a', null] }],
])('a schema describes %s', (_what, schema, described) => {
  expect(jsonSchema(schema)).toMatchObject(described);
});

test('a request and its answer have the examples that were recorded of them, or none', () => {
  const body = Joi.object({ email: Joi.string().required() }) as never;
  const documented = (path: string) => {
    const described = documentOf(read(answer({ token: Joi.string() }), { method: 'post', path, body }));
    const { requestBody, responses } = described.paths[path]?.['post'] ?? {};
    return [requestBody, responses?.['200']].map((one) => one?.content['application/json']);
  };
  const recorded = documented('/auth/login').map((content) => content?.example);
  expect(recorded).toMatchObject([{ email: expect.any(String) }, { token: expect.any(String) }]);
  for (const content of documented('/things')) expect(content).not.toHaveProperty('example');
});

test.each([
  ['with a field that must be there', Joi.object({ title: Joi.string().required() }), true],
  ['of which something must be changed', Joi.object({ title: Joi.string() }).min(1), true],
  ['of which nothing must be there', Joi.object({ title: Joi.string() }), false],
])('a body %s is required or not', (_, body, required) => {
  const { paths } = documentOf(read(thing, { method: 'post', body: body as never }));
  expect(paths['/things/{thing_id}']?.['post']?.requestBody?.required).toBe(required);
});

test('an operation that is to go says so, and what to call instead', () => {
  const deprecated = { since: '2026-11-23', sunset: '2027-06-01', instead: '`GET /new`' };
  const operation = documentOf(read(thing, { deprecated })).paths['/things/{thing_id}']?.['get'];
  expect(operation).toMatchObject({ deprecated: true, description: expect.stringMatching(/2027-06-01.*`GET \/new`/) });
  expect(Object.keys(operation?.responses['200']?.headers ?? {})).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset']),
  );
  expect(documentOf(read(thing)).paths['/things/{thing_id}']?.['get']).not.toHaveProperty('deprecated');
});

const plain = (method: Route['method'], path: string) => read(thing, { method, path });
const appOf = (given: Route[]) => createApp({ routes: given, logger: testLogger(), verifyToken: verifyTestToken });

const upload = route({
  host: 'ticket',
  method: 'post',
  path: '/things/:thing_id/files',
  summary: 'Add a file',
  description: 'By multipart.',
  tag: 'Files',
  access: { permission: 'tickets' },
  params: Joi.object({ thing_id: Joi.string().required().description('the thing') }),
  multipart: Joi.object({ file: Joi.any().required().description('PDF'), name: Joi.string() }),
  reply: { status: 201, schema: Joi.object({ id: Joi.string(), at: Joi.string().isoDate().allow(null) }) },
  handle: async () => ({}),
});
const document = documentOf(...routes, upload);

test('webhooks that a service sends are described as open requests', () => {
  const body = Joi.object({ event: Joi.string().required(), data: Joi.object({ id: Joi.string() }) });
  const webhook = { host: 'ts', name: 'thing.made', description: 'A thing was made.', tag: 'Things' } as const;
  const headers = { 'X-Event': 'the event' };
  const sending = openApi('probe', routes, [{ ...webhook, headers, body, example: { event: 'thing.made' } }]);
  expect(sending['webhooks']).toMatchObject({
    'thing.made': {
      post: {
        operationId: 'receive_thing_made',
        parameters: [{ name: 'X-Event', in: 'header', required: true }],
        requestBody: { content: { 'application/json': { example: { event: 'thing.made' } } } },
      },
    },
  });
  expect(JSON.stringify(openApi('probe', []))).not.toContain('webhooks');
  expect(JSON.stringify(openJsonSchema(body))).toBe(
    JSON.stringify(jsonSchema(body)).replaceAll(',"additionalProperties":false', ''),
  );
});

test('every operation has a name of its own, also where paths differ little', () => {
  const near = ['/v1/things', '/v2/things', '/things', '/things/:id', '/things/:id/parts', '/things/all'];
  const { paths } = openApi('x', [
    ...near.map((path) => plain('get', path)),
    plain('post', '/things'),
    ...routes,
  ]) as Document;
  const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(names.length).toBeGreaterThan(15);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^\w+$/);
});

test('an operation describes its parameters, body, responses and credentials', () => {
  expect(document.paths['/things']?.['get']).toMatchObject({
    summary: 'List things',
    tags: ['Things'],
    'x-host': 'ticket',
    description: expect.stringContaining('tickets:read'),
    security: [{ accessToken: [] }],
    parameters: [
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 100 } },
      { name: 'status', in: 'query', required: false, schema: { type: 'string' } },
    ],
    responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } }, default: {} },
  });
  const change = document.paths['/things/{thing_id}']?.['put'];
  expect(change?.parameters).toMatchObject([
    {
      name: 'thing_id',
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: expect.stringContaining('{24}') },
    },
  ]);
  expect(change?.requestBody?.content['application/json']?.schema).toMatchObject({
    type: 'object',
    required: ['title'],
    properties: { title: { type: 'string', maxLength: 20 }, size: { type: 'integer' } },
  });
  expect(change?.requestBody?.required).toBe(true);
  expect(document.paths['/things/{thing_id}/files']?.['post']?.requestBody).toEqual({
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          additionalProperties: false,
          properties: {
            file: { type: 'string', format: 'binary', description: 'PDF' },
            name: { type: 'string', minLength: 1 },
          },
        },
      },
    },
  });
  expect(document.paths['/files/{name}']?.['get']?.security).toEqual([]);
  expect(document.paths['/internal/platform']?.['get']?.security).toEqual([{ platformAdmin: [] }]);
});

test('a parameter has one name, and an operation stands once', () => {
  expect(() => appOf([plain('get', '/a/:id'), plain('put', '/a/:thing_id')])).toThrow('/a/:id and /a/:thing_id');
  expect(() => appOf([plain('get', '/a/:id'), plain('get', '/a/:id')])).toThrow('get /a/:id stands twice');
});
