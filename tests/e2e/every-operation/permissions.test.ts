import { permissions } from '@app/contracts';
import { newUser } from '../platform.ts';
import { callAs, isPublic, nameOf, type Operation, operations, pathWith } from './operations.ts';
import { createResources, type Resources } from './resources.ts';

/** What every user may do, whatever its permissions: its own sign-in, profile and preferences. */
const openToAll = [
  'ts GET /auth/session',
  'ts GET /auth/sessions',
  'ts DELETE /auth/sessions/{id}',
  'ts POST /auth/logout',
  'ts POST /auth/password',
  'ts PATCH /auth/profile',
  'ts GET /auth/preferences',
  'ts PUT /auth/preferences',
];

let guarded: Operation[];
let own: Resources;

beforeAll(async () => {
  const [all, resources] = await Promise.all([operations(), createResources()]);
  guarded = all.filter((operation) => !isPublic(operation));
  own = resources;
});

/** A colleague of the owner of these resources, without any permission. */
const colleague = () => newUser(own.owner.companyId, []);
const isOpen = (operation: Operation) => openToAll.includes(nameOf(operation));

test('a user without permissions gets 403 on every operation that is not open to all', async () => {
  const user = await colleague();
  const answers: { operation: string; status: number; code: string }[] = [];
  for (const operation of guarded.filter((one) => !isOpen(one))) {
    const { status, data } = await callAs(user, operation, pathWith(operation, own.ids));
    answers.push({ operation: nameOf(operation), status, code: data.code });
  }
  expect(answers.length).toBeGreaterThan(100);
  expect(answers.filter(({ status, code }) => status !== 403 || code !== 'forbidden')).toEqual([]);
});

test.each(permissions)(
  'a user with the other permissions gets 403 on every operation that needs `%s`',
  async (needed) => {
    // `admin` has all the others in it.
    const others = permissions.filter((permission) => permission !== needed && permission !== 'admin');
    const user = await newUser(own.owner.companyId, others);
    const needing = guarded.filter(({ permission }) => permission === needed);
    const answers: { operation: string; status: number; code: string }[] = [];
    for (const operation of needing) {
      const { status, data } = await callAs(user, operation, pathWith(operation, own.ids));
      answers.push({ operation: nameOf(operation), status, code: data.code });
    }
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.filter(({ status, code }) => status !== 403 || code !== 'forbidden')).toEqual([]);
  },
);

test('what is open to all is not refused to a user without permissions', async () => {
  const open = guarded.filter(isOpen);
  expect(open.map(nameOf).sort()).toEqual([...openToAll].sort());
  for (const operation of open) {
    // Each by a user of its own: a logout ends the session.
    const { status } = await callAs(await colleague(), operation, pathWith(operation, own.ids));
    expect([nameOf(operation), status]).not.toEqual([nameOf(operation), 401]);
    expect([nameOf(operation), status]).not.toEqual([nameOf(operation), 403]);
  }
});
