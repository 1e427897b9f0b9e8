import { goodPassword, type Identity, type Login, startIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { browserOf, callback, code, fieldsAtFault, home, locationOf, sso, steps, tokenOf } from './sso.ts';

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
  // Nor does the victim's sign-in go to that provider.
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
  // Two companies allow the domain: only their own users are sent to their providers.
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
