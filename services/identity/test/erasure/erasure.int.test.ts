import {
  type DomainEvent,
  type UserErased,
  type UserSnapshot,
  userChanged,
  userCopiesErased,
  userErased,
} from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import { eventFixture, eventually, recordEvents, testBroker } from '@app/testing';
import { code, goodPassword, type Login, useAdmin, useIdentity } from '../identity.ts';

// Nothing listens there: e-mails wait.
const identity = useIdentity(() => ({ mail: { url: 'smtp://127.0.0.1:9', from: 'accounts@example.com' } }));
const admin = useAdmin(identity);
let broker: Broker;
let changes: DomainEvent<{ user: UserSnapshot }>[];
let erasures: DomainEvent<UserErased>[];

beforeAll(async () => {
  broker = await testBroker(identity.namespace);
  changes = await recordEvents(broker, [userChanged], 'changes');
  erasures = await recordEvents(broker, [userErased], 'erasures');
});
afterAll(() => broker.close());

const as: typeof identity.as = (...given) => identity.as(...given);
const erase = (id: string, login: Login = admin) => as(login, 'POST', `/company/users/${id}/erase`);
const eraseByPlatform = (id: string) => identity.byPlatform('POST', `/admin/users/${id}/erase`);
const read = (id: string) => as(admin, 'GET', `/company/users/${id}`);
const settle = (user_id: string, service: string) =>
  broker.publish(toCloudEvents(service, [userCopiesErased({ user_id, service }, new Date(), user_id)]));

/** A person with data in every collection. */
async function known() {
  const user = await identity.user(['tickets', 'api_webhooks'], admin.companyId);
  const login = await identity.logIn(user.email);
  const tag = user.email.split('@')[0];
  await as(login, 'PATCH', '/auth/profile', {
    first_name: `Zénobie ${tag}`,
    last_name: `Quatrefages ${tag}`,
    phone: `+33 ${tag}`,
  });
  await as(login, 'PUT', '/auth/preferences', { locale: 'fr-FR', views: { of: tag } });
  const token = String((await as(login, 'POST', '/api-tokens', { name: 'ERP' })).body['token']);
  await as(admin, 'POST', `/company/users/${user.id}/password-link`);
  await identity.call('POST', '/auth/password-reset', { body: { email: user.email } });
  // The worker makes the link. After one try the e-mail waits for its retry, since the test's clock
  // stands still.
  await eventually(async () => {
    const mails = identity.connection.collection('mails');
    expect(await mails.countDocuments({ email: user.email, tries: 1 })).toBe(1);
  });
  return { ...user, login, token };
}

/** All documents that contain personal data of this user. */
async function namingDocuments({ id, email }: { id: string; email: string }): Promise<string[]> {
  const collections = await identity.connection.listCollections();
  const all = await Promise.all(
    collections
      // The audit log has ids alone; its own tests hold that.
      .filter(({ name }) => name !== 'idempotency_keys' && name !== 'audit_entries')
      .map(async ({ name }) =>
        (
          await identity.connection
            .collection(name)
            .find({}, { projection: { outbox: 0 } })
            .toArray()
        )
          .map((document) => JSON.stringify(document))
          .filter((text) => text.includes(String(email.split('@')[0])) || (name !== 'users' && text.includes(id)))
          .map(() => name),
      ),
  );
  return all.flat();
}

test('a person is out, and nothing of the person is left but a neutral user, which others hear of', async () => {
  const user = await known();
  expect([...new Set(await namingDocuments(user))].sort()).toEqual([
    'api_tokens',
    'mails',
    'password_links',
    'preferences',
    'sessions',
    'users',
  ]);
  const { status, body } = await erase(user.id);
  const neutral = { first_name: 'Erased', last_name: 'user', email: `${user.id}@erased.invalid`, phone: null };
  expect([status, body]).toEqual([
    202,
    {
      id: user.id,
      company_id: admin.companyId,
      ...neutral,
      permissions: [],
      mail_bounced_at: null,
      place_ids: [],
      active: false,
      invited: false,
      created_at: expect.any(String),
      erasure: { state: 'running', requested_at: identity.clock.now.toISOString(), done_at: null },
    },
  ]);
  expect(await namingDocuments(user)).toEqual([]);
  for (const [value, host] of [
    [user.login.token, 'ts'],
    [user.token, 'ticket'],
  ] as const) {
    expect((await identity.recognise(value, host)).status).toBe(401);
  }
  const login = { email: user.email, password: goodPassword };
  expect((await identity.call('POST', '/auth/login', { body: login })).status).toBe(401);
  await eventually(() => {
    const snapshot = {
      id: user.id,
      company_id: admin.companyId,
      ...neutral,
      permissions: [],
      active: false,
      version: 2,
    };
    expect(changes.map(({ data }) => data.user)).toContainEqual(snapshot);
    expect(erasures.map(({ data }) => data)).toContainEqual({
      user: snapshot,
      erased_at: identity.clock.now.toISOString(),
    });
  });
  // The address is free again.
  expect(
    (await as(admin, 'POST', '/company/users', { email: user.email, first_name: 'A', last_name: 'B', permissions: [] }))
      .status,
  ).toBe(201);
});

