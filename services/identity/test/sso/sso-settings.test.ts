import { allowsPassword, isLocalPath, provenIdentity } from '../../sso/sso-settings.ts';

const company = { issuer: 'https://login.example', allowed_domains: ['kpmg.example'] };
const proven = (claims: object) => provenIdentity({ email_verified: true, ...claims }, company);

test.each([
  ['in capitals', 'Zoe@KPMG.example', { email: 'zoe@kpmg.example' }],
  ['of a domain that is another one until it is lower case', 'zoe@\u212Apmg.example', 'email_missing'],
  ['of another domain', 'zoe@kpmg.example.evil.example', 'domain_not_allowed'],
  ['of a part of the domain', 'zoe@it.kpmg.example', 'domain_not_allowed'],
  ['with two @', 'zoe@kpmg.example@kpmg.example', 'email_missing'],
  ['with a space', 'zoe @kpmg.example', 'email_missing'],
  ['of a domain that only ends alike', 'zoe@xkpmg.example', 'domain_not_allowed'],
  ['that are two', 'a@evil.example, b@kpmg.example', 'email_missing'],
  ['that is no text', ['zoe@kpmg.example'], 'email_missing'],
])('an address %s', (_, email, expected) => {
  const result = proven({ email });
  expect(result).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected));
});

test.each([false, undefined, 'true', 1])('an address is not believed if email_verified is %j', (email_verified) => {
  const claims = { email: 'zoe@kpmg.example', email_verified };
  expect(provenIdentity(claims, company)).toBe('email_not_verified');
});

test.each([
  [{ given_name: ' Zoé ', family_name: 'Petit' }, ['Zoé', 'Petit']],
  [{ name: 'Anne Marie Petit' }, ['Anne Marie', 'Petit']],
  [{ name: 'Zoé', given_name: 7 }, ['zoe', 'Zoé']],
  [{}, ['zoe', 'zoe']],
  [{ given_name: 'x'.repeat(1_000), family_name: '' }, ['x'.repeat(200), 'zoe']],
])('of %j a user has both names', (claims, [first_name, last_name]) => {
  expect(proven({ email: 'zoe@kpmg.example', ...claims })).toMatchObject({ first_name, last_name });
});

test.each([
  [null, ['tickets'], true],
  [{ password_login: true }, ['tickets'], true],
  [{ password_login: false }, ['tickets'], false],
  [{ password_login: false }, ['tickets', 'admin'], true],
] as const)('with the settings %j, a password of a user with %j counts: %s', (settings, permissions, expected) => {
  expect(allowsPassword(settings, { permissions: [...permissions] })).toBe(expected);
});

test.each([
  ['/console', true],
  ['/console/tickets?status=opened&page=2#top', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['/a\\b', false],
  ['/\t/evil.example', false],
  ['/\n/evil.example', false],
  ['https://evil.example', false],
  ['', false],
])('%j is a path of this host: %s', (path, expected) => {
  expect(isLocalPath(path)).toBe(expected);
  if (expected) expect(new URL(path, 'https://ts.example').origin).toBe('https://ts.example');
});
