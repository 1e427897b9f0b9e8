import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import { createApp } from '../../create-app.ts';
import { jsonSchema, openJsonSchema } from '../../openapi/json-schema.ts';
import { openApi } from '../../openapi/openapi.ts';
import { type Route, route } from '../../routing/route.ts';
import { routes, startWeb } from '../web.ts';

type Operation = {
  operationId: string;
  security?: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, unknown>;
};
type Document = { paths: Record<string, Record<string, Operation>> };

const program = join(__dirname, 'programs', 'validate-openapi.ts');
const faultsOf = (document: unknown) =>
  JSON.parse(execFileSync(process.execPath, [program], { input: JSON.stringify(document) }).toString()) as object;

const plain = (method: Route['method'], path: string): Route =>
  route({
    host: 'ts',
    method,
    path,
    summary: 'x',
    tag: 'x',
    access: 'public',
    reply: { status: 200 },
    handle: async () => ({}),
  });
const appOf = (given: Route[]) =>
  createApp({ service: 'x', routes: given, logger: testLogger(), verifyToken: verifyTestToken });

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
const document = openApi('probe', [...routes, upload]) as Document;

test('the document of every kind of route is valid OpenAPI 3.1, and refers to nothing that is missing', () => {
  expect(faultsOf(document)).toEqual({ valid: true, version: '3.1' });
});

test('webhooks that a service sends are described as open requests, and the document stays valid', () => {
  const body = Joi.object({ event: Joi.string().required(), data: Joi.object({ id: Joi.string() }) });
  const webhook = { host: 'ts', name: 'thing.made', description: 'A thing was made.', tag: 'Things' } as const;
  const headers = { 'X-Event': 'the event' };
  const sending = openApi('probe', routes, [{ ...webhook, headers, body, example: { event: 'thing.made' } }]);
  expect(faultsOf(sending)).toEqual({ valid: true, version: '3.1' });
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

test('the validator does find faults', () => {
  expect(faultsOf({ ...document, paths: { '/x': { get: { responses: [] } } } })).toMatchObject({ valid: false });
  const dangling = { responses: { default: { $ref: '#/components/responses/Missing' } } };
  expect(faultsOf({ ...document, paths: { '/x': { get: dangling } } })).toMatchObject({ valid: false });
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

test('every parameter of a path is described', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(operations)) {
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named);
    }
  }
});

test('a service shows its own', async () => {
  const web = await startWeb();
  const { status, body } = await web.call('GET', '/openapi.json', { as: null });
  await web.close();
  expect([status, body]).toEqual([200, openApi('probe', routes)]);
});

test('a parameter has one name, and an operation stands once', () => {
  expect(() => appOf([plain('get', '/a/:id'), plain('post', '/a/:thing_id')])).toThrow('/a/:id and /a/:thing_id');
  expect(() => appOf([plain('get', '/a/:id'), plain('get', '/a/:id')])).toThrow('get /a/:id stands twice');
});