test('it is done once every service that keeps names has said so, in any order and twice', async () => {
  const user = await known();
  // For somebody who is not being erased, it changes nothing. Once what came after it is done, it was consumed.
  await settle(user.id, 'ticket');
  const earlier = await known();
  await erase(earlier.id);
  for (const keeper of ['ticket', 'webhook-dispatcher']) await settle(earlier.id, keeper);
  const done = { erasure: { state: 'done', done_at: identity.clock.now.toISOString() } };
  await eventually(async () => expect((await read(earlier.id)).body).toMatchObject(done));
  await erase(user.id);
  // Data that was written late, under a credential from before the erasure.
  await identity.connection.collection<{ _id: string }>('preferences').insertOne({ _id: user.id });
  await settle(user.id, 'webhook-dispatcher');
  await settle(user.id, 'webhook-dispatcher');
  const other = await known();
  await erase(other.id);
  for (const keeper of ['ticket', 'webhook-dispatcher']) await settle(other.id, keeper);
  await eventually(async () => expect((await read(other.id)).body).toMatchObject(done));
  expect((await read(user.id)).body).toMatchObject({ erasure: { state: 'running', done_at: null } });
  await settle(user.id, 'ticket');
  await eventually(async () => expect((await read(user.id)).body).toMatchObject(done));
  await eventually(async () => expect(await namingDocuments(user)).toEqual([]));
});

test('who was erased stays so: erased again nothing happens, and nothing can be changed', async () => {
  const user = await known();
  const first = await erase(user.id);
  const again = await Promise.all([erase(user.id), eraseByPlatform(user.id)]);
  expect(again.map(({ status, body }) => [status, body])).toEqual([
    [202, first.body],
    [202, first.body],
  ]);
  const change = { first_name: 'Zénobie', active: true };
  expect(code(await as(admin, 'PATCH', `/company/users/${user.id}`, change))).toEqual([409, 'user_erased']);
  const byPlatform = await identity.byPlatform('PATCH', `/admin/users/${user.id}`, change);
  expect(code(byPlatform)).toEqual([409, 'user_erased']);
  expect(code(await as(user.login, 'PATCH', '/auth/profile', { first_name: 'Zénobie' }))).toEqual([409, 'user_erased']);
  expect(code(await as(admin, 'POST', `/company/users/${user.id}/password-link`))).toEqual([409, 'user_inactive']);
  await eventually(() => expect(erasures.filter(({ data }) => data.user.id === user.id)).toHaveLength(1));
});

test('never oneself, nobody of another company, nobody without permission; and an admin stays', async () => {
  const user = await known();
  const stranger = await identity.admin();
  expect(code(await erase(admin.id))).toEqual([409, 'user_is_oneself']);
  expect(code(await erase(user.id, stranger))).toEqual([404, 'user_not_found']);
  expect((await erase(user.id, user.login)).status).toBe(403);
  const other = await identity.user(['admin'], admin.companyId);
  const otherLogin = await identity.logIn(other.email);
  // Two admins erase each other at once.
  const answers = await Promise.all([erase(other.id), erase(admin.id, otherLogin)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(answers.map(({ body }) => body['code'])).toContain('last_admin');
  const left = answers[0]?.status === 202 ? admin.id : other.id;
  // The platform may erase the last person of a company.
  expect((await eraseByPlatform(left)).status).toBe(202);
  expect(code(await eraseByPlatform('f'.repeat(24)))).toEqual([404, 'user_not_found']);
});

test('told by a service after a restore of this database, a person is erased again', async () => {
  const user = await known();
  const event = eventFixture(userErased) as DomainEvent<UserErased>;
  const data = { ...event.data, user: { ...event.data.user, id: user.id } };
  await broker.publish([{ ...event, id: 'a-retold-erasure', data } as DomainEvent]);
  await eventually(async () => {
    expect((await read(user.id)).body).toMatchObject({ first_name: 'Erased', erasure: { state: 'running' } });
  });
  expect(await namingDocuments(user)).toEqual([]);
});
