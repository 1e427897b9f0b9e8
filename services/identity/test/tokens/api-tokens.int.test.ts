import { type Permission, type Principal, permissions } from '@app/contracts';
import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { apiTokenLimit } from '../../tokens/api-token.ts';
import { type Identity, startIdentity } from '../identity.ts';

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

async function someone(permission: Permission[] = ['api_webhooks'], companyId?: string): Promise<Principal> {
  const { email } = await identity.user(permission, companyId);
  return (await identity.logIn(email)).principal;
}

async function create(as: Principal, name = 'erp') {
  const { status, body } = await identity.call('POST', '/api-tokens', { as, body: { name } });
  expect(status).toBe(201);
  return body as unknown as { id: string; name: string; token: string; created_at: string };
}

test('a token is shown once, and acts for its company and maker on the ticket API', async () => {
  const { call, recognise, user, logIn } = identity;
  const { email, id, company_id } = await user(['api_webhooks', 'accounting']);
  const { principal } = await logIn(email);
  const answer = await call('POST', '/api-tokens', { as: principal, body: { name: 'Purchasing' } });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Purchasing',
    token: expect.stringMatching(/^fmt_[\w-]{49}$/),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    prefix: String(answer.body['token']).slice(0, 8),
    scopes: null,
    expires_at: null,
  });
  const token = String(answer.body['token']);
  expect((await recognise(token, 'ticket')).body).toEqual({
    principal: {
      kind: 'caller',
      caller: {
        companyId: company_id,
        companyName: 'Acme',
        companyKind: 'client',
        userId: id,
        firstName: 'Ada',
        lastName: 'Martin',
        email,
        permissions: ['api_webhooks', 'accounting'],
        via: 'token',
      },
    },
    expiresAt: null,
  });
  const list = await call('GET', '/api-tokens', { as: principal });
  const { token: _, ...listed } = answer.body;
  const today = identity.clock.now.toISOString().slice(0, 10);
  expect(list.body).toEqual({
    items: [{ ...listed, user_id: id, made_by: id, last_used_at: today }],
    nextCursor: null,
  });
});

test('a token may be limited to scopes, which services are told of', async () => {
  const { call, recognise } = identity;
  const as = await someone();
  const scopes = ['tickets:read', 'purchases:write'];
  const { body } = await call('POST', '/api-tokens', { as, body: { name: 'purchasing', scopes } });
  expect(body).toMatchObject({ scopes });
  const known = (await recognise(String(body['token']), 'ticket')).body;
  expect(known).toMatchObject({ principal: { caller: { via: 'token', scopes } } });
  expect((await call('GET', '/api-tokens', { as })).body).toMatchObject({ items: [{ scopes }] });
});

test('a token that expires is refused from then on, and still listed', async () => {
  const { call, recognise, clock } = identity;
  const as = await someone();
  const expires_at = new Date(clock.now.getTime() + 3_600_000).toISOString();
  const { body } = await call('POST', '/api-tokens', { as, body: { name: 'erp', expires_at } });
  const token = String(body['token']);
  expect((await recognise(token, 'ticket')).body['expiresAt']).toBe(expires_at);
  const before = clock.now;
  clock.now = new Date(expires_at);
  expect((await recognise(token, 'ticket')).status).toBe(401);
  expect((await call('GET', '/api-tokens', { as })).body).toMatchObject({ items: [{ expires_at }] });
  clock.now = before;
  expect((await recognise(token, 'ticket')).status).toBe(200);
});

test('the day of its last use is noted, once a day, and never taken back', async () => {
  const { call, recognise, clock } = identity;
  const as = await someone();
  const { token } = await create(as);
  const used = async () => {
    const { items } = (await call('GET', '/api-tokens', { as })).body as unknown as { items: object[] };
    return items.map((item) => (item as { last_used_at: string | null }).last_used_at);
  };
  expect(await used()).toEqual([null]);
  const before = clock.now;
  const days = [0, 1, 0].map((n) => new Date(before.getTime() + n * 86_400_000));
  for (const day of days) {
    clock.now = day;
    await recognise(token, 'ticket');
  }
  clock.now = before;
  expect(await used()).toEqual([days[1]?.toISOString().slice(0, 10)]);
});

test('a token of an earlier version may do whatever its user may, and never expires', async () => {
  const { call, recognise, connection } = identity;
  const as = await someone();
  const { id, token } = await create(as);
  const unset = { prefix: 1, scopes: 1, expires_at: 1, last_used_at: 1 } as const;
  await connection.collection<{ _id: string }>('api_tokens').updateOne({ _id: id }, { $unset: unset });
  expect((await call('GET', '/api-tokens', { as })).body).toMatchObject({
    items: [{ id, prefix: null, scopes: null, expires_at: null, last_used_at: null }],
  });
  expect((await recognise(token, 'ticket')).body).toMatchObject({ expiresAt: null });
});

