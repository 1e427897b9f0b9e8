import type { Permission, Principal } from '@app/contracts';
import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { platform, platformAdminToken, previousAdminToken, useIdentity } from '../identity.ts';

const identity = useIdentity();
const values: Record<string, string> = {};
let user: { id: string; company_id: string };

beforeAll(async () => {
  const { email, ...rest } = await identity.user(['api_webhooks']);
  user = rest;
  const { token, principal } = await identity.logIn(email);
  const created = await identity.call('POST', '/api-tokens', { as: principal, body: { name: 'erp' } });
  const apiToken = String(created.body['token']);
  Object.assign(values, {
    platform: platformAdminToken,
    'platform, before': previousAdminToken,
    'platform, cut': platformAdminToken.slice(0, -1),
    session: token,
    'API token': apiToken,
    'API token, mistyped': `${apiToken.slice(0, -1)}${apiToken.endsWith('a') ? 'b' : 'a'}`,
    'API token, lower case prefix missing': apiToken.slice(4),
    empty: '',
    operator: '{"$gt":""}',
  });
});

// Per credential: bearer on ts, bearer on ticket, cookie on ts, cookie on ticket.
const good: [string, (string | null)[]][] = [
  ['platform', ['platform', null, null, null]],
  ['platform, before', ['platform', null, null, null]],
  ['platform, cut', [null, null, null, null]],
  ['session', ['session', 'session', 'session', null]],
  ['API token', [null, 'token', null, null]],
  ['API token, mistyped', [null, null, null, null]],
  ['API token, lower case prefix missing', [null, null, null, null]],
  ['empty', [null, null, null, null]],
  ['operator', [null, null, null, null]],
];
const ways = [
  ['ts', 'bearer'],
  ['ticket', 'bearer'],
  ['ts', 'cookie'],
  ['ticket', 'cookie'],
] as const;
const matrix = good.flatMap(([name, outcomes]) =>
  ways.map(([host, kind], index) => [name, kind, host, outcomes[index] ?? null] as const),
);

test.each(matrix)('%s as %s on the host %s stands for %s', async (name, kind, host, expected) => {
  const answer = await identity.recognise(values[name] ?? '', host, kind);
  expect(answer.status).toBe(expected === null ? 401 : 200);
  if (expected === null) expect(answer.body).toMatchObject({ code: 'unauthorized' });
  else if (expected === 'platform') expect(answer.body).toEqual({ principal: { kind: 'platform' }, expiresAt: null });
  else expect(answer.body).toMatchObject({ principal: { kind: 'caller', caller: { userId: user.id, via: expected } } });
});

test.each<{ permissions: Permission[] }>([
  { permissions: ['api_webhooks'] },
  { permissions: ['api_webhooks', 'tickets'] },
  { permissions: ['admin'] },
])('a session and an API token of a user with $permissions have these and no more', async ({ permissions }) => {
  const { email } = await identity.user(permissions);
  const { token, principal } = await identity.logIn(email);
  const { body } = await identity.call('POST', '/api-tokens', { as: principal, body: { name: 'erp' } });
  for (const credential of [token, String(body['token'])]) {
    const recognised = (await identity.recognise(credential, 'ticket')).body;
    expect(recognised).toMatchObject({ principal: { kind: 'caller', caller: { permissions } } });
  }
});

test.each<[string, Principal | undefined, number]>([
  ['nobody', undefined, 401],
  ['a caller', { kind: 'caller', caller: aCaller() }, 403],
  ['the platform', platform, 403],
])('credentials are not disclosed to %s', async (_, as, status) => {
  const body = { kind: 'bearer', value: values['session'], host: 'ts' };
  const answer = await identity.call('POST', '/internal/credentials', { ...(as ? { as } : {}), body });
  expect(answer.status).toBe(status);
  expect(answer.text).not.toContain(user.id);
});

describe('what other services ask', () => {
  const as: Principal = { kind: 'caller', caller: aCaller({ permissions: [], via: 'token' }) };

  test('a company and a user, as the contracts have them', async () => {
    const company = await identity.call('GET', `/internal/companies/${user.company_id.toUpperCase()}`, { as });
    expect(company.body).toEqual({ id: user.company_id, name: 'Acme', kind: 'client', siret: null, siren: null });
    const found = await identity.call('GET', `/internal/users/${user.id}`, { as });
    expect(found.body).toMatchObject({ id: user.id, company_id: user.company_id, first_name: 'Ada' });
    const fields = [
      'active',
      'company_id',
      'email',
      'first_name',
      'id',
      'last_name',
      'permissions',
      'phone',
      'version',
    ];
    expect(Object.keys(found.body).sort()).toEqual(fields);
  });

  test('the users of a company, by id: others and unknown ones are left out', async () => {
    const colleague = await identity.user(['tickets'], user.company_id);
    const stranger = await identity.user();
    const ids = [stranger.id, colleague.id.toUpperCase(), newId(), user.id].join(',');
    const { body } = await identity.call('GET', `/internal/companies/${user.company_id}/users?ids=${ids}`, { as });
    expect((body['items'] as unknown as { id: string }[]).map(({ id }) => id)).toEqual([user.id, colleague.id].sort());
  });

  test.each([
    [404, `/internal/companies/${newId()}`],
    [404, '/internal/companies/x'],
    [404, `/internal/users/${newId()}`],
    [404, `/internal/companies/${newId()}/users?ids=${newId()}`],
    [422, `/internal/companies/{own}/users`],
    [422, `/internal/companies/{own}/users?ids=x`],
    [422, `/internal/companies/{own}/users?ids[$ne]=${newId()}`],
  ])('%d for %s', async (status, path) => {
    const answer = await identity.call('GET', path.replace('{own}', user.company_id), { as });
    expect(answer.status).toBe(status);
  });

  test('nothing without an internal token', async () => {
    for (const path of [`/internal/companies/${user.company_id}`, `/internal/users/${user.id}`]) {
      expect((await identity.call('GET', path)).status).toBe(401);
      const headers = { authorization: `Bearer ${values['session']}` };
      expect((await identity.call('GET', path, { headers })).status).toBe(401);
    }
  });
});
