import { newId } from '@app/kernel';
import { maxUsersOfCompany } from '../../users/user.ts';
import { code, fieldsAtFault, goodPassword, type Login, useIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { browserOf, callbackOf, home, locationOf, sso, steps, tokenOf, unavailable } from './sso.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider({ redirectUris: callbackOf('') });
});
const identity = useIdentity(() => ({ sso }));
afterAll(() => provider.close());

const { as, aCompany, start, comeBack, signIn, onItsWay, claim } = steps(() => ({ identity, provider }));
const sessions = () => identity.connection.collection('sessions').countDocuments();
const users = () => identity.connection.collection('users').countDocuments();

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
  identity.byPlatform('POST', `/admin/companies/${companyId}/${what}`);

test('whoever signs in for the first time becomes a user, with the permissions of the settings, and comes back', async () => {
  const { domain, companyId, admin } = await aCompany({ default_permissions: ['tickets', 'accounting'] });
  const email = `Zoe@${domain}`;
  const answer = await signIn(email, {}, '&return_to=%2Fconsole%2Ftickets%3Fpage%3D2');
  expect([answer.status, locationOf(answer)]).toEqual([302, '/console/tickets?page=2']);
  expect(answer.headers.getSetCookie().map((one) => one.split('=')[0])).toEqual(['__Host-session']);
  const { principal } = (await identity.recognise(tokenOf(answer))).body as unknown as Login;
  expect(principal).toMatchObject({
    caller: {
      companyId,
      email: email.toLowerCase(),
      firstName: 'Zoé',
      lastName: 'Petit',
      permissions: ['tickets', 'accounting'],
      via: 'session',
    },
  });
  // Sessions of single sign-on are listed and ended like others.
  const listed = await as({ token: tokenOf(answer), principal, cookie: '' }, 'GET', '/auth/sessions');
  expect(listed.body['items']).toMatchObject([{ address: '192.0.2.9', user_agent: 'a browser', current: true }]);
  const again = await signIn(email);
  expect(locationOf(again)).toBe('/console');
  const { items } = (await as(admin, 'GET', '/company/users')).body as unknown as {
    items: { id: string; email: string }[];
  };
  const made = items.filter((one) => one.email === email.toLowerCase());
  expect(made).toHaveLength(1);
  await as(admin, 'PATCH', `/company/users/${made[0]?.id}`, { active: false });
  for (const one of [answer, again]) expect((await identity.recognise(tokenOf(one))).status).toBe(401);
  expect(locationOf(await signIn(email))).toBe(home('refused'));
});

test('what waits for a user to come back has neither the secret nor other settings', async () => {
  const { domain } = await aCompany();
  await start(`email=a@${domain}`);
  const waiting = await identity.connection.collection('sso_flows').find().toArray();
  const names = ['_id', 'browser', 'company_id', 'expires_at', 'return_to', 'version'];
  expect(waiting.map((one) => Object.keys(one).sort())).toEqual(waiting.map(() => names));
  expect(waiting).not.toEqual([]);
});

test('a user of the company signs in as themselves; two first sign-ins at once are one user', async () => {
  const { domain, companyId, admin } = await aCompany();
  const known = { email: `known@${domain}`, first_name: 'A', last_name: 'B', permissions: ['accounting'] };
  await as(admin, 'POST', '/company/users', known);
  const token = tokenOf(await signIn(known.email));
  expect((await identity.recognise(token)).body).toMatchObject({
    principal: { caller: { companyId, firstName: 'A', permissions: ['accounting'] } },
  });
  const both = await Promise.all([signIn(`new@${domain}`), signIn(`new@${domain}`)]);
  expect(both.map(locationOf)).toEqual(['/console', '/console']);
  expect(await identity.connection.collection('users').countDocuments({ email: `new@${domain}` })).toBe(1);
});

test('a provider speaks for its own company alone, whatever it claims, and is told no more than that', async () => {
  const victim = await identity.user(['admin']);
  const domain = victim.email.split('@')[1] as string;
  const { companyId, admin } = await aCompany({ allowed_domains: [domain] });
  const before = await sessions();
  expect(locationOf(await claim(companyId, victim.email))).toBe(home('refused'));
  expect(await sessions()).toBe(before);
  expect(await refusals(admin)).toEqual([{ reason: 'of_another_company', target: null }]);
  expect(JSON.stringify(await log(admin))).not.toContain(victim.id);
});

