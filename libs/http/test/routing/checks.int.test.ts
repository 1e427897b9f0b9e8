import { type Answer, aThing, noThing, startWeb } from '../web.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.close());

const outcome = ({ status, body }: Answer) => [status, body['code'] ?? body['message']];
const badBody = { title: 7 };
const contractor = { companyKind: 'contractor', permissions: ['tickets'] } as const;
const powerless = { permissions: [] };

/** A request with several faults, and those that are left when each earlier one is mended. */
test.each([
  ['no credentials come first', noThing.slice(1), { as: null, body: badBody }, [401, 'unauthorized']],
  ['then the permission', noThing.slice(1), { as: powerless, body: badBody }, [403, 'forbidden']],
  ['then the ids of the path', noThing.slice(1), { body: badBody }, [400, 'invalid_id']],
  ['then what they name', noThing, { body: badBody }, [404, 'thing_not_found']],
  ['then the body', aThing, { body: badBody }, [422, 'Validation error']],
  ['then the rules', aThing, { body: { title: 'x' } }, [409, 'thing_frozen']],
])('order of checks: %s', async (_which, thing, options, expected) => {
  expect(outcome(await web.call('PUT', `/things/${thing}`, options))).toEqual(expected);
});

test('a malformed id is not found elsewhere than on the ticket API', async () => {
  expect(outcome(await web.call('POST', '/ts/things/x/touch'))).toEqual([404, 'not_found']);
});

test('a route may have a code of its own for a malformed id; of several faults the first is named', async () => {
  expect(outcome(await web.call('DELETE', `/things/${aThing}/parts/x`))).toEqual([400, 'invalid_part_id']);
  expect(outcome(await web.call('DELETE', '/things/x/parts/x'))).toEqual([400, 'invalid_id']);
});

test('ids are read in any case and reach the handler in lower case', async () => {
  const { body } = await web.call('GET', `/things/${aThing.toUpperCase()}`);
  expect(body).toEqual({ params: { thing_id: aThing }, found: { id: aThing } });
});

test.each([
  ['nothing', {}],
  ['another scheme', { authorization: 'Basic YTpi' }],
  ['no token', { authorization: 'Bearer ' }],
  ['nonsense', { authorization: 'Bearer nonsense' }],
])('%s for credentials: 401, with the scheme that is wanted', async (_what, headers) => {
  const answer = await web.call('GET', '/things', { as: null, headers });
  expect(outcome(answer)).toEqual([401, 'unauthorized']);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('an API token is for the ticket API alone', async () => {
  const path = `/ts/things/${aThing}/touch`;
  expect(outcome(await web.call('POST', path, { as: { via: 'token' } }))).toEqual([401, 'unauthorized']);
  expect((await web.call('POST', path, { as: { via: 'session' } })).status).toBe(204);
  expect((await web.call('GET', '/things', { as: { via: 'token' } })).status).toBe(200);
});

test.each([
  ['GET', '/things', ['tickets:read'], 200],
  ['GET', '/things', ['tickets:write', 'purchases:write'], 403],
  ['POST', '/things', ['tickets:write'], 201],
  ['POST', '/things', ['tickets:read', 'purchases:write'], 403],
] as const)('%s %s by an API token with the scopes %j: %d', async (method, path, scopes, status) => {
  const as = { via: 'token' as const, scopes: [...scopes] };
  const answer = await web.call(method, path, { as, ...(method === 'POST' ? { body: { title: 'x' } } : {}) });
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.body['code']).toBe('insufficient_scope');
});

test.each([
  ['the permission', 201, ['tickets']],
  ['all of them', 201, ['admin']],
  ['another', 403, ['accounting', 'api_webhooks']],
  ['none', 403, []],
] as const)('with %s: %d', async (_which, status, permissions) => {
  const as = { permissions: [...permissions] };
  expect((await web.call('POST', '/things', { as, body: { title: 'x' } })).status).toBe(status);
});

test('an operation for one kind of company refuses the other in its own words', async () => {
  const as = { ...contractor, permissions: [...contractor.permissions] };
  const { status, body } = await web.call('POST', '/things', { as, body: { title: 'x' } });
  expect([status, body]).toEqual([403, { error: 'for clients', code: 'clients_only' }]);
});

test.each([
  ['/internal/platform', 'platform', 200],
  ['/internal/platform', 'service', 403],
  ['/internal/platform', {}, 403],
  ['/internal/platform', null, 401],
  ['/internal/service', 'service', 200],
  ['/internal/service', 'platform', 403],
  ['/internal/service', {}, 403],
  ['/internal/service', null, 401],
  ['/things', 'platform', 403],
  ['/things', 'service', 403],
] as const)('%s as %j: %d', async (path, as, status) => {
  expect((await web.call('GET', path, { as })).status).toBe(status);
});

test('a public operation asks for nothing and knows nobody', async () => {
  const { status, text } = await web.call('GET', '/files/a.txt', { as: null });
  expect([status, text]).toEqual([200, '{"principal":null,"caller":null}']);
});

test('a path with fixed segments is meant before one with a parameter', async () => {
  expect((await web.call('GET', '/things/latest')).body).toEqual({ latest: true });
  expect(outcome(await web.call('PUT', '/things/latest', { body: {} }))).toEqual([405, 'method_not_allowed']);
});

test.each([
  ['DELETE', '/things', 'GET, HEAD, POST'],
  ['PATCH', `/things/${aThing}`, 'GET, HEAD, PUT'],
  ['GET', `/ts/things/${aThing}/touch`, 'POST'],
])('%s %s is not possible: 405 with what is', async (method, path, allow) => {
  const answer = await web.call(method, path, { as: null });
  expect(outcome(answer)).toEqual([405, 'method_not_allowed']);
  expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow);
});

test('OPTIONS answers with the allowed methods', async () => {
  const answer = await web.call('OPTIONS', '/things', { as: null });
  expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', 'GET, POST, HEAD']);
});

test('HEAD is GET without the body', async () => {
  const [get, head] = [await web.call('GET', '/things'), await web.call('HEAD', '/things')];
  expect([head.status, head.text, get.headers.get('www-authenticate')]).toEqual([200, '', null]);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
});

test.each(['/nothing', '/things/a/b', '/', '/things/../../etc/passwd'])('%s: 404', async (path) => {
  expect(outcome(await web.call('GET', path))).toEqual([404, 'not_found']);
});
