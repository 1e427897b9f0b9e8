import { companyChanged, companyCreated, snapshotsRequested, userCreated } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { aUser, code, contents, goodPassword, pagesOf, platform, useAdmin, useIdentity } from '../identity.ts';

const identity = useIdentity();
const admin = useAdmin(identity);

type Company = { id: string; closed_at: string | null };
const as = (method: string, path: string, body?: unknown) => identity.as(admin, method, path, body);
const logIn = (password = goodPassword) =>
  identity.call('POST', '/auth/login', { body: { email: admin.email, password } });
const change = (body: unknown, id = admin.companyId) => identity.byPlatform('PATCH', `/admin/companies/${id}`, body);
const move = (what: 'close' | 'reopen', headers = {}) =>
  identity.call('POST', `/admin/companies/${admin.companyId}/${what}`, { as: platform, headers });
const acme = { name: 'Acme', kind: 'client', siret: null, siren: null, closed_at: null };

test('a company is created with its SIRET cleaned and its SIREN, and read back; another one may have the same', async () => {
  const body = { name: 'Fontaine SA', kind: 'contractor', siret: ' 732 829 320 00074 ' };
  expect((await identity.byPlatform('POST', '/admin/companies', { ...body, name: 'Its twin' })).status).toBe(201);
  const answer = await identity.byPlatform('POST', '/admin/companies', body);
  expect(answer.status).toBe(201);
  const company = {
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Fontaine SA',
    kind: 'contractor',
    siret: '73282932000074',
    siren: '732829320',
    closed_at: null,
  };
  expect(answer.body).toEqual(company);
  const { body: list } = await identity.byPlatform('GET', '/admin/companies?limit=200');
  expect(list['items']).toContainEqual(answer.body);
});

test('a user is created without its password in any answer, and can log in', async () => {
  const { company, logIn } = identity;
  const { password, ...user } = {
    ...aUser(await company()),
    phone: '+33 1 02 03 04 05',
    email: 'Ada.MARTIN@Acme.test',
  };
  const answer = await identity.byPlatform('POST', '/admin/users', { ...user, password });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    ...user,
    mail_bounced_at: null,
    place_ids: [],
    email: 'ada.martin@acme.test',
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    active: true,
    invited: false,
    created_at: expect.stringMatching(/Z$/),
  });
  const { body: list } = await identity.byPlatform('GET', '/admin/users?limit=200');
  expect(list['items']).toContainEqual(answer.body);
  await logIn('ADA.martin@acme.test', password);
});

test('an e-mail address is one user’s over the whole platform, in any case, under parallel creates', async () => {
  const { company } = identity;
  const companies = [await company(), await company('contractor')];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => {
      const body = { ...aUser(companies[n % 2] ?? ''), email: n % 3 === 0 ? 'SAME@acme.test' : 'same@Acme.test' };
      return identity.byPlatform('POST', '/admin/users', body);
    }),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'email_taken' } });
  }
  expect(await identity.connection.collection('users').countDocuments({ email: 'same@acme.test' })).toBe(1);
});

test.each(['/admin/companies', '/admin/users'])('%s lists all, ascending, page by page', async (path) => {
  for (let n = 0; n < 3; n += 1) await identity.user();
  const name = path.replace('/admin/', '');
  const expected = (await identity.connection.collection(name).find().toArray()).map(({ _id }) => String(_id)).sort();
  const pages = await pagesOf<Company>((cursor) => identity.byPlatform('GET', `${path}?limit=2${cursor}`));
  expect(pages.every(({ length }) => length <= 2)).toBe(true);
  expect(pages.flat().map(({ id }) => id)).toEqual(expected);
  const { body } = await identity.byPlatform('GET', path);
  expect(body['items']).toHaveLength(Math.min(50, expected.length));
});

