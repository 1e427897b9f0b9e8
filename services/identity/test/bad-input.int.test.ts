import type { Principal } from '@app/contracts';
import { aCaller } from '@app/testing';
import { aUser, contents, gateway, goodPassword, type Identity, platform, startIdentity } from './identity.ts';

let identity: Identity;
let existing: { id: string; email: string; company_id: string };
const valid: Record<string, { as?: Principal; body: Record<string, unknown> }> = {};

beforeAll(async () => {
  identity = await startIdentity();
  existing = await identity.user();
  const caller: Principal = {
    kind: 'caller',
    caller: aCaller({ companyId: existing.company_id, userId: existing.id }),
  };
  Object.assign(valid, {
    '/auth/login': { body: { email: existing.email, password: goodPassword } },
    '/api-tokens': { as: caller, body: { name: 'erp' } },
    '/admin/companies': { as: platform, body: { name: 'Acme', kind: 'client', siret: '73282932000074' } },
    '/admin/users': { as: platform, body: aUser(existing.company_id) },
    '/internal/credentials': { as: gateway, body: { kind: 'bearer', value: 'x', host: 'ts' } },
  });
});
afterAll(() => identity.stop());

const missing = Symbol('missing');
const operator = { $gt: '' };

/** Route, field, value that it must refuse. */
const faults: [string, string, unknown[]][] = [
  ['/auth/login', 'email', [missing, null, 1, '', [], operator, 'x'.repeat(255)]],
  ['/auth/login', 'password', [missing, null, 1, '', true, operator, 'x'.repeat(201)]],
  ['/api-tokens', 'name', [missing, null, 1, '', [], operator, 'x'.repeat(101)]],
  ['/admin/companies', 'name', [missing, null, 1, '', operator, 'x'.repeat(201)]],
  ['/admin/companies', 'kind', [missing, null, 'supplier', 'Client', ['client'], operator]],
  ['/admin/companies', 'siret', [1, '', '73282932000075', '7328293200007', 'abc', operator, '1'.repeat(51)]],
  ['/admin/users', 'company_id', [missing, null, 'x', 'f'.repeat(23), 'f'.repeat(24), operator, {}]],
  [
    '/admin/users',
    'email',
    [missing, null, '', 'ada', 'ada@', 'a b@acme.test', operator, `${'x'.repeat(250)}@acme.test`],
  ],
  ['/admin/users', 'password', [missing, null, 1, 'eleven char', 'x'.repeat(201), operator]],
  ['/admin/users', 'first_name', [missing, null, 1, '', operator, 'x'.repeat(201)]],
  ['/admin/users', 'last_name', [missing, null, 1, '', operator, 'x'.repeat(201)]],
  ['/admin/users', 'phone', [1, '', operator, '1'.repeat(51)]],
  ['/admin/users', 'permissions', [missing, null, 'admin', operator]],
  ['/internal/credentials', 'kind', [missing, null, 'basic', operator]],
  ['/internal/credentials', 'value', [missing, null, 1, operator]],
  ['/internal/credentials', 'host', [missing, null, 'download', operator]],
];
const rows = faults.flatMap(([path, field, bad]) =>
  bad.map((value) => [path, field, value === missing ? missing : value] as const),
);

test.each(rows)('POST %s with %s %j: 422 that names it, nothing changed', async (path, field, value) => {
  const { as, body } = valid[path] as { as?: Principal; body: Record<string, unknown> };
  const { [field]: _, ...rest } = body;
  const before = await contents(identity.connection);
  const answer = await identity.call('POST', path, {
    ...(as ? { as } : {}),
    body: value === missing ? rest : { ...rest, [field]: value },
  });
  expect(answer.status).toBe(422);
  expect(answer.body['message']).toBe('Validation error');
  const errors = answer.body['errors'] as unknown as { path: string; message: string }[];
  expect(new Set(errors.map((error) => error.path))).toEqual(new Set([field]));
  for (const { message } of errors) expect(message).toMatch(/\w+ \w+/);
  expect(await contents(identity.connection)).toBe(before);
});

const paths = ['/auth/login', '/api-tokens', '/admin/companies', '/admin/users', '/internal/credentials'];

describe.each(paths)('POST %s', (path) => {
  const send = (options: { body?: unknown; raw?: string; headers?: Record<string, string>; query?: string }) => {
    const { query = '', ...rest } = options;
    const { as } = valid[path] ?? {};
    return identity.call('POST', `${path}${query}`, { ...(as ? { as } : {}), ...rest });
  };

  test('an unknown field and an unknown query parameter are refused', async () => {
    const { body } = valid[path] ?? { body: {} };
    const before = await contents(identity.connection);
    expect(await send({ body: { ...body, $where: '1' } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '$where' }] },
    });
    expect(await send({ body, query: '?x[$ne]=1' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'x[$ne]' }] },
    });
    expect(await contents(identity.connection)).toBe(before);
  });

  test.each(['{', '', '{"a":}', '\u0000'])('%j is no JSON: 400', async (raw) => {
    const answer = await send({ raw });
    // An absent body counts as {}, which lacks what is required.
    expect(answer).toMatchObject(raw === '' ? { status: 422 } : { status: 400, body: { code: 'invalid_json' } });
  });

  test.each(['null', '[]', '"x"', '1'])('%s is JSON, but no object: 422', async (raw) => {
    expect((await send({ raw })).status).toBe(422);
  });

  test('a body not declared as JSON is 415, one above 1 MB is 413', async () => {
    expect((await send({ raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status).toBe(
      415,
    );
    const big = await send({ raw: JSON.stringify({ name: 'x'.repeat(1_100_000) }) });
    expect(big).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('another method is 405 with Allow', async () => {
    const answer = await identity.call('PUT', path);
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toContain('POST');
  });
});

test('every fault of a body is named at once', async () => {
  const body = { company_id: 1, email: 'x', password: 'short', permissions: ['root', 'admin', 'admin'], extra: true };
  const { body: answer } = await identity.call('POST', '/admin/users', { as: platform, body });
  const named = (answer['errors'] as unknown as { path: string }[]).map(({ path }) => path);
  expect(named).toEqual(
    expect.arrayContaining(['company_id', 'email', 'password', 'first_name', 'last_name', 'permissions.0', 'extra']),
  );
});

test('permissions are those that exist, each once', async () => {
  for (const permissions of [['root'], ['admin', 'admin'], [1], [operator]]) {
    const body = { ...aUser(existing.company_id), permissions };
    expect((await identity.call('POST', '/admin/users', { as: platform, body })).status).toBe(422);
  }
});

const lists = ['/admin/companies', '/admin/users', '/api-tokens'];
const queries = [
  'limit=0',
  'limit=201',
  'limit=x',
  'limit=1.5',
  'limit=',
  'limit[$gt]=1',
  'cursor=x',
  'cursor[$ne]=x',
  'cursor=',
  'page=2',
  'limit=1&limit=2',
];

test.each(lists.flatMap((path) => queries.map((query) => [path, query] as const)))(
  'GET %s?%s is 422',
  async (path, query) => {
    const { as } = valid[path] ?? {};
    const answer = await identity.call('GET', `${path}?${query}`, { ...(as ? { as } : {}) });
    expect(answer).toMatchObject({ status: 422, body: { message: 'Validation error' } });
  },
);

test('unknown things are 404', async () => {
  expect(await identity.call('GET', '/auth')).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
