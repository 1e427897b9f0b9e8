import { randomBytes } from 'node:crypto';
import type { Permission } from '@app/contracts';
import { behaviours, type Receiver, startReceiver } from '@app/testing';
import { type Answer, aKey, goodPassword, type Identity, type Login, startIdentity } from './identity.ts';
import { startProvider, type TestProvider } from './provider.ts';

let identity: Identity;
let provider: TestProvider;
let receiver: Receiver;
const keys = [{ id: 'first', secret: randomBytes(32) }];
const callback = 'https://ts.example/auth/sso/callback';
const sso = { keys, allowNetworks: ['127.0.0.0/8'] };

beforeAll(async () => {
  provider = await startProvider({ redirectUri: callback });
  receiver = await startReceiver();
  identity = await startIdentity({ sso });
});
afterAll(async () => {
  await identity.stop();
  await receiver.close();
  await provider.close();
});

const as = (login: Login, method: string, path: string, body?: unknown) =>
  identity.call(method, path, { as: login.principal, body, headers: { 'x-session-token': login.token } });
const code = ({ status, body }: Answer) => [status, body['code']];
const locationOf = ({ headers }: Answer) => headers.get('location') ?? '';
const fieldsAtFault = ({ body }: Answer) =>
  (body['errors'] as unknown as { path: string }[] | undefined)?.map(({ path }) => path);
let count = 0;
const aDomain = () => `company-${count++}.example`;

/** A company with an admin, who has set the single sign-on of a domain. */
async function aCompany(given: object = {}) {
  const [domain, companyId] = [aDomain(), await identity.company()];
  const user = await identity.user(['admin'], companyId);
  const admin = await identity.logIn(user.email);
  const settings = {
    ...{ issuer: provider.issuer, ...provider.client, allowed_domains: [domain] },
    ...{ default_permissions: ['tickets'], password_login: true, ...given },
  };
  const put = (more: object = {}) => as(admin, 'PUT', '/company/sso', { ...settings, ...more });
  const answer = await put();
  if (answer.status !== 200) throw new Error(answer.text);
  return { domain, companyId, admin, user, settings, put, answer };
}

const start = (query: string, headers = {}) => identity.call('GET', `/auth/sso/start?${query}`, { headers });
const browserOf = ({ headers }: Answer) => /^__Host-sso=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
const comeBack = (url: URL, browser: string) =>
  identity.call('GET', `/auth/sso/callback${url.search}`, {
    headers: { 'x-sso-browser': browser, 'x-forwarded-for': '192.0.2.9', 'user-agent': 'a browser' },
  });

/** All the way, as a browser. */
async function signIn(email: string, claims: object = {}, query = ''): Promise<Answer> {
  await provider.account(email.toLowerCase(), {
    email,
    email_verified: true,
    given_name: 'Zoé',
    family_name: 'Petit',
    ...claims,
  });
  const started = await start(`email=${encodeURIComponent(email)}${query}`);
  if (!locationOf(started).startsWith(provider.issuer)) return started;
  return comeBack(await provider.visit(locationOf(started)), browserOf(started));
}
const tokenOf = (answer: Answer) => /^session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
const home = (error: string) => `/console?sso_error=${error}`;
const sessions = () => identity.connection.collection('sessions').countDocuments();

