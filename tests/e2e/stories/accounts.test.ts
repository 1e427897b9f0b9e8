import { eventually, type Receiver } from '@app/testing';
import {
  caller,
  logIn,
  type Member,
  newCompany,
  newReceiver,
  newTicket,
  newUser,
  ok,
  stack,
  subscribe,
} from '../platform.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await newReceiver();
});
afterAll(() => receiver.close());

/** A user whom an admin invited, and who has set a password by the link. */
async function invited(admin: Member, permissions: string[]): Promise<Member> {
  const person = { email: `${admin.userId}@people.example`, first_name: 'Léa', last_name: 'Moreau', permissions };
  const { data: user } = await ok(admin.ts('POST /company/users', person));
  const password = `a long password of ${user.id}`;
  const anybody = caller(stack().tsApi);
  await ok(anybody('POST /auth/password-link', { token: user.password_link.token, password }));
  return logIn({ companyId: admin.companyId, userId: user.id, email: user.email, password });
}

test('an admin invites a user, who works with a token and an endpoint, is deactivated and out', async () => {
  const admin = await newCompany('client');
  const user = await invited(admin, ['tickets', 'api_webhooks']);
  const { data: token } = await ok(user.ts('POST /api-tokens', { name: 'erp' }));
  const erp = caller(`${stack().ticketApi}/api/v3.0`, token.token);
  const endpoint = await subscribe(user, receiver, '/invited');
  const ticket = await newTicket({ ...user, api: erp });
  await ok(erp(`POST ${ticket}/notes`, { note: 'the key is at the porter', type: 'public' }));
  await eventually(async () => {
    const { data } = await ok(user.ts(`GET /webhooks/endpoints/${endpoint.id}/deliveries`));
    expect(data.items).toContainEqual(expect.objectContaining({ event: 'ticket.message_added', status: 'succeeded' }));
  });
  const { data: listed } = await ok(admin.api('GET /users'));
  expect(listed.users).toContainEqual(expect.objectContaining({ _id: user.userId, firstName: 'Léa' }));

  await ok(admin.ts(`PATCH /company/users/${user.userId}`, { active: false }));
  // That it takes at most 5 s is tested by services/gateway/test/auth/admission.int.test.ts with a
  // clock of its own: the gateway caches an answer for 4 s, and on a busy machine these requests
  // alone may take longer than the second that is left.
  await eventually(async () => {
    const answers = await Promise.all([user.ts('GET /auth/session'), user.api('GET /tickets'), erp('GET /tickets')]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
  const { email, password } = user;
  expect((await caller(stack().tsApi)('POST /auth/login', { email, password })).status).toBe(401);
  await eventually(async () => {
    const users = (await ok(admin.api('GET /users'))).data.users as { _id: string }[];
    expect(users.map(({ _id }) => _id)).toEqual([admin.userId]);
  });
  const named = await admin.api('POST /tickets', { title: 'Leak', manager_ids: [user.userId] });
  expect([named.status, named.data.errors?.[0]?.path]).toEqual([422, 'manager_ids.0']);
  // What the user created belongs to the company and stays.
  expect((await admin.ts(`GET /webhooks/endpoints/${endpoint.id}`)).data).toMatchObject({ active: true });
});

test('the API tokens of a user who leaves go on for the admin who takes them over', async () => {
  const admin = await newCompany('client');
  const user = await newUser(admin.companyId, ['tickets', 'api_webhooks']);
  const { data: token } = await ok(user.ts('POST /api-tokens', { name: 'erp' }));
  const erp = caller(`${stack().ticketApi}/api/v3.0`, token.token);
  const ticket = await newTicket({ ...user, api: erp });
  await ok(admin.ts(`PATCH /company/users/${user.userId}`, { active: false, take_over_api_tokens: true }));
  await eventually(async () => expect((await user.ts('GET /auth/session')).status).toBe(401));
  expect((await erp(`GET ${ticket}`)).status).toBe(200);
  const { data } = await ok(admin.ts('GET /api-tokens'));
  expect(data.items).toMatchObject([{ id: token.id, user_id: admin.userId }]);
});

test('a person is erased: out, and without a name in users, tickets, notes and the log of webhooks', async () => {
  const admin = await newCompany('client');
  const user = await invited(admin, ['tickets', 'api_webhooks']);
  const endpoint = await subscribe(admin, receiver, '/erased');
  const ticket = await newTicket(user, { manager_ids: [user.userId] });
  await ok(user.api(`POST ${ticket}/notes`, { note: 'the key is at the porter', type: 'public' }));
  const log = `/webhooks/endpoints/${endpoint.id}/deliveries`;
  const delivery = await eventually(async () => {
    const [found] = (await ok(admin.ts(`GET ${log}?event=ticket.message_added`))).data.items;
    expect(found).toMatchObject({ status: 'succeeded' });
    return found;
  });
  const seen = async () => {
    const paths = ['/users', ticket, `${ticket}/notes`];
    const answers = await Promise.all(paths.map((path) => ok(admin.api(`GET ${path}`))));
    const own = [`/company/users/${user.userId}`, `${log}/${delivery.id}`];
    const others = await Promise.all(own.map((path) => ok(admin.ts(`GET ${path}`))));
    return JSON.stringify([...answers, ...others].map(({ data }) => data));
  };
  expect(await seen()).toContain('Moreau');

  expect((await ok(admin.ts(`POST /company/users/${user.userId}/erase`))).data.erasure).toMatchObject({
    state: 'running',
  });
  await eventually(async () => {
    const now = await seen();
    expect(['Moreau', user.email].filter((value) => now.includes(value))).toEqual([]);
  });
  // By those who may change users; the answers are documented, as every one in these tests.
  const platform = caller(stack().tsApi, stack().adminToken);
  for (const change of [
    admin.ts(`PATCH /company/users/${user.userId}`, { active: true }),
    platform(`PATCH /admin/users/${user.userId}`, { active: true }),
  ])
    expect(await change).toMatchObject({ status: 409, data: { code: 'user_erased' } });
  // What the person wrote belongs to the company and stays.
  expect(await seen()).toContain('the key is at the porter');
  await eventually(async () => expect((await user.api('GET /tickets')).status).toBe(401));
  expect((await admin.ts(`POST /company/users/${admin.userId}/erase`)).data.code).toBe('user_is_oneself');
});
