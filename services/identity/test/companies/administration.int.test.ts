import { companyCreated, type Principal, userCreated } from '@app/contracts';
import { aCaller, eventually, recordEvents, testBroker } from '@app/testing';
import { aUser, goodPassword, type Identity, platform, startIdentity } from '../identity.ts';

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

test('a company is created with its SIRET cleaned and its SIREN, and read back', async () => {
  const { call } = identity;
  const body = { name: 'Fontaine SA', kind: 'contractor', siret: ' 732 829 320 00074 ' };
  const answer = await call('POST', '/admin/companies', { as: platform, body });
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
  const { body: list } = await call('GET', '/admin/companies?limit=200', { as: platform });
  expect(list['items']).toContainEqual(answer.body);
});

test('two companies may have one SIRET: it is no key', async () => {
  const body = { name: 'Twin', kind: 'client', siret: '73282932000074' };
  for (const _ of [1, 2])
    expect((await identity.call('POST', '/admin/companies', { as: platform, body })).status).toBe(201);
});

test('a user is created without its password in any answer, and can log in', async () => {
  const { call, company, logIn } = identity;
  const { password, ...user } = {
    ...aUser(await company()),
    phone: '+33 1 02 03 04 05',
    email: 'Ada.MARTIN@Acme.test',
  };
  const answer = await call('POST', '/admin/users', { as: platform, body: { ...user, password } });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    ...user,
    email: 'ada.martin@acme.test',
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    active: true,
    invited: false,
    created_at: expect.stringMatching(/Z$/),
  });
  const { body: list } = await call('GET', '/admin/users?limit=200', { as: platform });
  expect(list['items']).toContainEqual(answer.body);
  await logIn('ADA.martin@acme.test', password);
});

test('an e-mail address is one user’s over the whole platform, in any case, under parallel creates', async () => {
  const { call, company } = identity;
  const companies = [await company(), await company('contractor')];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => {
      const body = { ...aUser(companies[n % 2] ?? ''), email: n % 3 === 0 ? 'SAME@acme.test' : 'same@Acme.test' };
      return call('POST', '/admin/users', { as: platform, body });
    }),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'email_taken' } });
  }
  expect(await identity.connection.collection('users').countDocuments({ email: 'same@acme.test' })).toBe(1);
});

test('a user of a company that does not exist names company_id', async () => {
  const answer = await identity.call('POST', '/admin/users', { as: platform, body: aUser('f'.repeat(24)) });
  expect(answer).toMatchObject({
    status: 422,
    body: { message: 'Validation error', errors: [{ path: 'company_id' }] },
  });
});

test.each(['/admin/companies', '/admin/users'])('%s lists all, ascending, page by page', async (path) => {
  const { call, user } = identity;
  for (let n = 0; n < 3; n += 1) await user();
  const name = path.replace('/admin/', '');
  const expected = (await identity.connection.collection(name).find().toArray()).map(({ _id }) => String(_id)).sort();
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await call('GET', `${path}?limit=2${after}`, { as: platform });
    expect(status).toBe(200);
    const page = body as unknown as { items: { id: string }[]; nextCursor: string | null };
    expect(page.items.length).toBeLessThanOrEqual(2);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(expected);
  const { body } = await call('GET', path, { as: platform });
  expect(body['items']).toHaveLength(Math.min(50, expected.length));
});

const routes = ['GET /admin/companies', 'POST /admin/companies', 'GET /admin/users', 'POST /admin/users'];
const others: [string, Principal | undefined, number][] = [
  ['nobody', undefined, 401],
  ['an administrator of a company', { kind: 'caller', caller: aCaller({ permissions: ['admin'] }) }, 403],
  ['an API token', { kind: 'caller', caller: aCaller({ via: 'token' }) }, 401],
  ['another service', { kind: 'service', service: 'ticket' }, 403],
];

describe.each(routes)('%s', (name) => {
  test.each(others)('is not for %s', async (_, as, status) => {
    const [method = '', path = ''] = name.split(' ');
    const answer = await identity.call(method, path, {
      ...(as ? { as } : {}),
      ...(method === 'POST' ? { body: {} } : {}),
    });
    expect(answer).toMatchObject({ status, body: { code: status === 401 ? 'unauthorized' : 'forbidden' } });
  });
});

test('created companies and users are published once each, without secrets, and leave the outbox', async () => {
  const { call, namespace, connection } = identity;
  const broker = await testBroker(namespace);
  const published = await recordEvents(broker, [companyCreated, userCreated]);

  const headers = { 'x-request-id': 'request-of-the-test' };
  const company = await call('POST', '/admin/companies', {
    as: platform,
    headers,
    body: { name: 'Told', kind: 'client' },
  });
  const body = { ...aUser(String(company.body['id'])), permissions: ['tickets'] };
  const user = await call('POST', '/admin/users', { as: platform, headers, body });
  const refused = await call('POST', '/admin/users', { as: platform, headers, body });
  expect(refused.status).toBe(409);

  const mine = () => published.filter(({ requestid }) => requestid === 'request-of-the-test');
  await eventually(() => expect(mine()).toHaveLength(2));
  const { created_at: _, invited: _invited, ...snapshot } = user.body;
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
