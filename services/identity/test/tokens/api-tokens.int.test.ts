import type { Permission, Principal } from '@app/contracts';
import { apiTokenLimit } from '../../tokens/api-token.ts';
import { pagesOf, useIdentity } from '../identity.ts';

const identity = useIdentity();

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
  expect((await recognise(token, 'ticket')).body).toMatchObject({
    principal: {
      kind: 'caller',
      caller: { companyId: company_id, userId: id, via: 'token', apiTokenId: answer.body['id'] },
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
  const [mine, colleague] = [await someone(['admin'], companyId), await someone(['admin'], companyId)];
  const stranger = await someone();
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

  const pages = await pagesOf<{ id: string }>((cursor) => call('GET', `/api-tokens?limit=30${cursor}`, { as }));
  const ids = pages.flat().map(({ id }) => id);
  expect(ids).toHaveLength(apiTokenLimit);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect((await call('DELETE', `/api-tokens/${ids[50]}`, { as })).status).toBe(204);
  await create(as);
  expect((await call('POST', '/api-tokens', { as, body: { name: 'one more' } })).status).toBe(409);
  await create(await someone());
});
