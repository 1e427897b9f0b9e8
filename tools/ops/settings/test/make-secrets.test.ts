import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { makeSecrets } from '../make-secrets.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'made');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const contents = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );

test('secrets are new each time, in a folder that only its owner enters', () => {
  makeSecrets(folder);
  const first = contents();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
  makeSecrets(folder);
  expect(Object.keys(contents())).toEqual(Object.keys(first));
  const made = Object.entries(contents()).filter(([name, content]) => content !== '\n' && name !== 'rabbitmq.conf');
  expect(made.length).toBeGreaterThan(10);
  for (const [name, content] of made) expect([name, content]).not.toEqual([name, first[name]]);
});

test('what is there stays; what is missing is made to fit it', () => {
  makeSecrets(folder);
  const before = contents();
  rmSync(join(folder, 'SESSION_KEYS'));
  rmSync(join(folder, 'ticket/MONGODB_URL'));
  expect(makeSecrets(folder).sort()).toEqual(['SESSION_KEYS', 'ticket/MONGODB_URL']);
  const made = ['SESSION_KEYS', 'ticket/MONGODB_URL', 'mongodb-users.json'];
  const others = (all: Record<string, string>) => Object.entries(all).filter(([name]) => !made.includes(name));
  expect(others(contents())).toEqual(others(before));
  expect(makeSecrets(folder)).toEqual([]);
});

test('users have the passwords that their services are given, also those that somebody has entered', () => {
  makeSecrets(folder);
  const entered = join(folder, 'ticket/AMQP_URL');
  rmSync(entered);
  writeFileSync(entered, 'amqp://ticket:enter%40ed@rabbitmq:5672\n');
  makeSecrets(folder);
  const { users, topic_permissions: topics } = JSON.parse(contents()['rabbitmq-definitions.json'] ?? '');
  expect(users).toContainEqual({ name: 'ticket', password: 'enter@ed', tags: '' });
  expect(topics).toContainEqual(expect.objectContaining({ user: 'ticket', exchange: 'domain-events' }));
  const databases = JSON.parse(contents()['mongodb-users.json'] ?? '') as { name: string; password: string }[];
  for (const { name, password } of databases)
    expect(contents()[`${name}/MONGODB_URL`]).toContain(`//${name}:${password}@`);
});

test('half of the pair of internal keys is never made up', () => {
  makeSecrets(folder);
  rmSync(join(folder, 'INTERNAL_TOKEN_PUBLIC_KEYS'));
  expect(() => makeSecrets(folder)).toThrow('INTERNAL_TOKEN_PUBLIC_KEYS');
});
