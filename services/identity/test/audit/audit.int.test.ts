import { auditRecorded, type DomainEvent } from '@app/contracts';
import { encodePosition, newId } from '@app/kernel';
import { eventFixture, eventually, profiled, rowsOfCsv, rowsOfXlsx, testBroker } from '@app/testing';
import { newestFirst } from '../../audit/audit-list.ts';
import { type AuditLogStore, createAuditLogStore, toEntry } from '../../audit/audit-log-store.ts';
import { aUser, contents, goodPassword, type Login, pagesOf, platform, useAdmin, useIdentity } from '../identity.ts';

const identity = useIdentity();
const admin = useAdmin(identity);

type Entry = {
  id: string;
  at: string;
  action: string;
  actor: Record<string, unknown>;
  from: Record<string, unknown>;
  target: { kind: string; id: string; name: string | null } | null;
  details: { changes: object[]; reason: string | null; count: number | null };
};
const origin = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'x'.repeat(300) };
const as = (login: Login, method: string, path: string, body?: unknown) =>
  identity.as(login, method, path, body, origin);
const guess = (password = 'wrong password', address = '198.51.100.9') =>
  identity.call('POST', '/auth/login', {
    body: { email: admin.email, password },
    headers: { 'x-forwarded-for': address },
  });
async function log(query = '', login: Login = admin): Promise<Entry[]> {
  const answer = await as(login, 'GET', `/audit?limit=200${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body['items'] as unknown as Entry[];
}
const actions = async (query = '', login: Login = admin) => (await log(query, login)).map(({ action }) => action);

test('each change of users, tokens, passwords and sessions is told with who did it, from where, and to what', async () => {
  const invited = await as(admin, 'POST', '/company/users', {
    email: 'lea@acme.test',
    first_name: 'Léa',
    last_name: 'Moreau',
    permissions: ['tickets', 'api_webhooks'],
  });
  const { id, password_link: link } = invited.body as unknown as { id: string; password_link: { token: string } };
  await identity.call('POST', '/auth/password-link', { body: { token: link.token, password: goodPassword } });
  const lea = await identity.logIn('lea@acme.test');
  await as(lea, 'POST', '/api-tokens', { name: 'ERP' });
  const own = await as(admin, 'POST', '/api-tokens', { name: 'BI' });
  await as(admin, 'DELETE', `/api-tokens/${own.body['id']}`);
  await as(lea, 'POST', '/auth/password', { current_password: goodPassword, new_password: 'another good password' });
  await as(admin, 'POST', `/company/users/${id}/password-link`);
  await as(admin, 'PATCH', `/company/users/${id}`, { permissions: ['tickets'], phone: '+33 1 23 45 67 89' });
  await as(admin, 'PATCH', `/company/users/${id}`, { active: false, take_over_api_tokens: true });
  await as(admin, 'PATCH', `/company/users/${id}`, { active: true });
  await as(admin, 'POST', '/auth/logout');

  Object.assign(admin, await identity.logIn(admin.email));
  const entries = await log();
  expect(entries.map(({ action }) => action).reverse()).toEqual([
    'company.created',
    'user.created',
    'login.accepted',
    'user.created',
    'password.set',
    'login.accepted',
    'api_token.created',
    'api_token.created',
    'api_token.revoked',
    'password.changed',
    'password_link.created',
    'user.changed',
    'user.deactivated',
    'api_token.taken_over',
    'user.reactivated',
    'session.ended',
    'login.accepted',
  ]);
  const of = (action: string, nth = 0) => entries.filter((one) => one.action === action).at(nth);
  expect(of('user.changed')).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    at: identity.clock.now.toISOString(),
    action: 'user.changed',
    actor: { kind: 'user', user_id: admin.id, name: 'Ada Martin', credential: 'session', api_token_id: null },
    from: { address: '192.0.2.7', user_agent: 'x'.repeat(200) },
    target: { kind: 'user', id, name: 'Léa Moreau' },
    details: {
      changes: [
        { field: 'permissions', before: ['tickets', 'api_webhooks'], after: ['tickets'] },
        { field: 'phone', before: null, after: null },
      ],
      reason: null,
      count: null,
    },
  });
  expect(of('company.created')?.actor).toEqual({
    kind: 'platform',
    user_id: null,
    name: null,
    credential: 'platform_token',
    api_token_id: null,
  });
  expect(of('password.set')?.actor).toMatchObject({ user_id: id, credential: 'password_link' });
  expect(of('password.set')?.from['address']).toBeNull();
  expect(of('api_token.taken_over')).toMatchObject({
    target: { kind: 'api_token', name: 'ERP' },
    actor: { user_id: admin.id },
    details: { changes: [{ field: 'user_id', before: id, after: admin.id }] },
  });
  const stored = JSON.stringify(await identity.connection.collection('audit_entries').find().toArray());
  for (const secret of [link.token, goodPassword, 'another good password', String(own.body['token']), '+33 1', 'Léa']) {
    expect(stored).not.toContain(secret);
  }
});

test('wrong passwords make one entry for each account and 15 minutes, from however many addresses', async () => {
  for (let n = 0; n < 12; n += 1) await guess('wrong password', `198.51.100.${n}`);
  for (let n = 0; n < 9; n += 1) await guess('wrong password', '198.51.100.0');
  expect((await guess('wrong password', '198.51.100.0')).status).toBe(429);
  identity.clock.now = new Date(identity.clock.now.getTime() + 16 * 60_000);
  await Promise.all(Array.from({ length: 5 }, () => guess()));
  expect((await guess(goodPassword)).status).toBe(200);
  const entries = await log();
  const refused = entries.filter(({ action }) => action === 'login.refused');
  expect(refused.length).toBe(2);
  expect(refused[1]).toMatchObject({
    actor: { kind: 'unknown', user_id: null },
    target: { kind: 'user', id: admin.id },
    details: { reason: 'wrong_password' },
    from: { address: '198.51.100.0' },
  });
  expect(entries.filter(({ action }) => action === 'login.locked').length).toBe(1);
  expect(entries[0]).toMatchObject({ action: 'login.accepted', details: { count: 5 } });
  const before = await identity.connection.collection('audit_entries').countDocuments();
  for (let n = 0; n < 3; n += 1) {
    await identity.call('POST', '/auth/login', { body: { email: `nobody-${n}@acme.test`, password: 'x' } });
  }
  // An entry that no company can read, so that the time of a response tells nothing.
  expect(await identity.connection.collection('audit_entries').countDocuments()).toBeLessThanOrEqual(before + 1);
});

test('is for admins, and of their own company alone; filters combine, pages follow each other', async () => {
  const stranger = await identity.admin();
  const clerk = await identity.user(['tickets', 'accounting', 'api_webhooks'], admin.companyId);
  const clerkLogin = await identity.logIn(clerk.email);
  expect((await as(clerkLogin, 'GET', '/audit')).status).toBe(403);
  expect((await as({ ...admin, principal: platform }, 'GET', '/audit')).status).toBe(403);
  expect(JSON.stringify(await log('', stranger))).not.toContain(admin.id);
  expect(await log(`&user_id=${admin.id}`, stranger)).toEqual([]);

  expect(await actions(`&user_id=${clerk.id}`)).toEqual(['login.accepted', 'user.created']);
  expect(await actions(`&user_id=${clerk.id}&action=user.created`)).toEqual(['user.created']);
  const at = identity.clock.now.getTime();
  expect(await log(`&until=${at}`)).toEqual([]);
  expect((await log(`&since=${new Date(at).toISOString()}`)).length).toBe((await log()).length);

  expect(await actions(`&user_id=${clerk.id}&action=user.created,login.accepted&order=asc`)).toEqual([
    'user.created',
    'login.accepted',
  ]);

  const all = await log();
  const pages = await pagesOf<Entry>((cursor) => as(admin, 'GET', `/audit?limit=2${cursor}`));
  expect(pages.flat()).toEqual(all);
  for (const query of ['action=nothing', 'user_id=x', 'since=yesterday', 'limit=201', 'cursor=x', 'other=1']) {
    expect([query, (await as(admin, 'GET', `/audit?${query}`)).status]).toEqual([query, 422]);
  }
});

test.each([
  ['csv', async (bytes: Buffer) => rowsOfCsv(bytes, ',')],
  ['xlsx', rowsOfXlsx],
])('a %s has who did what, of the own company alone', async (format, rowsOf) => {
  const clerk = await identity.user(['tickets'], admin.companyId);
  await identity.logIn(clerk.email);
  await identity.admin();
  const path = `/audit/export?action=user.created,login.accepted&user_id=${clerk.id}&format=${format}`;
  const [titles = [], ...rows] = await rowsOf(await identity.download(admin, path));
  expect(titles.slice(0, 4)).toEqual(['When (UTC)', 'Action', 'Kind of actor', 'Actor']);
  expect(rows.map((row) => row.slice(1, 4))).toEqual([
    ['Signed in', 'User', 'Ada Martin'],
    ['User created', 'Platform administration', format === 'csv' ? '' : null],
  ]);
});

test('what another service tells is one entry, however often it is told', async () => {
  const fixture = eventFixture(auditRecorded) as DomainEvent<{ company_id: string }>;
  const event = { ...fixture, data: { ...fixture.data, company_id: admin.companyId } };
  const broker = await testBroker(identity.namespace);
  await broker.publish([event, event]);
  const last = { ...event, id: newId(), data: { ...event.data, action: 'of_a.later_release' } };
  await broker.publish([event, last as typeof event]);
  await eventually(async () => expect(await actions()).toContain('of_a.later_release'));
  await broker.close();
  const entries = await log('&action=webhook_endpoint.changed');
  expect(entries.length).toBe(1);
  const { target, details, from } = event.data as unknown as Entry;
  expect(entries[0]).toMatchObject({ at: event.time, target, details, from });
});

test('a change that is refused is not told, and one that fails to be told is not made', async () => {
  const before = await contents(identity.connection);
  const count = (await log()).length;
  await as(admin, 'PATCH', `/company/users/${admin.id}`, { active: false });
  await as(admin, 'POST', '/company/users', { ...aUser(admin.companyId), email: admin.email });
  await as(admin, 'DELETE', `/api-tokens/${newId()}`);
  expect((await log()).length).toBe(count);

  const db = identity.connection.db;
  await db?.command({ collMod: 'audit_entries', validator: { action: 'nothing else' } });
  try {
    for (const [method, path, body] of [
      ['POST', '/api-tokens', { name: 'ERP' }],
      ['PATCH', '/auth/profile', { first_name: 'Eve' }],
      ['POST', `/company/users/${admin.id}/password-link`, undefined],
      ['POST', '/auth/password', { current_password: goodPassword, new_password: 'another good password' }],
      ['POST', '/auth/logout', undefined],
    ] as const) {
      expect([path, (await as(admin, method, path, body)).status]).toEqual([path, 500]);
    }
  } finally {
    await db?.command({ collMod: 'audit_entries', validator: {} });
  }
  expect(await contents(identity.connection)).toBe(before);
});

test('entries go after 400 days', async () => {
  const indexes = await identity.connection.collection('audit_entries').indexes();
  const expiry = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  expect(expiry).toEqual([expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: 400 * 86_400 })]);
});

const newest = async (store: AuditLogStore) =>
  (await store.read.page(admin.companyId, { given: {}, sort: newestFirst }, { limit: 1 })).items;

test('an entry stays as it was written: what comes with its id later changes nothing', async () => {
  const store = createAuditLogStore(identity);
  const [stored] = await newest(store);
  const first = stored && toEntry(stored);
  if (!first) throw new Error('there is no entry');
  const at = new Date(first.at.getTime() + 1_000);
  const forged = { ...first, at, action: 'user.erased', target: null, actor: { ...first.actor, user_id: newId() } };
  await store.add([forged]);
  await store.add([{ ...forged, company_id: newId() }]);
  expect(await newest(store)).toEqual([stored]);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answers = [await as(admin, method, '/audit', {}), await as(admin, method, `/audit/${first.id}`, {})];
    expect([method, ...answers.map(({ status }) => status)]).toEqual([method, 405, 404]);
  }
});

test('every list is read from its index, in order, without sorting', async () => {
  const store = createAuditLogStore(identity);
  const after = { value: identity.clock.now, id: 'f'.repeat(24) };
  const cursor = encodePosition(newestFirst, after);
  for (const filter of [{}, { action: 'user.created' }, { user_id: admin.id }]) {
    for (const more of [
      {},
      { action: ['login.accepted', 'user.created'] },
      { since: new Date(0), until: new Date() },
      { cursor },
    ]) {
      const { cursor: from, ...given } = { cursor: undefined, ...filter, ...more };
      const read = () => store.read.page(admin.companyId, { given, sort: newestFirst }, { limit: 5, cursor: from });
      const [found] = await profiled(identity, read);
      expect(found).toMatchObject({ planSummary: expect.stringContaining('IXSCAN') });
      expect(found?.hasSortStage ?? false).toBe(false);
      expect(found?.docsExamined).toBeLessThanOrEqual(6);
    }
  }
});
