import { companyChanged, snapshotsRequested } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { goodPassword, type Identity, type Login, platform, startIdentity } from '../identity.ts';

let identity: Identity;
let companyId: string;
let email: string;
let admin: Login;

beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  companyId = await identity.company();
  ({ email } = await identity.user(['admin'], companyId));
  admin = await identity.logIn(email);
});
afterAll(() => identity.stop());

type Company = { id: string; closed_at: string | null };
const move = (what: 'close' | 'reopen', id = companyId, headers = {}) =>
  identity.call('POST', `/admin/companies/${id}/${what}`, { as: platform, headers });
const as = (method: string, path: string, body?: unknown) =>
  identity.call(method, path, { as: admin.principal, body, headers: { 'x-session-token': admin.token } });
const logIn = (password = goodPassword) => identity.call('POST', '/auth/login', { body: { email, password } });

test('nothing of a closed company is a credential, and all of it is again once it is open', async () => {
  const token = String((await as('POST', '/api-tokens', { name: 'ERP' })).body['token']);
  const link = (
    await as('POST', '/company/users', {
      email: `${newId()}@acme.test`,
      first_name: 'L',
      last_name: 'M',
      permissions: [],
    })
  ).body['password_link'] as unknown as { token: string };
  const statuses = async () => [
    (await identity.recognise(admin.token)).status,
    (await identity.recognise(admin.token, 'ts', 'cookie')).status,
    (await identity.recognise(token, 'ticket')).status,
    (await logIn()).status,
  ];
  const closed = await move('close');
  expect([closed.status, closed.body]).toEqual([
    200,
    {
      id: companyId,
      name: 'Acme',
      kind: 'client',
      siret: null,
      siren: null,
      closed_at: identity.clock.now.toISOString(),
    },
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
  const events = await recordEvents<{ company: Company & { version: number } }>(broker, [companyChanged]);
  const published = () => events.map(({ data }) => data.company).filter(({ id }) => id === companyId);
  const closings = await Promise.all([move('close'), move('close'), move('close')]);
  expect(closings.map(({ status }) => status)).toEqual([200, 200, 200]);
  const closedAt = identity.clock.now.toISOString();
  identity.clock.now = new Date(identity.clock.now.getTime() + 1_000);
  const key = { 'idempotency-key': newId() };
  const again = await move('close', companyId, key);
  expect(again.body['closed_at']).toBe(closedAt);
  await move('reopen');
  // A repeated request gets the first answer: the company stays open.
  expect((await move('close', companyId, key)).body['closed_at']).toBe(closedAt);
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

test('is for the platform alone, and 404 for a company that does not exist', async () => {
  for (const what of ['close', 'reopen'] as const) {
    expect((await as('POST', `/admin/companies/${companyId}/${what}`)).status).toBe(403);
    const { status, body } = await move(what, newId());
    expect([status, body['code']]).toEqual([404, 'company_not_found']);
  }
  expect((await identity.recognise(admin.token)).status).toBe(200);
});
