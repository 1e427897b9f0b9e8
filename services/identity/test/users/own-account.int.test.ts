import type { UserSnapshot } from '@app/contracts';
import { fieldsAtFault, type Login, useIdentity } from '../identity.ts';

const identity = useIdentity();
let user: UserSnapshot;
let mine: Login;
beforeEach(async () => {
  user = await identity.user([]);
  mine = await identity.logIn(user.email);
});

const call = (method: string, path: string, body?: unknown) => identity.as(mine, method, path, body);
const stored = () => identity.connection.collection<{ _id: string }>('users').findOne({ _id: user.id });

test('whoever is logged in changes their own name and phone, under the next version, and nothing else', async () => {
  const answer = await call('PATCH', '/auth/profile', { first_name: 'Augusta', phone: '+33 1' });
  const { id, email, last_name } = user;
  expect(answer).toMatchObject({ status: 200, body: { id, email, first_name: 'Augusta', last_name, phone: '+33 1' } });
  expect(await stored()).toMatchObject({ version: 1, first_name: 'Augusta', permissions: [], active: true });
  for (const body of [{ permissions: ['admin'] }, { email: 'x@y.test' }, { active: true }, { first_name: '' }, {}]) {
    expect((await call('PATCH', '/auth/profile', body)).status).toBe(422);
  }
  expect(await stored()).toMatchObject({ version: 1, permissions: [] });
});

test('preferences are one’s own, empty at first, and replaced as a whole', async () => {
  const none = { locale: null, time_zone: null, views: {} };
  expect((await call('GET', '/auth/preferences')).body).toEqual(none);
  const wanted = { locale: 'fr-fr', time_zone: 'Europe/Paris', views: { 'tickets.$mine': { status: ['opened'] } } };
  const shown = { ...wanted, locale: 'fr-FR' };
  expect((await call('PUT', '/auth/preferences', wanted)).body).toEqual(shown);
  expect((await call('GET', '/auth/preferences')).body).toEqual(shown);
  const other = await identity.logIn((await identity.user([])).email);
  expect((await identity.call('GET', '/auth/preferences', { as: other.principal })).body).toEqual(none);
  await call('PUT', '/auth/preferences', { time_zone: 'UTC' });
  expect((await call('GET', '/auth/preferences')).body).toEqual({ ...none, time_zone: 'UTC' });
});

test.each([
  ['an unknown language', 'locale', 'French!'],
  ['an unknown time zone', 'time_zone', 'Mars/Olympus'],
  ['too much', 'views', { big: 'x'.repeat(16_384) }],
  ['no object', 'views', 'none'],
  ['an unknown name', 'theme', 'dark'],
])('preferences with %s are refused by name', async (_fault, field, value) => {
  const answer = await call('PUT', '/auth/preferences', { [field]: value });
  expect(answer.status).toBe(422);
  expect(fieldsAtFault(answer)).toEqual([field]);
  expect((await call('GET', '/auth/preferences')).body).toEqual({ locale: null, time_zone: null, views: {} });
});