test('created companies and users are published once each, without secrets, and leave the outbox', async () => {
  const { namespace, connection } = identity;
  const broker = await testBroker(namespace);
  const published = await recordEvents(broker, [companyCreated, userCreated], 'creations');

  const headers = { 'x-request-id': 'request-of-the-test' };
  const company = await identity.call('POST', '/admin/companies', {
    as: platform,
    headers,
    body: { name: 'Told', kind: 'client' },
  });
  const body = { ...aUser(String(company.body['id'])), permissions: ['tickets'] };
  const user = await identity.call('POST', '/admin/users', { as: platform, headers, body });
  const refused = await identity.call('POST', '/admin/users', { as: platform, headers, body });
  expect(refused.status).toBe(409);

  const mine = () => published.filter(({ requestid }) => requestid === 'request-of-the-test');
  await eventually(() => expect(mine()).toHaveLength(2));
  const { created_at: _, invited: _invited, place_ids: _every, mail_bounced_at: _never, ...snapshot } = user.body;
  const { closed_at: _open, ...created } = company.body;
  expect(mine()).toMatchObject([
    {
      type: 'company.created.v1',
      source: '/services/identity',
      subject: company.body['id'],
      data: { company: created },
    },
    { type: 'user.created.v1', source: '/services/identity', subject: user.body['id'], data: { user: snapshot } },
  ]);
  expect(JSON.stringify(published)).not.toMatch(new RegExp(`password|scrypt|${goodPassword}`));
  for (const name of ['companies', 'users']) {
    await eventually(async () =>
      expect(await connection.collection(name).countDocuments({ 'outbox.0': { $exists: true } })).toBe(0),
    );
  }
  expect(mine()).toHaveLength(2);
  await broker.close();
});

test('name and SIRET change, each alone, checked and cleaned as when it was created', async () => {
  const renamed = await change({ name: 'Acme Holding' });
  expect([renamed.status, renamed.body]).toEqual([200, { ...acme, id: admin.companyId, name: 'Acme Holding' }]);
  const numbered = await change({ siret: ' 732 829 320 00074 ' });
  const number = { siret: '73282932000074', siren: '732829320' };
  expect(numbered.body).toEqual({ ...acme, id: admin.companyId, name: 'Acme Holding', ...number });
  expect((await change({ siret: null, name: 'Acme' })).body).toEqual({ ...acme, id: admin.companyId });
  const { body } = await identity.byPlatform('GET', '/admin/companies?q=acme&limit=200');
  expect(body['items']).toContainEqual({ ...acme, id: admin.companyId });
  // Who is signed in works for the company as it is called now.
  await change({ name: 'Acme Group' });
  expect((await identity.recognise(admin.token)).body).toMatchObject({
    principal: { caller: { companyName: 'Acme Group' } },
  });
});

test('a change is told in an event under the next version, and in the audit log; the same again changes nothing', async () => {
  const broker = await testBroker(identity.namespace);
  const published = await recordEvents<{ company: { id: string; version: number } }>(
    broker,
    [companyChanged],
    'changes',
  );
  const mine = () => published.map(({ data }) => data.company).filter(({ id }) => id === admin.companyId);
  const body = { name: 'Acme Holding', siret: '73282932000074' };
  const answers = await Promise.all([change(body), change(body), change({ ...body, siret: '732 829 320 00074' })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await change({ name: 'Acme' });
  await eventually(() => expect(mine()).toHaveLength(2));
  const state = { ...acme, ...body, id: admin.companyId, siren: '732829320' };
  expect(mine().sort((one, other) => one.version - other.version)).toEqual([
    { ...state, version: 1 },
    { ...state, name: 'Acme', version: 2 },
  ]);
  await broker.close();
  expect((await as('GET', '/audit?action=company.changed')).body['items']).toMatchObject([
    {
      actor: { kind: 'platform', credential: 'platform_token' },
      target: { kind: 'company', id: admin.companyId, name: 'Acme' },
      details: { changes: [{ field: 'name', before: 'Acme Holding', after: 'Acme' }] },
    },
    {
      details: {
        changes: [
          { field: 'name', before: 'Acme', after: 'Acme Holding' },
          { field: 'siret', before: null, after: '73282932000074' },
        ],
      },
    },
  ]);
});

test('a closed company changes and stays closed', async () => {
  await identity.byPlatform('POST', `/admin/companies/${admin.companyId}/close`);
  const closed_at = identity.clock.now.toISOString();
  expect((await change({ name: 'Former' })).body).toEqual({ ...acme, id: admin.companyId, name: 'Former', closed_at });
});

test.each([
  ['name', null],
  ['siret', '73282932000075'],
  ['kind', 'contractor'],
  ['closed_at', null],
])('%s %j is refused, and nothing changes', async (field, value) => {
  const before = await contents(identity.connection);
  const answer = await change({ [field]: value });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: field }] } });
  expect((await change({})).status).toBe(422);
  expect(await contents(identity.connection)).toBe(before);
});

