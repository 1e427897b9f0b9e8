import { type Caller, type UserSnapshot, userChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { code, fieldsAtFault, goodPassword, type Login, pagesOf, useAdmin, useIdentity } from '../identity.ts';

type View = Record<string, unknown> & {
  id: string;
  email: string;
  password_link: { url: string; token: string };
};

const identity = useIdentity();
const admin = useAdmin(identity);
const as: typeof identity.as = (...given) => identity.as(...given);
const isValid: typeof identity.isValid = (...given) => identity.isValid(...given);

let count = 0;
const anEmail = () => `person-${count++}@acme.test`;
const aPerson = (email: string) => ({ email, first_name: 'Léa', last_name: 'Moreau', permissions: ['tickets'] });
async function invite(fields: object = {}, login: Login = admin): Promise<View> {
  const answer = await as(login, 'POST', '/company/users', { ...aPerson(anEmail()), ...fields });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as unknown as View;
}
const setPassword = (token: string, password = goodPassword) =>
  identity.call('POST', '/auth/password-link', { body: { token, password } });
async function member(fields: object = {}, login: Login = admin): Promise<{ user: View; login: Login }> {
  const user = await invite(fields, login);
  await setPassword(user.password_link.token);
  return { user, login: await identity.logIn(user.email) };
}
const change = (id: string, body: object, login: Login = admin) => as(login, 'PATCH', `/company/users/${id}`, body);
const apiToken = async (login: Login) =>
  String((await as(login, 'POST', '/api-tokens', { name: 'ERP' })).body['token']);

describe('inviting', () => {
  test('the invited user sets a password with the link, once, and logs in', async () => {
    const answer = await as(admin, 'POST', '/company/users', aPerson('Lea@Acme.test'));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { password_link: link, ...user } = answer.body as unknown as View;
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      company_id: admin.companyId,
      email: 'lea@acme.test',
      first_name: 'Léa',
      last_name: 'Moreau',
      phone: null,
      permissions: ['tickets'],
      place_ids: [],
      active: true,
      invited: true,
      mail_bounced_at: null,
      created_at: identity.clock.now.toISOString(),
    });
    expect(link).toEqual({
      url: `https://ts.example/console/set-password#${link.token}`,
      token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: new Date(identity.clock.now.getTime() + 7 * 86_400_000).toISOString(),
    });
    const login = () => identity.call('POST', '/auth/login', { body: { email: user.email, password: goodPassword } });
    expect(code(await login())).toEqual([401, 'invalid_credentials']);
    expect((await setPassword(link.token)).status).toBe(204);
    expect((await login()).status).toBe(200);
    expect(code(await setPassword(link.token, 'another long password'))).toEqual([404, 'password_link_not_found']);
    expect((await as(admin, 'GET', `/company/users/${user.id}`)).body).toMatchObject({ invited: false });
  });

  test('of two who use one link at once, one sets the password', async () => {
    const { password_link: link, email } = await invite();
    const passwords = ['the first long password', 'the second long password'];
    const answers = await Promise.all(passwords.map((password) => setPassword(link.token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    const won = passwords[answers.findIndex(({ status }) => status === 204)];
    expect((await identity.logIn(email, won)).token).toBeTruthy();
  });

  test('a link ends with its time, with a newer one, and is stored as a hash alone', async () => {
    const { id, password_link: first } = await invite();
    const second = await as(admin, 'POST', `/company/users/${id}/password-link`);
    expect(second.status).toBe(201);
    expect((await setPassword(first.token)).status).toBe(404);
    const stored = JSON.stringify(await identity.connection.collection('password_links').find({}).toArray());
    expect(stored).not.toContain(String(second.body['token']));
    const before = identity.clock.now;
    identity.clock.now = new Date(before.getTime() + 7 * 86_400_000 + 1);
    expect((await setPassword(String(second.body['token']))).status).toBe(404);
    identity.clock.now = before;
    expect((await setPassword(String(second.body['token']))).status).toBe(204);
  });

  test('a new password by link ends all sessions of the user', async () => {
    const { user, login } = await member();
    const { body } = await as(admin, 'POST', `/company/users/${user.id}/password-link`);
    expect(await isValid(login.token)).toBe(true);
    expect((await setPassword(String(body['token']), 'a new and better horse')).status).toBe(204);
    expect(await isValid(login.token)).toBe(false);
  });

  test('what is wrong with an invitation is said, and nothing is stored', async () => {
    const taken = await invite();
    expect(code(await as(admin, 'POST', '/company/users', aPerson(taken.email)))).toEqual([409, 'email_taken']);
    const bad = { ...aPerson('nobody'), first_name: undefined, permissions: ['root'], company_id: admin.companyId };
    const answer = await as(admin, 'POST', '/company/users', bad);
    expect(answer.status).toBe(422);
    expect(fieldsAtFault(answer)?.sort()).toEqual(['company_id', 'email', 'first_name', 'permissions.0']);
    expect((await as(admin, 'GET', '/company/users')).body['items']).toHaveLength(2);
  });

  test('a company has at most 1,000 users, whoever adds them at once', async () => {
    const user = (number: number) => ({
      _id: `u${admin.companyId}${number}`,
      company_id: admin.companyId,
      email: `${admin.companyId}${number}`,
    });
    const users = identity.connection.collection<{ _id: string }>('users');
    // With the admin there are 998.
    await users.insertMany(Array.from({ length: 997 }, (_, n) => user(n)));
    const created = () => ({ ...aPerson(anEmail()), company_id: admin.companyId, password: goodPassword });
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, () => as(admin, 'POST', '/company/users', aPerson(anEmail()))),
      ...Array.from({ length: 3 }, () => identity.byPlatform('POST', '/admin/users', created())),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect(answers.filter(({ status }) => status === 409).map(({ body }) => body['code'])).toEqual(
      Array(4).fill('user_limit'),
    );
    await users.deleteMany({ _id: /^u/ });
  });
});

describe('changing', () => {
  test('a limit to places counts at once, for sessions and API tokens, and is none for an admin', async () => {
    const [one, other] = [newId(), newId()];
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'] });
    const placesOf = async () => {
      const { principal } = (await identity.recognise(login.token)).body as unknown as {
        principal: { caller: Caller };
      };
      return principal.caller.placeIds;
    };
    expect(await placesOf()).toBeUndefined();
    expect(await change(user.id, { place_ids: [one, other] })).toMatchObject({ body: { place_ids: [one, other] } });
    expect(await placesOf()).toEqual([one, other]);
    expect(fieldsAtFault(await change(user.id, { permissions: ['admin'] }))).toEqual(['place_ids']);
    expect((await change(user.id, { place_ids: [] })).status).toBe(200);
    expect(await placesOf()).toBeUndefined();
    expect((await change(user.id, { permissions: ['admin'] })).status).toBe(200);
    expect(fieldsAtFault(await change(user.id, { place_ids: [one] }))).toEqual(['place_ids']);
    const tooMany = Array.from({ length: 51 }, () => newId());
    expect(fieldsAtFault(await change(user.id, { place_ids: tooMany }))).toEqual(['place_ids']);
  });

  test('names, phone and permissions count at once, and are told in an event under the next version', async () => {
    const broker = await testBroker(identity.namespace);
    const events = await recordEvents<{ user: UserSnapshot }>(broker, [userChanged]);
    const published = () => events.map(({ data }) => data.user).filter((user) => user.id === id);
    const { user, login } = await member();
    const { id } = user;
    const changes = { first_name: 'Lea', phone: '+33 4 12 34 56 78', permissions: ['tickets', 'accounting'] };
    const answer = await change(id, changes);
    expect(answer).toMatchObject({ status: 200, body: { ...changes, last_name: 'Moreau' } });
    expect(answer.body).not.toHaveProperty('version');
    expect((await identity.recognise(login.token)).body).toMatchObject({
      principal: { caller: { permissions: changes.permissions } },
    });
    expect((await change(id, { permissions: ['accounting', 'tickets'] })).status).toBe(200);
    expect((await change(id, { last_name: 'Martin' })).status).toBe(200);
    await eventually(() => expect(published()).toHaveLength(2));
    const common = { ...changes, active: true, id, company_id: admin.companyId };
    const own = published().sort((a, b) => Number(a.version) - Number(b.version));
    expect(own).toMatchObject([
      { ...common, version: 1 },
      { ...common, last_name: 'Martin', version: 2 },
    ]);
    expect(Object.keys(own[0] ?? {})).not.toContain('invited');
    await broker.close();
  });

  test('API tokens are taken over by a deactivation alone; anything else is refused', async () => {
    const { id } = await invite();
    const bodies = [{}, { email: 'new@acme.test' }, { active: 'no' }, { take_over_api_tokens: true }];
    for (const body of [...bodies, { active: true, take_over_api_tokens: true }]) {
      expect([body, (await change(id, body)).status]).toEqual([body, 422]);
    }
  });
});

describe('who may', () => {
  test('users of another company are not found, and those of one’s own are listed page by page', async () => {
    const stranger = await identity.user(['admin']);
    const path = `/company/users/${stranger.id}`;
    const answers = [
      await as(admin, 'GET', path),
      await as(admin, 'PATCH', path, { active: false }),
      await as(admin, 'POST', `${path}/password-link`),
    ];
    expect(answers.map(code)).toEqual(answers.map(() => [404, 'user_not_found']));
    const [first, second] = [await invite(), await invite()];
    const pages = await pagesOf<View>((cursor) => as(admin, 'GET', `/company/users?limit=2${cursor}`));
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([[admin.id, first.id], [second.id]]);
  });

  test('the platform changes a user of any company, and lists those of one', async () => {
    const { id } = await invite();
    const changed = await identity.byPlatform('PATCH', `/admin/users/${id}`, { active: false });
    expect(changed).toMatchObject({ status: 200, body: { id, active: false } });
    const { body } = await identity.byPlatform('GET', `/admin/users?company_id=${admin.companyId}`);
    expect((body['items'] as unknown as View[]).map((user) => user.id)).toEqual([admin.id, id]);
    const nobody = await identity.byPlatform('PATCH', `/admin/users/${admin.companyId}`, { active: false });
    expect(code(nobody)).toEqual([404, 'user_not_found']);
  });
});

describe('deactivating', () => {
  test('ends sessions, links and API tokens, and the user is out everywhere', async () => {
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'] });
    const token = await apiToken(login);
    const { body: link } = await as(admin, 'POST', `/company/users/${user.id}/password-link`);
    expect(await isValid(token, 'ticket')).toBe(true);
    expect((await change(user.id, { active: false })).body).toMatchObject({ active: false });
    expect([await isValid(login.token), await isValid(token, 'ticket')]).toEqual([false, false]);
    expect((await setPassword(String(link['token']))).status).toBe(404);
    await expect(identity.logIn(user.email)).rejects.toThrow('401');
    expect(code(await as(admin, 'POST', `/company/users/${user.id}/password-link`))).toEqual([409, 'user_inactive']);
    expect((await as(admin, 'GET', '/api-tokens')).body['items']).toEqual([]);
    // Active again, nothing of before is valid again but the password.
    await change(user.id, { active: true });
    expect([await isValid(login.token), await isValid(token, 'ticket')]).toEqual([false, false]);
    expect((await identity.logIn(user.email)).token).toBeTruthy();
  });

  test('an admin takes the API tokens over: they act for the admin from then on, and still say who made them', async () => {
    const maker = await member({ permissions: ['api_webhooks'] });
    const token = await apiToken(maker.login);
    const listed = async () => (await as(admin, 'GET', '/api-tokens')).body['items'];
    const other = await member({ permissions: ['admin'] });
    await change(maker.user.id, { active: false, take_over_api_tokens: true }, other.login);
    expect(await listed()).toMatchObject([{ user_id: other.user.id, made_by: maker.user.id }]);
    await change(other.user.id, { active: false, take_over_api_tokens: true });
    expect(await listed()).toMatchObject([{ user_id: admin.id, made_by: maker.user.id }]);
    expect((await identity.recognise(token, 'ticket')).body).toMatchObject({
      principal: { caller: { userId: admin.id, permissions: ['admin'] } },
    });
    expect(await isValid(maker.login.token)).toBe(false);
  });

  test('nobody takes over the API tokens of a user limited to places: they would see every place', async () => {
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'], place_ids: ['c'.repeat(24)] });
    const token = await apiToken(login);
    const refused = await change(user.id, { active: false, place_ids: [], take_over_api_tokens: true });
    expect([refused.status, refused.body['errors']]).toEqual([
      422,
      [{ path: 'take_over_api_tokens', message: expect.stringContaining('limited to places') }],
    ]);
    expect((await identity.recognise(token, 'ticket')).body).toMatchObject({
      principal: { caller: { userId: user.id, placeIds: ['c'.repeat(24)] } },
    });
    await change(user.id, { active: false });
    expect(await isValid(token, 'ticket')).toBe(false);
  });

  test('a session that a login adds meanwhile is not valid when the user is active again', async () => {
    const { user } = await member();
    const logins = Array.from({ length: 8 }, () => identity.logIn(user.email).catch(() => null));
    await change(user.id, { active: false });
    const begun = await Promise.all(logins);
    await change(user.id, { active: true });
    const valid = await Promise.all(begun.map((login) => login !== null && isValid(login.token)));
    expect(valid).toEqual(valid.map(() => false));
  });

  test('what the user makes while the gateway still knows the session is not valid, nor when the user is active again', async () => {
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'] });
    await change(user.id, { active: false });
    const token = await apiToken(login);
    expect(token).toMatch(/^fmt_/);
    expect(await isValid(token, 'ticket')).toBe(false);
    await change(user.id, { active: true });
    expect(await isValid(token, 'ticket')).toBe(false);
    expect((await as(admin, 'GET', '/api-tokens')).body['items']).toEqual([]);
  });
});

describe('the last admin', () => {
  test('can be neither deactivated nor made something else, by nobody, beside admins who are inactive or of another company', async () => {
    await member({ permissions: ['tickets'] });
    const { user } = await member({ permissions: ['admin'] });
    await change(user.id, { active: false });
    await identity.user(['admin']);
    for (const body of [{ active: false }, { permissions: ['tickets'] }]) {
      expect(code(await change(admin.id, body))).toEqual([409, 'last_admin']);
      const byPlatform = await identity.byPlatform('PATCH', `/admin/users/${admin.id}`, body);
      expect(code(byPlatform)).toEqual([409, 'last_admin']);
    }
    expect(await isValid(admin.token)).toBe(true);
  });

  test('of two admins who remove each other at once, one stays', async () => {
    for (let round = 0; round < 3; round += 1) {
      const one = await identity.admin();
      const { user, login } = await member({ permissions: ['admin'] }, one);
      const answers = await Promise.all([
        change(user.id, { active: false }, one),
        change(one.id, { permissions: ['tickets'] }, login),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const { body } = await identity.byPlatform('GET', `/admin/users?company_id=${one.companyId}`);
      const users = body['items'] as unknown as { active: boolean; permissions: string[] }[];
      expect(users.filter(({ active, permissions }) => active && permissions.includes('admin'))).toHaveLength(1);
    }
  });
});
