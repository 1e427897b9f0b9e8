import { hashOf } from '../random-secret.ts';
import { aUser, goodPassword, platform, platformAdminToken, useIdentity } from './identity.ts';

const identity = useIdentity();

/** The routes that return a secret, once, to its owner. */
const given: Record<string, string[]> = { 'POST /auth/login': ['session'], 'POST /api-tokens': ['API token'] };

test('no answer and no log line holds a password, a hash or a token, but the one that gives it', async () => {
  const { call, company, logIn, recognise, connection, logger, answers } = identity;
  const user = { ...aUser(await company()), password: 'first secret password' };
  const wrongPassword = 'second secret password';
  await call('POST', '/admin/users', { as: platform, body: user });
  await call('POST', '/admin/users', { as: platform, body: user });
  await call('POST', '/admin/users', { as: platform, body: { ...user, password: 'tooshort', email: 1 } });
  await call('POST', '/auth/login', { body: { email: user.email, password: wrongPassword } });
  await call('POST', '/auth/login', { body: { email: user.email, password: goodPassword.repeat(20) } });
  await call('POST', '/auth/login', { raw: `{"email":"${user.email}","password":"${user.password}"` });
  const { token, principal } = await logIn(user.email, user.password);
  const created = await call('POST', '/api-tokens', { as: principal, body: { name: 'erp' } });
  const apiToken = String(created.body['token']);
  await call('GET', '/api-tokens', { as: principal });
  await call('GET', '/admin/users', { as: platform });
  await call('GET', `/internal/users/${principal.kind === 'caller' ? principal.caller.userId : ''}`, { as: principal });
  for (const value of [token, apiToken, platformAdminToken, 'nonsense']) {
    for (const host of ['ts', 'ticket']) await recognise(value, host);
  }
  await call('GET', '/auth/session', { as: principal, headers: { 'x-session-token': token } });
  for (let n = 0; n < 10; n += 1)
    await call('POST', '/auth/login', { body: { email: user.email, password: wrongPassword } });
  await call('DELETE', `/api-tokens/${created.body['id']}`, { as: principal });
  const change = { current_password: user.password, new_password: 'third secret password' };
  await call('POST', '/auth/password', { as: principal, body: change, headers: { 'x-session-token': token } });
  await call('POST', '/auth/logout', { as: principal, headers: { 'x-session-token': token } });

  const [kept] = await connection.collection('users').find({ email: user.email }).toArray();
  const secrets: Record<string, string> = {
    password: user.password,
    'wrong password': wrongPassword,
    'too short a password': 'tooshort',
    'new password': 'third secret password',
    'hash of the password': String(kept?.['password_hash']).split('$').at(-1) ?? '',
    session: token,
    'API token': apiToken,
    'hash of the API token': hashOf(apiToken),
    'platform token': platformAdminToken,
  };
  expect(secrets['hash of the password']).toHaveLength(43);
  expect(answers.length).toBeGreaterThan(25);
  const said = [
    ...answers.map(({ request, answer }) => ({
      where: request,
      text: JSON.stringify([...answer.headers]) + answer.text,
      may: given[request] ?? [],
    })),
    ...logger.lines.map((line) => ({ where: `log: ${line.message}`, text: JSON.stringify(line), may: [] as string[] })),
  ];
  const leaks = said.flatMap(({ where, text, may }) =>
    Object.entries(secrets)
      .filter(([name, secret]) => text.includes(secret) && !may.includes(name))
      .map(([name]) => `${name} in ${where}`),
  );
  expect(leaks).toEqual([]);
});

test('the database keeps neither password nor token', async () => {
  const { user, logIn, call, connection } = identity;
  const { token, principal } = await logIn((await user()).email);
  const created = await call('POST', '/api-tokens', { as: principal, body: { name: 'erp' } });
  const collections = await connection.db?.collections();
  const everything = await Promise.all((collections ?? []).map((collection) => collection.find().toArray()));
  const kept = JSON.stringify(everything);
  expect(kept).toContain('scrypt$');
  for (const secret of [goodPassword, token, String(created.body['token'])]) expect(kept).not.toContain(secret);
});
