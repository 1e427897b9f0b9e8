import { mergeDocs } from '../api/merge-docs.ts';

const service = (name: string) => ({
  paths: {
    [`/${name}`]: {
      get: { 'x-host': 'ts', tags: [name], operationId: `get_${name}` },
      post: { 'x-host': 'internal', tags: ['Internal'] },
    },
    [`/internal/${name}`]: { get: { 'x-host': 'internal' } },
    '/shared': { [name === 'b' ? 'put' : 'get']: { 'x-host': 'ts', tags: [name] } },
    '/api/v3.0/things': { get: { 'x-host': 'ticket' } },
  },
});

test('a host shows its own operations, of every service behind it, and nothing internal', () => {
  const document = mergeDocs('ts', 'https://ts.example.com', [service('b'), service('a'), {}]);
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Second API', version: '3.0' },
    servers: [{ url: 'https://ts.example.com' }],
    tags: [{ name: 'a' }, { name: 'b' }],
  });
  expect(document['paths']).toEqual({
    '/a': { get: { tags: ['a'], operationId: 'get_a' } },
    '/b': { get: { tags: ['b'], operationId: 'get_b' } },
    '/shared': { put: { tags: ['b'] }, get: { tags: ['a'] } },
  });
});

test('webhooks stand in the document of their host alone', () => {
  const sent = { 'thing.made': { post: { 'x-host': 'ts', tags: ['Things'] } } };
  const services = [{ ...service('a'), webhooks: sent }, service('b')];
  expect(mergeDocs('ts', 'https://ts.example.com', services)['webhooks']).toEqual({
    'thing.made': { post: { tags: ['Things'] } },
  });
  expect(mergeDocs('ticket', 'https://api.example.com', services)).not.toHaveProperty('webhooks');
});

test.each([
  ['ticket', ['accessToken']],
  ['ts', ['session', 'hostSession', 'sessionToken', 'platformAdmin']],
  ['download', []],
] as const)('%s explains how to say who one is', (host, schemes) => {
  const { components } = mergeDocs(host, 'https://x.example', []) as { components: Record<string, object> };
  expect(Object.keys(components['securitySchemes'] as object)).toEqual(schemes);
});

test('a host shows the components that its operations refer to, also by way of others, and no more', () => {
  const ref = (path: string) => ({ $ref: `#/components/${path}` });
  const documented = {
    paths: {
      '/a': { get: { 'x-host': 'ts', responses: { default: ref('responses/Error') } } },
      '/b': { get: { 'x-host': 'ticket', responses: { 200: ref('responses/Other') } } },
    },
    components: {
      responses: { Error: { content: ref('schemas/Error') }, Other: { content: ref('schemas/Other') } },
      schemas: { Error: { items: ref('schemas/Error') }, Other: {} },
    },
  };
  const { components } = mergeDocs('ts', 'https://x.example', [documented]) as { components: Record<string, object> };
  const { securitySchemes: _, ...shown } = components;
  expect(shown).toEqual({
    responses: { Error: documented.components.responses.Error },
    schemas: { Error: documented.components.schemas.Error },
  });
});
