import type { Principal } from '@app/contracts';
import { aCaller } from '@app/testing';
import { aUser, contents, gateway, goodPassword, platform, useIdentity } from './identity.ts';

const identity = useIdentity();
let existing: { id: string; email: string; company_id: string };
const valid: Record<string, { as?: Principal; body: Record<string, unknown> }> = {};

beforeAll(async () => {
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

const missing = Symbol('missing');
const operator = { $gt: '' };

/**
 * Route, field, values that it must refuse. That what is missing, unknown, too long, or an operator is refused, is tested for every
 * documented operation at once (tests/e2e/every-operation/bad-input.test.ts).
 */
const faults: [string, string, unknown[]][] = [
  ['/auth/login', 'email', [null, 1, '', []]],
  ['/auth/login', 'password', [null, 1, '', true]],
  ['/api-tokens', 'name', [null, 1, '', []]],
  ['/admin/companies', 'name', [null, 1, '']],
  ['/admin/companies', 'kind', [null, 'supplier', 'Client', ['client']]],
  ['/admin/companies', 'siret', [1, '', '73282932000075', '7328293200007', 'abc']],
  ['/admin/users', 'company_id', [null, 'x', 'f'.repeat(23), 'f'.repeat(24), {}]],
  ['/admin/users', 'email', [null, '', 'ada', 'ada@', 'a b@acme.test', `${'x'.repeat(250)}@acme.test`]],
  ['/admin/users', 'password', [null, 1, 'eleven char']],
  ['/admin/users', 'first_name', [null, 1, '']],
  ['/admin/users', 'last_name', [null, 1, '']],
  ['/admin/users', 'phone', [1, '']],
  ['/admin/users', 'permissions', [null, 'admin', ['root'], ['admin', 'admin'], [1]]],
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
  expect(new Set(errors.map((error) => error.path.split('.')[0]))).toEqual(new Set([field]));
  for (const { message } of errors) expect(message).toMatch(/\w+ \w+/);
  expect(await contents(identity.connection)).toBe(before);
});

const lists = ['/admin/companies', '/admin/users', '/api-tokens'];
const queries = ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'limit=', 'cursor=x', 'limit=1&limit=2'];

test.each(lists.flatMap((path) => queries.map((query) => [path, query] as const)))(
  'GET %s?%s is 422',
  async (path, query) => {
    const { as } = valid[path] ?? {};
    const answer = await identity.call('GET', `${path}?${query}`, { ...(as ? { as } : {}) });
    expect(answer).toMatchObject({ status: 422, body: { message: 'Validation error' } });
  },
);