test('nothing of a closed company is a credential, and all of it is again once it is open', async () => {
  const token = String((await as('POST', '/api-tokens', { name: 'ERP' })).body['token']);
  const somebody = { email: `${newId()}@acme.test`, first_name: 'L', last_name: 'M', permissions: [] };
  const { body: invited } = await as('POST', '/company/users', somebody);
  const link = invited['password_link'] as unknown as { token: string };
  const statuses = async () => [
    (await identity.recognise(admin.token)).status,
    (await identity.recognise(admin.token, 'ts', 'cookie')).status,
    (await identity.recognise(token, 'ticket')).status,
    (await logIn()).status,
  ];
  const closed = await move('close');
  expect([closed.status, closed.body]).toEqual([
    200,
    { ...acme, id: admin.companyId, closed_at: identity.clock.now.toISOString() },
  ]);
  expect(await statuses()).toEqual([401, 401, 401, 401]);
  const [right, wrong] = [await logIn(), await logIn('wrong password')];
  expect(right.body).toEqual(wrong.body);
  const set = await identity.call('POST', '/auth/password-link', {
    body: { token: link.token, password: goodPassword },
  });
  expect(set.status).toBe(404);

  const reopened = (await move('reopen')).body as unknown as Company;
  expect(reopened.closed_at).toBeNull();
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  const { body } = await as('GET', '/audit');
  const published = body['items'] as unknown as { action: string; actor: object; details: { reason: string } }[];
  expect(published.slice(1, 5).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['company.reopened', 'company.closed']),
  );
  expect(published.find(({ action }) => action === 'company.closed')?.actor).toMatchObject({ kind: 'platform' });
  expect(published.filter(({ action }) => action === 'login.refused').map(({ details }) => details.reason)).toContain(
    'company_closed',
  );
});

test('closing twice, at once or by a repeated request, is one closing; events tell each change once, by its version', async () => {
  const broker = await testBroker(identity.namespace);
  const events = await recordEvents<{ company: Company & { version: number } }>(broker, [companyChanged], 'closings');
  const published = () => events.map(({ data }) => data.company).filter(({ id }) => id === admin.companyId);
  const closings = await Promise.all([move('close'), move('close'), move('close')]);
  expect(closings.map(({ status }) => status)).toEqual([200, 200, 200]);
  const closedAt = identity.clock.now.toISOString();
  identity.clock.now = new Date(identity.clock.now.getTime() + 1_000);
  const key = { 'idempotency-key': newId() };
  const again = await move('close', key);
  expect(again.body['closed_at']).toBe(closedAt);
  await move('reopen');
  // A repeated request gets the first answer: the company stays open.
  expect((await move('close', key)).body['closed_at']).toBe(closedAt);
  expect((await move('reopen')).body['closed_at']).toBeNull();
  await eventually(() => expect(published()).toHaveLength(2));
  expect(published().map((company) => [company.version, company.closed_at])).toEqual([
    [1, closedAt],
    [2, null],
  ]);

  events.length = 0;
  const request = snapshotsRequested({ request_id: newId(), kind: 'companies', after: null }, new Date());
  await broker.publish(toCloudEvents('test', [request]));
  await eventually(() => expect(published().map(({ version }) => version)).toEqual([2]));
  await broker.close();
});

test('what the platform does is not for admins or services, and a company that does not exist is 404', async () => {
  const before = await contents(identity.connection);
  for (const line of ['GET /admin/companies', 'GET /admin/users', 'POST /admin/companies', 'POST /admin/users']) {
    const [method = '', path = ''] = line.split(' ');
    for (const as of [admin.principal, { kind: 'service', service: 'ticket' } as const]) {
      const { status } = await identity.call(method, path, { as, ...(method === 'POST' ? { body: {} } : {}) });
      expect([line, as.kind, status]).toEqual([line, as.kind, 403]);
    }
  }
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'Mine' }],
    ['POST', '/close', undefined],
    ['POST', '/reopen', undefined],
  ] as const) {
    expect((await as(method, `/admin/companies/${admin.companyId}${path}`, body)).status).toBe(403);
    const nobody = await identity.byPlatform(method, `/admin/companies/${newId()}${path}`, body);
    expect(code(nobody)).toEqual([404, 'company_not_found']);
  }
  expect(await contents(identity.connection)).toBe(before);
});