test('whoever signs in for the first time becomes a user, with the permissions of the settings, and comes back', async () => {
  const { domain, companyId, admin } = await aCompany({ default_permissions: ['tickets', 'accounting'] });
  const email = `Zoe@${domain}`;
  const answer = await signIn(email, {}, '&return_to=%2Fconsole%2Ftickets%3Fpage%3D2');
  expect([answer.status, locationOf(answer)]).toEqual([302, '/console/tickets?page=2']);
  expect(answer.headers.getSetCookie().map((one) => one.split('=')[0])).toEqual(['session', '__Host-session']);
  const { principal } = (await identity.recognise(tokenOf(answer))).body as unknown as Login;
  expect(principal).toMatchObject({
    caller: {
      ...{ companyId, email: email.toLowerCase(), firstName: 'Zoé', lastName: 'Petit' },
      ...{ permissions: ['tickets', 'accounting'], via: 'session' },
    },
  });
  // Listed and ended as others.
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

test.each([
  ['an address that is not verified', { email_verified: false }],
  ['an address of which it is not said', { email_verified: undefined }],
  ['a text in place of true', { email_verified: 'true' }],
  ['an address of another domain', { email: 'somebody@elsewhere.example' }],
  ['a domain that only ends alike', { email: (domain: string) => `a@x${domain}` }],
  ['two addresses', { email: (domain: string) => `a@evil.example, b@${domain}` }],
  ['no address', { email: undefined }],
])(
  'a provider that gives %s is not believed',
  async (_, { email, ...claims }: { email?: unknown; email_verified?: unknown }) => {
    const { domain } = await aCompany();
    const before = [await sessions(), await identity.connection.collection('users').countDocuments()];
    const given =
      typeof email === 'function'
        ? { email: email(domain) }
        : email === undefined && !('email_verified' in claims)
          ? { email }
          : email === undefined
            ? {}
            : { email };
    const answer = await signIn(`claimed@${domain}`, { ...claims, ...given });
    expect([answer.status, locationOf(answer), answer.headers.getSetCookie()]).toEqual([302, home('refused'), []]);
    expect([await sessions(), await identity.connection.collection('users').countDocuments()]).toEqual(before);
  },
);

test('a provider speaks for its own company alone, whatever it claims', async () => {
  const victim = await identity.user(['admin']);
  const domain = victim.email.split('@')[1] as string;
  const { companyId } = await aCompany({ allowed_domains: [domain] });
  const before = await sessions();
  await provider.account('mallory', { email: victim.email, email_verified: true });
  const started = await start(`company=${companyId}`);
  const url = new URL(locationOf(started));
  url.searchParams.set('login_hint', 'mallory');
  const answer = await comeBack(await provider.visit(url.href), browserOf(started));
  expect(locationOf(answer)).toBe(home('refused'));
  expect(await sessions()).toBe(before);
  // Nor are the victim's sign-ins led there.
  expect(locationOf(await start(`email=${victim.email}`))).toBe(home('unavailable'));
});

describe('a sign-in', () => {
  async function onItsWay() {
    const { domain, ...company } = await aCompany();
    const email = `walker@${domain}`;
    await provider.account(email, { email, email_verified: true });
    const started = await start(`email=${email}`);
    return { ...company, email, browser: browserOf(started), back: await provider.visit(locationOf(started)) };
  }
  const expired = { status: 302 };

  test('counts once, in the browser that began it', async () => {
    const { back, browser } = await onItsWay();
    const other = browserOf(await start(`email=${(await onItsWay()).email}`));
    for (const wrong of [other, '', 'x'.repeat(43)])
      expect(locationOf(await comeBack(back, wrong))).toBe(home('expired'));
    const answers = await Promise.all([comeBack(back, browser), comeBack(back, browser)]);
    expect(answers.map(locationOf).sort()).toEqual(['/console', home('expired')]);
    expect(answers).toMatchObject([expired, expired]);
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
    const declined = new URL(callback);
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
    expect(await locationOf(await start(query))).toBe(home('unavailable'));
  // Two claim it: nobody but their own users is led there.
  await aCompany({ allowed_domains: [domain] });
  expect(await leads(`email=known@${domain}`)).toBe(`${provider.issuer}/auth`);
  expect(locationOf(await start(`email=unknown@${domain}`))).toBe(home('unavailable'));
  expect((await start('')).status).toBe(422);
});

describe('passwords', () => {
  test('count no more for users of a company that wants it so, and for admins they do', async () => {
    const { companyId, put, user, domain } = await aCompany();
    const member = await identity.user(['tickets'], companyId);
    await identity.logIn(member.email);
    expect((await put({ password_login: false })).status).toBe(200);
    const login = (email: string, password = goodPassword) =>
      identity.call('POST', '/auth/login', { body: { email, password } });
    const [refused, wrong] = [await login(member.email), await login(member.email, 'a wrong password')];
    expect(code(refused)).toEqual([401, 'invalid_credentials']);
    expect(refused.text).toBe(wrong.text);
    expect((await login(user.email)).status).toBe(200);
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

describe('the settings', () => {
  test('show everything but the secret, which is stored encrypted, for the company alone', async () => {
    const { answer, admin, companyId, settings } = await aCompany();
    const { client_secret: secret, ...shown } = settings;
    const view = { ...shown, has_client_secret: true, callback_url: callback, updated_at: expect.any(String) };
    expect(answer.body).toEqual(view);
    expect((await as(admin, 'GET', '/company/sso')).body).toEqual(view);
    const stored = await identity.connection
      .collection<{ _id: string; sealed_secret: string }>('sso_settings')
      .findOne({ _id: companyId });
    expect(stored?.sealed_secret).toMatch(/^first:/);
    const everywhere = JSON.stringify([
      stored,
      identity.logger.lines,
      identity.answers.map(({ answer: { text } }) => text),
    ]);
    expect(everywhere).not.toContain(secret);
    const other = await identity.logIn((await identity.user(['admin'])).email);
    expect(code(await as(other, 'GET', '/company/sso'))).toEqual([404, 'sso_not_set']);
    expect(code(await as(other, 'DELETE', '/company/sso'))).toEqual([404, 'sso_not_set']);
    expect((await as(admin, 'DELETE', '/company/sso')).status).toBe(204);
    expect(code(await as(admin, 'GET', '/company/sso'))).toEqual([404, 'sso_not_set']);
  });

  test('keep the secret for the same issuer and client alone', async () => {
    const { put, domain } = await aCompany();
    expect((await put({ client_secret: undefined, default_permissions: [] })).status).toBe(200);
    expect(locationOf(await signIn(`still@${domain}`))).toBe('/console');
    const stolen = await put({ client_secret: undefined, client_id: 'another' });
    expect([stolen.status, fieldsAtFault(stolen)]).toEqual([422, ['client_secret']]);
    expect(locationOf(await signIn(`still@${domain}`))).toBe('/console');
  });

  test('a key that sealed a secret may go once it was used under the next one', async () => {
    const { companyId, domain } = await aCompany();
    const second = aKey('second');
    const { call } = await identity.replica({ sso: { ...sso, keys: [second, ...keys] } });
    expect(locationOf(await call('GET', `/auth/sso/start?email=a@${domain}`))).toContain(provider.issuer);
    const stored = await identity.connection
      .collection<{ _id: string; sealed_secret: string }>('sso_settings')
      .findOne({ _id: companyId });
    expect(stored?.sealed_secret).toMatch(/^second:/);
    const { call: without } = await identity.replica({ sso: { ...sso, keys: [second] } });
    expect(locationOf(await without('GET', `/auth/sso/start?email=a@${domain}`))).toContain(provider.issuer);
    expect(locationOf(await start(`email=a@${domain}`))).toBe(home('unavailable'));
  });

  test.each([
    [{ issuer: 'http://login.example.com' }, ['issuer']],
    [{ issuer: 'https://login.example.com/?a=1' }, ['issuer']],
    [{ issuer: 'https://169.254.169.254' }, ['issuer']],
    [{ issuer: 'https://localhost:9000' }, ['issuer']],
    [{ issuer: 'https://10.0.0.1' }, ['issuer']],
    [{ issuer: 'https://user:word@example.com' }, ['issuer']],
    [{ allowed_domains: [] }, ['allowed_domains']],
    [{ allowed_domains: ['@acme.example', 'acme.example'] }, ['allowed_domains.0']],
    [{ default_permissions: ['admin'] }, ['default_permissions.0']],
    [{ password_login: undefined, more: 1 }, ['more', 'password_login']],
  ])('%j is refused', async (given, fields) => {
    const { put } = await aCompany();
    const answer = await put(given);
    expect([answer.status, fieldsAtFault(answer)?.sort()]).toEqual([422, fields]);
  });

  test.each(['tickets', 'accounting', 'api_webhooks'] as Permission[])('are not for the permission %s', async (one) => {
    const login = await identity.logIn((await identity.user([one])).email);
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await as(login, method, '/company/sso')).status).toBe(403);
  });

  test('without a key on the platform there is none', async () => {
    const { admin, settings, domain } = await aCompany();
    const { call } = await identity.replica({ sso: { ...sso, keys: [] } });
    const answer = await call('PUT', '/company/sso', { as: admin.principal, body: settings });
    expect(code(answer)).toEqual([409, 'sso_off']);
    expect(locationOf(await call('GET', `/auth/sso/start?email=a@${domain}`))).toBe(home('unavailable'));
  });
});

describe('a provider', () => {
  test.each(['endless', 'drip', 'hang', 'reset'] as const)('that does this is given up: %s', async (behaviour) => {
    const { put } = await aCompany();
    receiver.behave(behaviours[behaviour]);
    const answer = await put({ issuer: receiver.url('') });
    expect([answer.status, fieldsAtFault(answer)]).toEqual([422, ['issuer']]);
  });

  test('that sends us on is not followed, and one whose addresses are not public is not called', async () => {
    const { put } = await aCompany();
    const inside = receiver.url('/inside');
    receiver.behave((_req, res) => void res.writeHead(302, { location: inside }).end());
    expect((await put({ issuer: receiver.url('/moved') })).status).toBe(422);
    expect(receiver.at('/inside')).toEqual([]);
    const { admin, settings, domain } = await aCompany();
    const { call } = await identity.replica({ sso: { keys, allowNetworks: [] } });
    const connections = receiver.connections();
    const names = { issuer: `https://rebound.example:${receiver.port}` };
    const rebound = await identity.replica({ sso: { keys, allowNetworks: [], resolve: async () => ['127.0.0.1'] } });
    expect(
      fieldsAtFault(
        await rebound.call('PUT', '/company/sso', { as: admin.principal, body: { ...settings, ...names } }),
      ),
    ).toEqual(['issuer']);
    expect(locationOf(await call('GET', `/auth/sso/start?email=a@${domain}`))).toBe(home('unavailable'));
    expect(receiver.connections()).toBe(connections);
  });

  test('that is away does not stop an admin from letting passwords in again', async () => {
    const gone = await startProvider({ redirectUri: callback, method: 'client_secret_post' });
    const { put, domain } = await aCompany({ issuer: gone.issuer });
    const email = `a@${domain}`;
    await gone.account(email, { email, email_verified: true });
    const started = await start(`email=${email}`);
    expect(locationOf(await comeBack(await gone.visit(locationOf(started)), browserOf(started)))).toBe('/console');
    await put({ password_login: false });
    await gone.close();
    expect(locationOf(await start(`email=a@${domain}`))).toBe(home('unavailable'));
    expect((await put({ password_login: true })).status).toBe(200);
  });
});
