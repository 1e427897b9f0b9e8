import { newId } from '@app/kernel';
import { maxUsersOfCompany } from '../../users/user.ts';
import { type Identity, type Login, platform, startIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { browserOf, callback, home, locationOf, sso, steps } from './sso.ts';

let identity: Identity;
let provider: TestProvider;
const { as, aCompany, start, comeBack, signIn } = steps(() => ({ identity, provider }));

beforeAll(async () => {
  provider = await startProvider({ redirectUri: callback });
  identity = await startIdentity({ sso });
});
afterAll(async () => {
  await identity.stop();
  await provider.close();
});

type Entry = { action: string; actor: object; from: object; target: object | null; details: { reason: string | null } };
async function log(admin: Login, action = ''): Promise<Entry[]> {
  const { body } = await as(admin, 'GET', `/audit?limit=200${action && `&action=${action}`}`);
  return body['items'] as unknown as Entry[];
}
const refusals = async (admin: Login) =>
  (await log(admin, 'login.refused'))
    .map(({ details: { reason }, target }) => ({ reason, target }))
    .sort((one, other) => String(one.reason).localeCompare(String(other.reason)));
const move = (companyId: string, what: 'close' | 'reopen') =>
  identity.call('POST', `/admin/companies/${companyId}/${what}`, { as: platform });
async function onItsWay(email: string) {
  await provider.account(email, { email, email_verified: true });
  const started = await start(`email=${email}`);
  return { browser: browserOf(started), back: await provider.visit(locationOf(started)) };
}

test('the log tells of the settings, of a sign-in, and of the user whom the first one makes', async () => {
  const { admin, user: anAdmin, domain, companyId, settings } = await aCompany();
  await signIn(`zoe@${domain}`);
  await as(admin, 'DELETE', '/company/sso');
  const entries = await log(admin);
  expect(entries.map(({ action }) => action)).toEqual([
    ...['single_sign_on.ended', 'login.accepted', 'user.created', 'single_sign_on.set', 'login.accepted'],
    ...['user.created', 'company.created'],
  ]);
  const [ended, accepted, created, set] = entries;
  const byAdmin = { kind: 'user', user_id: anAdmin.id, name: 'Ada Martin', credential: 'session' };
  for (const entry of [set, ended]) {
    expect(entry).toMatchObject({ actor: byAdmin, target: { kind: 'company', id: companyId } });
  }
  const byHerself = { kind: 'user', user_id: expect.any(String), name: 'Zoé Petit', credential: 'single_sign_on' };
  const from = { address: '192.0.2.9', user_agent: 'a browser' };
  expect(accepted).toMatchObject({ actor: byHerself, from, target: { kind: 'session' } });
  expect(created).toMatchObject({ actor: byHerself, from, target: { kind: 'user', name: 'Zoé Petit' } });
  expect(JSON.stringify(entries)).not.toContain(settings.client_secret);
});

test('a sign-in that is refused is told to the company whose provider it was, once for each reason', async () => {
  const { admin, domain } = await aCompany();
  const { admin: other, domain: otherDomain } = await aCompany();
  const stranger = await identity.user(['tickets']);
  const [strangers] = stranger.email.split('@').reverse();
  const { admin: claiming, companyId } = await aCompany({ allowed_domains: [strangers] });
  for (let n = 0; n < 3; n += 1) {
    expect(locationOf(await signIn(`a${n}@${domain}`, { email_verified: false }))).toBe(home('refused'));
    expect(locationOf(await signIn(`b${n}@${domain}`, { email: `b@elsewhere.example` }))).toBe(home('refused'));
  }
  expect(locationOf(await signIn(`c@${domain}`, { email: undefined }))).toBe(home('refused'));
  const known = await signIn(`known@${domain}`);
  expect(locationOf(known)).toBe('/console');
  const { body } = await as(admin, 'GET', '/company/users');
  const { id } = (body['items'] as unknown as { id: string; email: string }[]).find(
    ({ email }) => email === `known@${domain}`,
  ) as { id: string };
  await as(admin, 'PATCH', `/company/users/${id}`, { active: false });
  await signIn(`known@${domain}`);
  const { back, browser } = await onItsWay(`d@${domain}`);
  back.searchParams.set('code', 'made-up');
  expect(locationOf(await comeBack(back, browser))).toBe(home('failed'));
  expect(await refusals(admin)).toEqual([
    { reason: 'domain_not_allowed', target: null },
    { reason: 'email_missing', target: null },
    { reason: 'email_not_verified', target: null },
    { reason: 'failed', target: null },
    { reason: 'user_inactive', target: { kind: 'user', id, name: 'Zoé Petit' } },
  ]);
  const [entry] = await log(admin, 'login.refused');
  const nobody = { kind: 'unknown', user_id: null, name: null, credential: 'single_sign_on', api_token_id: null };
  expect(entry).toMatchObject({ actor: nobody, from: { address: '192.0.2.9', user_agent: 'a browser' } });
  expect(await refusals(other)).toEqual([]);
  await signIn(`a@${otherDomain}`, { email_verified: false });
  expect(await refusals(other)).toEqual([{ reason: 'email_not_verified', target: null }]);

  // The entry does not tell which user of another company it was.
  await provider.account('mallory', { email: stranger.email, email_verified: true });
  const started = await start(`company=${companyId}`);
  const url = new URL(locationOf(started));
  url.searchParams.set('login_hint', 'mallory');
  await comeBack(await provider.visit(url.href), browserOf(started));
  expect(await refusals(claiming)).toEqual([{ reason: 'of_another_company', target: null }]);
  expect(JSON.stringify(await log(claiming))).not.toContain(stranger.id);

  identity.clock.now = new Date(identity.clock.now.getTime() + 16 * 60_000);
  await signIn(`a@${domain}`, { email_verified: false });
  expect((await refusals(admin)).filter(({ reason }) => reason === 'email_not_verified')).toHaveLength(2);
});

test('whoever would be one user too many is refused, which the log tells', async () => {
  const { admin, companyId, domain } = await aCompany();
  const users = Array.from({ length: maxUsersOfCompany - 1 }, (_, n) => ({
    ...{ _id: newId(), company_id: companyId, email: `${n}@full.example`, first_name: 'A', last_name: 'B' },
    ...{ permissions: [], created_at: new Date() },
  }));
  await identity.connection.collection<{ _id: string }>('users').insertMany(users);
  expect(locationOf(await signIn(`new@${domain}`))).toBe(home('refused'));
  expect(await refusals(admin)).toEqual([{ reason: 'user_limit', target: null }]);
});

test('of a closed company nobody signs in, also not who was on the way; once it is open, everybody does', async () => {
  const { admin, companyId, domain } = await aCompany();
  const email = `walker@${domain}`;
  const { back, browser } = await onItsWay(email);
  await move(companyId, 'close');
  for (const query of [`email=${email}`, `company=${companyId}`])
    expect(locationOf(await start(query))).toBe(home('unavailable'));
  const answer = await comeBack(back, browser);
  expect([locationOf(answer), answer.headers.getSetCookie()]).toEqual([home('refused'), []]);
  expect(await identity.connection.collection('users').countDocuments({ email })).toBe(0);
  await move(companyId, 'reopen');
  expect(await refusals(admin)).toEqual([{ reason: 'company_closed', target: null }]);
  expect(locationOf(await signIn(email))).toBe('/console');
});
