import { goodPassword, type Identity, type Login, platform, startIdentity } from '../identity.ts';
import { anEmail, aPerson, code, companyUsersOf, fieldsAtFault, type View } from './company-users.ts';

let identity: Identity;
let companyId: string;
let admin: Login;

beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  companyId = await identity.company();
  const user = await identity.user(['admin'], companyId);
  admin = await identity.logIn(user.email);
});
afterAll(() => identity.stop());

const { as, invite, setPassword, member, isValid } = companyUsersOf(() => ({ identity, admin }));

describe('inviting', () => {
  test('the invited user sets a password with the link, once, and logs in', async () => {
    const answer = await as(admin, 'POST', '/company/users', aPerson('Lea@Acme.test'));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { password_link: link, ...user } = answer.body as unknown as View;
    expect(user).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f]{24}$/), company_id: companyId, email: 'lea@acme.test' },
      ...{ first_name: 'Léa', last_name: 'Moreau', phone: null, permissions: ['tickets'] },
      ...{ active: true, invited: true, created_at: identity.clock.now.toISOString() },
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

  test('a new password by link ends all sessions of the user, and a login that began before', async () => {
    const { user, login } = await member();
    const { body } = await as(admin, 'POST', `/company/users/${user.id}/password-link`);
    expect(await isValid(login.token)).toBe(true);
    expect((await setPassword(String(body['token']), 'a new and better horse')).status).toBe(204);
    expect(await isValid(login.token)).toBe(false);
  });

  test('what is wrong with an invitation is said, and nothing is stored', async () => {
    const taken = await invite();
    expect(code(await as(admin, 'POST', '/company/users', aPerson(taken.email)))).toEqual([409, 'email_taken']);
    const bad = { ...aPerson('nobody'), first_name: undefined, permissions: ['root'], company_id: companyId };
    const answer = await as(admin, 'POST', '/company/users', bad);
    expect(answer.status).toBe(422);
    expect(fieldsAtFault(answer)?.sort()).toEqual(['company_id', 'email', 'first_name', 'permissions.0']);
    expect((await as(admin, 'GET', '/company/users')).body['items']).toHaveLength(2);
  });

  test('a company has at most 1,000 users, whoever adds them at once', async () => {
    const user = (number: number) => ({
      _id: `u${companyId}${number}`,
      company_id: companyId,
      email: `${companyId}${number}`,
    });
    const users = identity.connection.collection<{ _id: string }>('users');
    // With the admin there are 998.
    await users.insertMany(Array.from({ length: 997 }, (_, n) => user(n)));
    const created = () => ({ ...aPerson(anEmail()), company_id: companyId, password: goodPassword });
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, () => as(admin, 'POST', '/company/users', aPerson(anEmail()))),
      ...Array.from({ length: 3 }, () => identity.call('POST', '/admin/users', { as: platform, body: created() })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect(answers.filter(({ status }) => status === 409).map(({ body }) => body['code'])).toEqual(
      Array(4).fill('user_limit'),
    );
    await users.deleteMany({ _id: /^u/ });
  });

  test('a repeated invitation makes one user', async () => {
    const body = aPerson(anEmail());
    const key = { 'idempotency-key': 'invite-1' };
    const first = await as(admin, 'POST', '/company/users', body, key);
    const second = await as(admin, 'POST', '/company/users', body, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body['id']).toBe(first.body['id']);
    expect((await as(admin, 'GET', '/company/users')).body['items']).toHaveLength(2);
  });
});