test.each([
  ['expires_at', { expires_at: '2020-01-01T00:00:00.000Z' }],
  ['expires_at', { expires_at: 'tomorrow' }],
  ['scopes', { scopes: [] }],
  ['scopes.0', { scopes: ['admin'] }],
  ['scopes.1', { scopes: ['tickets:read', 'tickets:read'] }],
])('a wrong %s is named, and no token is made: %j', async (path, fault) => {
  const as = await someone();
  const answer = await identity.call('POST', '/api-tokens', { as, body: { name: 'erp', ...fault } });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  expect((await identity.call('GET', '/api-tokens', { as })).body).toMatchObject({ items: [] });
});

test('a deleted token is dead at once, and its deletion cannot be repeated', async () => {
  const { call, recognise, replica } = identity;
  const as = await someone();
  const [gone, kept] = [await create(as), await create(as, 'other')];
  expect(await call('DELETE', `/api-tokens/${gone.id.toUpperCase()}`, { as })).toMatchObject({ status: 204, text: '' });
  expect(await recognise(gone.token, 'ticket')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  const other = await replica();
  expect((await other.call('DELETE', `/api-tokens/${gone.id}`, { as })).status).toBe(404);
  expect((await call('GET', '/api-tokens', { as })).body).toMatchObject({ items: [{ id: kept.id }] });
  expect((await recognise(kept.token, 'ticket')).status).toBe(200);
});

test('the tokens of a company are all its administrators’, and do not exist for another', async () => {
  const { call, recognise, company } = identity;
  const companyId = await company();
  const [mine, colleague, stranger] = [
    await someone(['admin'], companyId),
    await someone(['admin'], companyId),
    await someone(),
  ];
  const { id, token } = await create(mine);
  expect((await call('GET', '/api-tokens', { as: stranger })).body).toEqual({ items: [], nextCursor: null });
  expect((await call('GET', `/api-tokens?cursor=${'0'.repeat(24)}`, { as: stranger })).body).toMatchObject({
    items: [],
  });
  expect(await call('DELETE', `/api-tokens/${id}`, { as: stranger })).toMatchObject({ status: 404 });
  expect((await recognise(token, 'ticket')).status).toBe(200);
  expect((await call('GET', '/api-tokens', { as: colleague })).body).toMatchObject({ items: [{ id }] });
  expect((await call('DELETE', `/api-tokens/${id}`, { as: colleague })).status).toBe(204);
});

test.each(['x', newId().slice(1), `${newId()}0`, '%00', '[object Object]', newId()])(
  'deleting %j is 404',
  async (id) => {
    const answer = await identity.call('DELETE', `/api-tokens/${encodeURI(id)}`, { as: await someone() });
    expect(answer.status).toBe(404);
  },
);

const routes = [
  ['GET', '/api-tokens'],
  ['POST', '/api-tokens'],
  ['DELETE', `/api-tokens/${newId()}`],
] as const;

describe.each(routes)('%s %s', (method, path) => {
  const body = method === 'POST' ? { body: { name: 'erp' } } : {};

  test.each(permissions)('with the permission %s alone', async (permission) => {
    const as: Principal = { kind: 'caller', caller: aCaller({ permissions: [permission] }) };
    const { status } = await identity.call(method, path, { as, ...body });
    const allowed = permission === 'admin' || permission === 'api_webhooks';
    if (allowed) expect(status).not.toBe(403);
    else expect(status).toBe(403);
  });

  test('an API token has no business on the second API', async () => {
    const as: Principal = { kind: 'caller', caller: aCaller({ via: 'token' }) };
    expect(await identity.call(method, path, { as, ...body })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
  });

  test('without credentials, and as the platform', async () => {
    expect(await identity.call(method, path, body)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    const as: Principal = { kind: 'platform' };
    expect(await identity.call(method, path, { as, ...body })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });
});

test('a company has at most 100 tokens, under any number of parallel requests; a deletion allows another one', async () => {
  const { call, replica } = identity;
  const as = await someone();
  const other = await replica();
  const answers = await Promise.all(
    Array.from({ length: apiTokenLimit + 30 }, (_, n) =>
      (n % 2 === 0 ? call : other.call)('POST', '/api-tokens', { as, body: { name: `token ${n}` } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(apiTokenLimit);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) expect(answer).toMatchObject({ status: 409, body: { code: 'api_token_limit' } });

  const ids: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await call('GET', `/api-tokens?limit=30${cursor}`, { as });
    const page = body as unknown as { items: { id: string }[]; nextCursor: string | null };
    ids.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(ids).toHaveLength(apiTokenLimit);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect((await call('DELETE', `/api-tokens/${ids[50]}`, { as })).status).toBe(204);
  await create(as);
  expect((await call('POST', '/api-tokens', { as, body: { name: 'one more' } })).status).toBe(409);
  await create(await someone());
});
