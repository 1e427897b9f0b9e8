import { permissions } from '@app/contracts';
import { type Member, newUser } from '../platform.ts';
import {
  callAs,
  isPublic,
  nameOf,
  type Operation,
  type Outcome,
  operations,
  outcomesOf,
  pathWith,
} from './operations.ts';
import { createResources, type Resources } from './resources.ts';

/** What every user may do, whatever its permissions: its own sign-in, profile, preferences and notifications. */
const openToAll = [
  'ts GET /auth/session',
  'ts GET /auth/sessions',
  'ts DELETE /auth/sessions',
  'ts DELETE /auth/sessions/{id}',
  'ts POST /auth/logout',
  'ts POST /auth/password',
  'ts PATCH /auth/profile',
  'ts GET /auth/preferences',
  'ts PUT /auth/preferences',
  // Of lists that they may see.
  'ts POST /exports',
  'ts GET /exports',
  'ts GET /exports/{id}',
  'ts GET /exports/{id}/file',
  'ts GET /notifications',
  'ts GET /notifications/count',
  'ts GET /notifications/stream',
  'ts POST /notifications/read',
  'ts GET /notifications/settings',
  'ts PUT /notifications/settings',
];

let guarded: Operation[];
let own: Resources;

beforeAll(async () => {
  const [all, resources] = await Promise.all([operations(), createResources()]);
  guarded = all.filter((operation) => !isPublic(operation));
  own = resources;
});

/** A colleague of the owner of these resources. */
const colleague = (...permissions: string[]) => newUser(own.owner.companyId, permissions);
const isOpen = (operation: Operation) => openToAll.includes(nameOf(operation));
const outcomesFor = (user: Member, some: Operation[]) =>
  outcomesOf(some, (operation) => callAs(user, operation, pathWith(operation, own.ids)));
const isRefused = ({ status, code }: Outcome) => status === 403 && code === 'forbidden';

test('a user without permissions gets 403 on every operation that is not open to all', async () => {
  const outcomes = await outcomesFor(
    await colleague(),
    guarded.filter((one) => !isOpen(one)),
  );
  expect(outcomes.length).toBeGreaterThan(100);
  expect(outcomes.filter((outcome) => !isRefused(outcome))).toEqual([]);
});

test.each(permissions)(
  'a user with the other permissions gets 403 on every operation that needs `%s`',
  async (needed) => {
    // `admin` has all the others in it.
    const others: string[] = permissions.filter((permission) => permission !== needed && permission !== 'admin');
    const needing = guarded.filter(
      (one) => one.permissions.includes(needed) && !one.permissions.some((two) => others.includes(two)),
    );
    const outcomes = await outcomesFor(await colleague(...others), needing);
    expect(outcomes.length).toBeGreaterThan(5);
    expect(outcomes.filter((outcome) => !isRefused(outcome))).toEqual([]);
  },
);

test('what is open to all is not refused to a user without permissions', async () => {
  const open = guarded.filter(isOpen);
  expect(open.map(nameOf).sort()).toEqual([...openToAll].sort());
  for (const operation of open) {
    // Each by a user of its own: a logout ends the session.
    const [outcome] = await outcomesFor(await colleague(), [operation]);
    expect([401, 403]).not.toContain(outcome?.status);
  }
});
