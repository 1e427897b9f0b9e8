import { companyChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { contents, type Identity, type Login, platform, startIdentity } from '../identity.ts';

let identity: Identity;
let companyId: string;
let admin: Login;

beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  companyId = await identity.company();
  admin = await identity.logIn((await identity.user(['admin'], companyId)).email);
});
afterAll(() => identity.stop());

const change = (body: unknown, id = companyId, as = platform) =>
  identity.call('PATCH', `/admin/companies/${id}`, { as, body });
const entries = async () => {
  const { body } = await identity.call('GET', '/audit?action=company.changed', { as: admin.principal });
  return body['items'] as unknown as { actor: object; target: object; details: { changes: object[] } }[];
};
const acme = { name: 'Acme', kind: 'client', siret: null, siren: null, closed_at: null };

test('name and SIRET change, each alone, checked and cleaned as when it was created', async () => {
  const renamed = await change({ name: 'Acme Holding' });
  expect([renamed.status, renamed.body]).toEqual([200, { ...acme, id: companyId, name: 'Acme Holding' }]);
  const numbered = await change({ siret: ' 732 829 320 00074 ' });
  const number = { siret: '73282932000074', siren: '732829320' };
  expect(numbered.body).toEqual({ ...acme, id: companyId, name: 'Acme Holding', ...number });
  expect((await change({ siret: null, name: 'Acme' })).body).toEqual({ ...acme, id: companyId });
  const { body } = await identity.call('GET', '/admin/companies?q=acme&limit=200', { as: platform });
  expect(body['items']).toContainEqual({ ...acme, id: companyId });
  // Who is signed in works for the company as it is called now.
  await change({ name: 'Acme Group' });
  expect((await identity.recognise(admin.token)).body).toMatchObject({
    principal: { caller: { companyName: 'Acme Group' } },
  });
});

test('a change is told in an event under the next version, and in the audit log; the same again changes nothing', async () => {
  const broker = await testBroker(identity.namespace);
  const published = await recordEvents<{ company: { id: string; version: number } }>(broker, [companyChanged]);
  const mine = () => published.map(({ data }) => data.company).filter(({ id }) => id === companyId);
  const body = { name: 'Acme Holding', siret: '73282932000074' };
  const answers = await Promise.all([change(body), change(body), change({ ...body, siret: '732 829 320 00074' })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await change({ name: 'Acme' });
  await eventually(() => expect(mine()).toHaveLength(2));
  const state = { ...acme, ...body, id: companyId, siren: '732829320' };
  expect(mine().sort((one, other) => one.version - other.version)).toEqual([
    { ...state, version: 1 },
    { ...state, name: 'Acme', version: 2 },
  ]);
  await broker.close();
  expect(await entries()).toMatchObject([
    {
      actor: { kind: 'platform', credential: 'platform_token' },
      target: { kind: 'company', id: companyId, name: 'Acme' },
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
  await identity.call('POST', `/admin/companies/${companyId}/close`, { as: platform });
  const closed_at = identity.clock.now.toISOString();
  expect((await change({ name: 'Former' })).body).toEqual({ ...acme, id: companyId, name: 'Former', closed_at });
});

test.each([
  ['name', ''],
  ['name', null],
  ['name', 'x'.repeat(201)],
  ['siret', ''],
  ['siret', '73282932000075'],
  ['siret', 73282932000074],
  ['kind', 'contractor'],
  ['closed_at', null],
])('%s %j is refused, and nothing changes', async (field, value) => {
  const before = await contents(identity.connection);
  const answer = await change({ [field]: value });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: field }] } });
  expect((await change({})).status).toBe(422);
  expect(await contents(identity.connection)).toBe(before);
});

test('is for the platform alone, and 404 for a company that does not exist', async () => {
  const before = await contents(identity.connection);
  expect((await change({ name: 'Mine' }, companyId, admin.principal)).status).toBe(403);
  const unsigned = await identity.call('PATCH', `/admin/companies/${companyId}`, { body: { name: 'Mine' } });
  expect(unsigned.status).toBe(401);
  const { status, body } = await change({ name: 'Nobody' }, newId());
  expect([status, body['code']]).toEqual([404, 'company_not_found']);
  expect(await contents(identity.connection)).toBe(before);
});
