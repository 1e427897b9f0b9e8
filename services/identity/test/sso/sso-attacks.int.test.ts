import { answer, type Receiver, startReceiver } from '@app/testing';
import { code, type Login, useIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { browserOf, callbackOf, home, locationOf, sso, steps, tokenOf } from './sso.ts';

let provider: TestProvider;
let evil: Receiver;
beforeAll(async () => {
  provider = await startProvider({ redirectUris: callbackOf('') });
  evil = await startReceiver();
});
const identity = useIdentity(() => ({ sso }));
afterAll(async () => {
  await evil.close();
  await provider.close();
});

const { as, aCompany, start, comeBack, signIn, onItsWay } = steps(() => ({ identity, provider }));

/** A company whose admin is an attacker: its provider is a server of theirs. */
async function anAttacker() {
  const issuer = evil.url('/evil');
  const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: issuer };
  evil.behave(answer(200, JSON.stringify({ issuer, ...endpoints }), { 'content-type': 'application/json' }));
  return aCompany({ issuer });
}

test('a provider that sends browsers on to another company’s receives no code of that one', async () => {
  const [victims, attackers] = [await aCompany(), await anAttacker()];
  await provider.account('ceo', { email: `ceo@${victims.domain}`, email_verified: true });
  const begun = await start(`company=${victims.companyId}`);
  const lured = await start(`company=${attackers.companyId}`);
  // The attacker's provider sends the victim to the honest one, with the nonce and the challenge of the attacker's own
  // sign-in and the state of the victim's.
  const relayed = new URL(locationOf(begun));
  relayed.searchParams.set('state', new URL(locationOf(lured)).searchParams.get('state') as string);
  relayed.searchParams.set('login_hint', 'ceo');
  const back = await provider.visit(relayed.href);
  // Not every provider names itself in its answer.
  back.searchParams.delete('iss');
  expect(locationOf(await comeBack(back, browserOf(lured)))).toBe(home('expired'));
  expect(evil.at('/evil/token')).toEqual([]);
});

test('a link of another site starts nothing: it leads to a page that names company and provider, and asks', async () => {
  const { companyId } = await anAttacker();
  const link = `/auth/sso/start?company=${companyId}&return_to=%2Fconsole%2Ftickets`;
  const led = await identity.call('GET', link, { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(locationOf(led)).toBe(`/console/login/company?company=${companyId}&return_to=%2Fconsole%2Ftickets`);
  expect(led.headers.getSetCookie()).toEqual([]);
  const named = { company: { id: companyId, name: 'Acme' }, provider: new URL(evil.url('/')).host };
  expect((await start(`company=${companyId}`)).body).toMatchObject(named);
  // What a form of another site can send.
  const headers = { 'content-type': 'text/plain' };
  const raw = JSON.stringify({ company: companyId });
  const forged = await identity.call('POST', '/auth/sso/start', { raw, headers });
  expect([forged.status, forged.headers.getSetCookie()]).toEqual([415, []]);
});

test('the session of another user stays; the same user gets a new one', async () => {
  const somebody = await identity.admin();
  const { back, browser, email } = await onItsWay();
  const kept = await comeBack(back, browser, { 'x-session-token': somebody.token });
  expect([locationOf(kept), kept.headers.getSetCookie()]).toEqual([home('another_user'), []]);
  expect(await identity.isValid(somebody.token)).toBe(true);
  const first = tokenOf(await signIn(email));
  const started = await start(`email=${email}`);
  const returned = await provider.visit(locationOf(started));
  const again = await comeBack(returned, browserOf(started), { 'x-session-token': first });
  expect([locationOf(again), tokenOf(again) === first]).toEqual(['/console', false]);
});

describe('an address', () => {
  const person = (email: string) => ({ email, first_name: 'A', last_name: 'B', permissions: [] });

  test('that companies invite is told to none of them, and is whose invitation is accepted first', async () => {
    const [one, other] = [await identity.admin(), await identity.admin()];
    const known = await identity.user([], other.companyId);
    expect((await as(one, 'POST', '/company/users', person(known.email))).status).toBe(201);
    expect(code(await as(other, 'POST', '/company/users', person(known.email)))).toEqual([409, 'email_taken']);

    const links: string[] = [];
    for (const admin of [one, other]) {
      const { status, body } = await as(admin, 'POST', '/company/users', person('cfo@acme.test'));
      expect(status).toBe(201);
      links.push((body['password_link'] as unknown as { token: string }).token);
    }
    const password = 'correct horse battery';
    const accept = (token?: string) => identity.call('POST', '/auth/password-link', { body: { token, password } });
    expect((await accept(links[1])).status).toBe(204);
    expect(code(await accept(links[0]))).toEqual([409, 'email_taken']);
    const { principal } = await identity.logIn('cfo@acme.test', password);
    expect(principal).toMatchObject({ caller: { companyId: other.companyId } });
  });

  test('that somebody else got at the provider does not open the account of who had it', async () => {
    const { admin, domain, companyId } = await aCompany();
    const email = `zoe@${domain}`;
    await signIn(email);
    const asAnother = async () => {
      await provider.account('zoe-2', { email, email_verified: true });
      const started = await start(`company=${companyId}`);
      const url = new URL(locationOf(started));
      url.searchParams.set('login_hint', 'zoe-2');
      return locationOf(await comeBack(await provider.visit(url.href), browserOf(started)));
    };
    expect(await asAnother()).toBe(home('refused'));
    // Whoever has another address at the provider by now is the same user.
    const renamed = tokenOf(await signIn(email, { email: `zoe.petit@${domain}` }));
    const { principal } = (await identity.recognise(renamed)).body as unknown as Login;
    expect(principal).toMatchObject({ caller: { email } });
    const id = principal.kind === 'caller' ? principal.caller.userId : '';
    for (const active of [false, true]) await as(admin, 'PATCH', `/company/users/${id}`, { active });
    expect(await asAnother()).toBe('/console');
  });
});