describe('a sign-in', () => {
  test('counts once, in the browser that began it', async () => {
    const { back, browser } = await onItsWay();
    const other = browserOf(await start(`email=${(await onItsWay()).email}`));
    for (const wrong of [other, '', 'x'.repeat(43)])
      expect(locationOf(await comeBack(back, wrong))).toBe(home('expired'));
    const answers = await Promise.all([comeBack(back, browser), comeBack(back, browser)]);
    expect(answers.map(locationOf).sort()).toEqual(['/console', home('expired')]);
  });

  test('ends after ten minutes, and with a change of the settings', async () => {
    const [late, changed] = [await onItsWay(), await onItsWay()];
    await changed.put();
    expect(locationOf(await comeBack(changed.back, changed.browser))).toBe(home('expired'));
    const before = identity.clock.now;
    identity.clock.now = new Date(before.getTime() + 10 * 60_000);
    expect(locationOf(await comeBack(late.back, late.browser))).toBe(home('expired'));
    identity.clock.now = before;
  });

  test('fails with a code of another one, with one that was made up, and if the user declines', async () => {
    const [one, other] = [await onItsWay(), await onItsWay()];
    const stolen = new URL(one.back);
    stolen.searchParams.set('code', other.back.searchParams.get('code') as string);
    expect(locationOf(await comeBack(stolen, one.browser))).toBe(home('failed'));
    const madeUp = new URL(other.back);
    madeUp.searchParams.set('code', 'made-up');
    expect(locationOf(await comeBack(madeUp, other.browser))).toBe(home('failed'));
    const third = await onItsWay();
    const declined = new URL(third.back);
    declined.search = `error=access_denied&state=${third.back.searchParams.get('state')}&iss=${provider.issuer}`;
    expect(locationOf(await comeBack(declined, third.browser))).toBe(home('failed'));
  });

  test('that comes from another issuer is refused, before its code is sent anywhere', async () => {
    const { back, browser } = await onItsWay();
    back.searchParams.set('iss', 'https://evil.example');
    expect(locationOf(await comeBack(back, browser))).toBe(home('failed'));
  });
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', 'console', ''])(
  'return_to=%j leads nowhere else',
  async (path) => {
    const { domain } = await aCompany();
    const answer = await start(`email=a@${domain}&return_to=${encodeURIComponent(path)}`);
    expect([answer.status, fieldsAtFault(answer)]).toEqual([422, ['return_to']]);
  },
);

test('an address is led to the company of its domain, known or not; without single sign-on it comes home', async () => {
  const { domain, companyId, admin } = await aCompany();
  await as(admin, 'POST', '/company/users', {
    email: `known@${domain}`,
    first_name: 'A',
    last_name: 'B',
    permissions: [],
  });
  const leads = async (query: string) => locationOf(await start(query)).split('?')[0];
  for (const query of [`email=known@${domain}`, `email=unknown@${domain}`, `company=${companyId}`])
    expect(await leads(query)).toBe(`${provider.issuer}/auth`);
  for (const query of ['email=a@nowhere.example', `company=${'a'.repeat(24)}`, 'email=nonsense'])
    expect(code(await start(query))).toEqual(unavailable);
  // Two companies have the domain: an address does not tell which of them knows it.
  await aCompany({ allowed_domains: [domain] });
  for (const name of ['known', 'unknown']) expect(code(await start(`email=${name}@${domain}`))).toEqual(unavailable);
  expect(await leads(`company=${companyId}`)).toBe(`${provider.issuer}/auth`);
  expect((await start('')).status).toBe(422);
});

describe('passwords', () => {
  test('count no more for users of a company that wants it so, and for admins they do', async () => {
    const { companyId, put, admin, domain } = await aCompany();
    const member = await identity.user(['tickets'], companyId);
    await identity.logIn(member.email);
    expect((await put({ password_login: false })).status).toBe(200);
    const login = (email: string, password = goodPassword) =>
      identity.call('POST', '/auth/login', { body: { email, password } });
    const [refused, wrong] = [await login(member.email), await login(member.email, 'a wrong password')];
    expect(code(refused)).toEqual([401, 'invalid_credentials']);
    expect(refused.text).toBe(wrong.text);
    expect((await login(admin.email)).status).toBe(200);
    expect(locationOf(await signIn(`member@${domain}`))).toBe('/console');
    await put({ password_login: true });
    expect((await login(member.email)).status).toBe(200);
  });

  test('cannot be switched off by an admin who has none: that would lock out whom the provider fails', async () => {
    const { admin, put, domain, settings } = await aCompany();
    const email = `second@${domain}`;
    const token = tokenOf(await signIn(email));
    const { principal } = (await identity.recognise(token)).body as unknown as Login;
    const id = principal.kind === 'caller' ? principal.caller.userId : '';
    await as(admin, 'PATCH', `/company/users/${id}`, { permissions: ['admin'] });
    const now = (await identity.recognise(token)).body as unknown as Login;
    const answer = await as({ ...now, token }, 'PUT', '/company/sso', { ...settings, password_login: false });
    expect(code(answer)).toEqual([409, 'password_missing']);
    expect((await put({ password_login: false })).status).toBe(200);
  });
});

test('the log tells of the settings, of a sign-in, and of the user whom the first one makes', async () => {
  const { admin, domain, companyId, settings } = await aCompany();
  await signIn(`zoe@${domain}`);
  await as(admin, 'DELETE', '/company/sso');
  const entries = await log(admin);
  expect(entries.map(({ action }) => action)).toEqual([
    'single_sign_on.ended',
    'login.accepted',
    'user.created',
    'single_sign_on.set',
    'company.changed',
    'login.accepted',
    'user.created',
    'company.created',
  ]);
  const [ended, accepted, created, set] = entries;
  const byAdmin = { kind: 'user', user_id: admin.id, name: 'Ada Martin', credential: 'session' };
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
  const before = [await sessions(), await users()];
  for (let n = 0; n < 3; n += 1) {
    expect(locationOf(await signIn(`a${n}@${domain}`, { email_verified: false }))).toBe(home('refused'));
    expect(locationOf(await signIn(`b${n}@${domain}`, { email: `b@elsewhere.example` }))).toBe(home('refused'));
  }
  const answer = await signIn(`c@${domain}`, { email: undefined });
  expect([locationOf(answer), answer.headers.getSetCookie()]).toEqual([home('refused'), []]);
  expect([await sessions(), await users()]).toEqual(before);
  const known = await signIn(`known@${domain}`);
  expect(locationOf(known)).toBe('/console');
  const { body } = await as(admin, 'GET', '/company/users');
  const { id } = (body['items'] as unknown as { id: string; email: string }[]).find(
    ({ email }) => email === `known@${domain}`,
  ) as { id: string };
  await as(admin, 'PATCH', `/company/users/${id}`, { active: false });
  await signIn(`known@${domain}`);
  await provider.account(`d@${domain}`, { email: `d@${domain}`, email_verified: true });
  const started = await start(`email=d@${domain}`);
  const back = await provider.visit(locationOf(started));
  back.searchParams.set('code', 'made-up');
  expect(locationOf(await comeBack(back, browserOf(started)))).toBe(home('failed'));
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

  identity.clock.now = new Date(identity.clock.now.getTime() + 16 * 60_000);
  await signIn(`a@${domain}`, { email_verified: false });
  expect((await refusals(admin)).filter(({ reason }) => reason === 'email_not_verified')).toHaveLength(2);
});

test('whoever would be one user too many is refused, which the log tells', async () => {
  const { admin, companyId, domain } = await aCompany();
  const users = Array.from({ length: maxUsersOfCompany - 1 }, (_, n) => ({
    _id: newId(),
    company_id: companyId,
    email: `${n}@full.example`,
    first_name: 'A',
    last_name: 'B',
    permissions: [],
    created_at: new Date(),
  }));
  await identity.connection.collection<{ _id: string }>('users').insertMany(users);
  expect(locationOf(await signIn(`new@${domain}`))).toBe(home('refused'));
  expect(await refusals(admin)).toEqual([{ reason: 'user_limit', target: null }]);
});

test('of a closed company nobody signs in, also not who was on the way; once it is open, everybody does', async () => {
  const { admin, companyId, email, back, browser } = await onItsWay();
  await move(companyId, 'close');
  for (const query of [`email=${email}`, `company=${companyId}`]) expect(code(await start(query))).toEqual(unavailable);
  const answer = await comeBack(back, browser);
  expect([locationOf(answer), answer.headers.getSetCookie()]).toEqual([home('refused'), []]);
  expect(await identity.connection.collection('users').countDocuments({ email })).toBe(0);
  await move(companyId, 'reopen');
  expect(await refusals(admin)).toEqual([{ reason: 'company_closed', target: null }]);
  expect(locationOf(await signIn(email))).toBe('/console');
});
