import { type UserSnapshot, userChanged } from '@app/contracts';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { type Identity, type Login, platform, startIdentity } from '../identity.ts';
import { anEmail, aPerson, code, companyUsersOf, type View } from './company-users.ts';

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

const { as, invite, member, change } = companyUsersOf(() => ({ identity, admin }));

describe('changing', () => {
  test('names, phone and permissions, told in an event under the next version', async () => {
    const broker = await testBroker(identity.namespace);
    const events = await recordEvents<{ user: UserSnapshot }>(broker, [userChanged]);
    const published = () => events.map(({ data }) => data.user).filter((user) => user.id === id);
    const { id } = await invite();
    const changes = { first_name: 'Lea', phone: '+33 4 12 34 56 78', permissions: ['tickets', 'accounting'] };
    const answer = await change(id, changes);
    expect(answer).toMatchObject({ status: 200, body: { ...changes, last_name: 'Moreau' } });
    expect(answer.body).not.toHaveProperty('version');
    expect((await change(id, { permissions: ['accounting', 'tickets'] })).status).toBe(200);
    expect((await change(id, { last_name: 'Martin' })).status).toBe(200);
    await eventually(() => expect(published()).toHaveLength(2));
    const common = { ...changes, active: true, id, company_id: companyId };
    const own = published().sort((a, b) => Number(a.version) - Number(b.version));
    expect(own).toMatchObject([
      { ...common, version: 1 },
      { ...common, last_name: 'Martin', version: 2 },
    ]);
    expect(Object.keys(own[0] ?? {})).not.toContain('invited');
    await broker.close();
  });

  test('permissions count at once', async () => {
    const { user, login } = await member();
    await change(user.id, { permissions: ['accounting'] });
    expect((await identity.recognise(login.token)).body).toMatchObject({
      principal: { caller: { permissions: ['accounting'] } },
    });
  });

  test('bad input is refused and changes nothing', async () => {
    const { id } = await invite();
    const bodies = [{}, { email: 'new@acme.test' }, { active: 'no' }, { take_over_api_tokens: true }];
    const answers = await Promise.all(
      [...bodies, { active: true, take_over_api_tokens: true }].map((body) => change(id, body)),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    expect((await as(admin, 'GET', `/company/users/${id}`)).body).toMatchObject({ active: true });
  });
});

describe('who may', () => {
  test('users of another company are not found, and not listed', async () => {
    const stranger = await identity.user(['admin']);
    const path = `/company/users/${stranger.id}`;
    const answers = [
      await as(admin, 'GET', path),
      await as(admin, 'PATCH', path, { active: false }),
      await as(admin, 'POST', `${path}/password-link`),
    ];
    expect(answers.map(code)).toEqual(answers.map(() => [404, 'user_not_found']));
    const { body } = await as(admin, 'GET', '/company/users');
    expect((body['items'] as unknown as View[]).map(({ id }) => id)).toEqual([adminId]);
  });

  test.each([['tickets'], ['accounting'], ['api_webhooks']])('a user with %s alone is refused', async (permission) => {
    const { login, user } = await member({ permissions: [permission] });
    const answers = [
      await as(login, 'GET', '/company/users'),
      await as(login, 'GET', `/company/users/${user.id}`),
      await as(login, 'POST', '/company/users', aPerson(anEmail())),
      await as(login, 'PATCH', `/company/users/${user.id}`, { permissions: ['admin'] }),
      await as(login, 'POST', `/company/users/${user.id}/password-link`),
    ];
    expect(answers.map(code)).toEqual(answers.map(() => [403, 'forbidden']));
  });

  test('the list comes in pages, by an index that reads this company alone', async () => {
    const others = [await invite(), await invite()];
    const first = await as(admin, 'GET', '/company/users?limit=2');
    const second = await as(admin, 'GET', `/company/users?limit=2&cursor=${first.body['nextCursor']}`);
    const ids = [first, second].flatMap(({ body }) => (body['items'] as unknown as View[]).map(({ id }) => id));
    expect(ids).toEqual([adminId, ...others.map(({ id }) => id)]);
    expect(second.body['nextCursor']).toBeNull();
  });

  test('the platform changes a user of any company, and lists those of one', async () => {
    const { id } = await invite();
    const changed = await identity.call('PATCH', `/admin/users/${id}`, { as: platform, body: { active: false } });
    expect(changed).toMatchObject({ status: 200, body: { id, active: false } });
    const { body } = await identity.call('GET', `/admin/users?company_id=${companyId}`, { as: platform });
    expect((body['items'] as unknown as View[]).map((user) => user.id)).toEqual([adminId, id]);
    const nobody = await identity.call('PATCH', `/admin/users/${companyId}`, { as: platform, body: { active: false } });
    expect(code(nobody)).toEqual([404, 'user_not_found']);
  });
});

test('a user of an earlier version, without state, is active, and changes to version 1', async () => {
  const user = await identity.user(['tickets'], companyId);
  const users = identity.connection.collection<{ _id: string }>('users');
  await users.updateOne({ _id: user.id }, { $unset: { active: 1, version: 1, invited: 1 } });
  expect((await identity.logIn(user.email)).token).toBeTruthy();
  expect((await as(admin, 'GET', `/company/users/${user.id}`)).body).toMatchObject({ active: true, invited: false });
  expect((await change(user.id, { first_name: 'Eve' })).status).toBe(200);
  expect(await users.findOne({ _id: user.id })).toMatchObject({ version: 1, active: true });
});
