import { answer, type Receiver, startReceiver } from '@app/testing';
import { useIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { browserOf, callbackOf, home, locationOf, sso, steps } from './sso.ts';

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

const { aCompany, start, comeBack } = steps(() => ({ identity, provider }));

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
