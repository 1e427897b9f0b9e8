import Joi from 'joi';
import { openApi } from '../../openapi/openapi.ts';
import { preconditionOf } from '../../routing/etag.ts';
import { type Route, route } from '../../routing/route.ts';

const accepts = (sent: string | undefined, version: number) => {
  const precondition = preconditionOf({ headers: sent === undefined ? {} : { 'if-match': sent } });
  try {
    precondition?.(version);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'precondition_failed', code: 'precondition_failed' });
    return false;
  }
};

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ['"7"', true],
  ['*', true],
  ['"1", "7"', true],
  ['"1" ,"7" , W/"8"', true],
  ['"8"', false],
  ['W/"7"', false],
  ['7', false],
  ['', false],
  ['"7', false],
  ['"77"', false],
])('If-Match %s lets version 7 be changed: %s', (sent, expected) => {
  expect(accepts(sent, 7)).toBe(expected);
});

test('the document says which operations have a version, and which heed If-Match', () => {
  const thing = {
    host: 'ticket',
    path: '/things/:thing_id',
    summary: 'A thing',
    tag: 'Things',
    access: { permission: null },
    versioned: true,
    handle: async () => ({}),
  } as const;
  const reply = (status: number) => ({ status, schema: Joi.object({}) });
  const routes: Route[] = [
    route({ ...thing, method: 'get', reply: reply(200) }),
    route({ ...thing, method: 'patch', reply: reply(200) }),
    route({ ...thing, method: 'delete', reply: { status: 204 } }),
    route({ ...thing, method: 'post', reply: reply(201), versioned: 'answer' }),
    route({ ...thing, method: 'put', reply: reply(200), versioned: undefined as never }),
  ];
  const { paths } = openApi('things', routes) as {
    paths: Record<string, Record<string, { parameters: object[]; responses: Record<string, { headers?: object }> }>>;
  };
  const ifMatch = { $ref: '#/components/parameters/IfMatch' };
  const said = Object.entries(paths['/things/{thing_id}'] ?? {}).map(([method, { parameters, responses }]) => {
    const [success] = Object.keys(responses).filter((status) => status < '300');
    const headers = Object.keys(responses[success ?? '']?.headers ?? {});
    const heeds = parameters.some((parameter) => JSON.stringify(parameter) === JSON.stringify(ifMatch));
    return [method, headers.includes('ETag'), heeds, '412' in responses];
  });
  expect(said.sort()).toEqual([
    ['delete', false, true, true],
    ['get', true, false, false],
    ['patch', true, true, true],
    ['post', true, false, false],
    ['put', false, false, false],
  ]);
});
