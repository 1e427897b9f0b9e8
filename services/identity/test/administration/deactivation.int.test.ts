import { type Identity, type Login, platform, startIdentity } from '../identity.ts';
import { code, companyUsersOf } from './company-users.ts';

let identity: Identity;
let companyId: string;
let admin: Login;
let adminId: string;

beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  companyId = await identity.company();
  const user = await identity.user(['admin'], companyId);
  adminId = user.id;
  admin = await identity.logIn(user.email);
});
afterAll(() => identity.stop());

const { as, setPassword, member, isValid, change, apiToken } = companyUsersOf(() => ({ identity, admin }));

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
  });

  test('who is active again logs in with the same password; nothing of before is valid again', async () => {
    const { user, login } = await member();
    await change(user.id, { active: false });
    await change(user.id, { active: true });
    expect(await isValid(login.token)).toBe(false);
    expect((await identity.logIn(user.email)).token).toBeTruthy();
  });

  test('an admin takes the API tokens over: they act for the admin from then on', async () => {
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'] });
    const token = await apiToken(login);
    await change(user.id, { active: false, take_over_api_tokens: true });
    const { body, status } = await identity.recognise(token, 'ticket');
    expect(status).toBe(200);
    expect(body).toMatchObject({ principal: { caller: { userId: adminId, permissions: ['admin'] } } });
    expect(await isValid(login.token)).toBe(false);
  });

  test.each([
    ['of this version', {}],
    ['of an earlier version', { $unset: { made_by: 1 as const } }],
  ])('a token %s that is taken over, also twice, still says who made it', async (_, update) => {
    const tokens = identity.connection.collection<{ _id: string; made_by?: string }>('api_tokens');
    const maker = await member({ permissions: ['api_webhooks'] });
    const token = await apiToken(maker.login);
    const listed = async () => (await as(admin, 'GET', '/api-tokens')).body['items'];
    if ('$unset' in update) await tokens.updateMany({ company_id: companyId }, update);
    expect(await listed()).toMatchObject([{ user_id: maker.user.id, made_by: maker.user.id }]);
    const other = await member({ permissions: ['admin'] });
    await change(maker.user.id, { active: false, take_over_api_tokens: true }, other.login);
    expect(await listed()).toMatchObject([{ user_id: other.user.id, made_by: maker.user.id }]);
    await change(other.user.id, { active: false, take_over_api_tokens: true });
    expect(await listed()).toMatchObject([{ user_id: adminId, made_by: maker.user.id }]);
    expect(await isValid(token, 'ticket')).toBe(true);
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

  test('what the user makes while the gateway still knows the session is not valid when the user is active again', async () => {
    const { user, login } = await member({ permissions: ['api_webhooks', 'tickets'] });
    await change(user.id, { active: false });
    const token = await apiToken(login);
    expect(token).toMatch(/^fmt_/);
    await change(user.id, { active: true });
    expect(await isValid(token, 'ticket')).toBe(false);
    expect((await as(admin, 'GET', '/api-tokens')).body['items']).toEqual([]);
  });
});

describe('the last admin', () => {
  test('can be neither deactivated nor made something else, by nobody', async () => {
    await member({ permissions: ['tickets'] });
    for (const body of [{ active: false }, { permissions: ['tickets'] }]) {
      expect(code(await change(adminId, body))).toEqual([409, 'last_admin']);
      const byPlatform = await identity.call('PATCH', `/admin/users/${adminId}`, { as: platform, body });
      expect(code(byPlatform)).toEqual([409, 'last_admin']);
    }
    expect(await isValid(admin.token)).toBe(true);
  });

  test('an admin who is not active does not count, one of another company neither', async () => {
    const { user } = await member({ permissions: ['admin'] });
    await identity.user(['admin']);
    await change(user.id, { active: false });
    expect(code(await change(adminId, { active: false }))).toEqual([409, 'last_admin']);
  });

  test('of two admins who remove each other at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { user, login } = await member({ permissions: ['admin'] });
      const answers = await Promise.all([
        change(user.id, { active: false }, admin),
        change(adminId, { permissions: ['tickets'] }, login),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const { body } = await identity.call('GET', `/admin/users?company_id=${companyId}`, { as: platform });
      const users = body['items'] as unknown as { active: boolean; permissions: string[] }[];
      expect(users.filter(({ active, permissions }) => active && permissions.includes('admin'))).toHaveLength(1);
      companyId = await identity.company();
      const next = await identity.user(['admin'], companyId);
      adminId = next.id;
      admin = await identity.logIn(next.email);
    }
  });
});
