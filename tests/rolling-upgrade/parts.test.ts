import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRandom } from '../../tools/bench/matching/random.ts';
import type { Replica } from '../faults/cluster/replicas.ts';
import { installDependencies, samePackages } from './dependencies.ts';
import { readLogs } from './log-lines.ts';
import { checkOut } from './release.ts';
import { stepsOf } from './rollout.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rolling-upgrade-test-')));
  made.push(folder);
  return folder;
}

function write(root: string, files: Record<string, unknown>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const replicas = ['gateway', 'ticket', 'purchase'].flatMap((service) =>
  [1, 2].map((number) => ({ service, name: `${service}-${number}` }) as Replica),
);

test.each([1, 2, 3, 7])('%i at once: every process is replaced once, never two of a service together', (atOnce) => {
  const steps = stepsOf(replicas, atOnce, createRandom(5));
  expect(
    steps
      .flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(replicas.map(({ name }) => name).sort());
  for (const step of steps) {
    expect(step.length).toBeLessThanOrEqual(atOnce);
    expect(new Set(step.map(({ service }) => service)).size).toBe(step.length);
  }
});

test('the same seed gives the same order', () => {
  const order = () =>
    stepsOf(replicas, 1, createRandom(5))
      .flat()
      .map(({ name }) => name);
  expect(order()).toEqual(order());
});

const lock = (packages: object) => ({ packages: packages as Record<string, { link?: boolean }> });
const axios = { 'node_modules/axios': { version: '1.0.0' } };

test.each([
  ['a new workspace', lock({ ...axios, 'libs/new': {}, 'node_modules/@app/new': { link: true } }), true],
  ['a new package', lock({ ...axios, 'node_modules/joi': { version: '18.0.0' } }), false],
  ['another version', lock({ 'node_modules/axios': { version: '1.0.1' } }), false],
  ['a tool for development', lock({ ...axios, 'node_modules/jest': { version: '30.0.0', dev: true } }), true],
  ['another version below a workspace', lock({ ...axios, 'libs/a/node_modules/axios': { version: '2.0.0' } }), false],
])('whether packages are the same after %s', (_what, changed, expected) => {
  expect(samePackages(lock(axios), changed)).toBe(expected);
});

test('linked packages are those of this version, linked workspaces those of the version before', async () => {
  const [from, to] = [newFolder(), newFolder()];
  for (const root of [from, to])
    write(root, {
      'package-lock.json': lock({
        ...axios,
        'node_modules/@other/package': {},
        'node_modules/@other/verifier': { link: true },
        'node_modules/for-another-system': {},
      }),
      'libs/kernel/package.json': { name: '@app/kernel' },
      'libs/verifier/package.json': { name: '@other/verifier' },
      'services/ticket/package.json': { name: '@app/ticket' },
      'tools/start/package.json': { name: '@app/start' },
    });
  write(from, {
    'node_modules/axios/index.js': '',
    'node_modules/@other/package/index.js': '',
    'libs/kernel/node_modules/nested/index.js': '',
  });
  symlinkSync('../../libs/verifier', join(from, 'node_modules/@other/verifier'));
  await installDependencies({ from, to, say: () => undefined });
  expect(readlinkSync(join(to, 'node_modules/axios'))).toBe(join(from, 'node_modules/axios'));
  expect(readlinkSync(join(to, 'node_modules/@other/package'))).toBe(join(from, 'node_modules/@other/package'));
  expect(realpathSync(join(to, 'node_modules/@app/kernel'))).toBe(join(to, 'libs/kernel'));
  expect(realpathSync(join(to, 'node_modules/@other/verifier'))).toBe(join(to, 'libs/verifier'));
  expect(realpathSync(join(to, 'libs/kernel/node_modules/nested'))).toBe(join(from, 'libs/kernel/node_modules/nested'));
});

test('a version that the history lacks is a failure that says how to fetch it', async () => {
  const [origin, clones] = [newFolder(), newFolder()];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd,
      encoding: 'utf8',
    });
  git(origin, 'init', '--quiet');
  for (const message of ['first', 'second']) git(origin, 'commit', '--quiet', '--allow-empty', '--message', message);
  git(clones, 'clone', '--quiet', '--depth', '1', `file://${origin}`, 'shallow');
  const first = git(origin, 'rev-parse', 'HEAD~1').trim();
  const checkedOut = (root: string, commit: string) =>
    checkOut({ root, commit, dir: join(clones, 'before'), say: () => undefined });
  await expect(checkedOut(join(clones, 'shallow'), first)).rejects.toThrow('git fetch --unshallow');
  await expect(checkedOut(origin, '0123456789')).rejects.toThrow('has no commit 0123456789');
  await expect(checkedOut(clones, first)).rejects.toThrow('is no clone with git');
});

test('the logs of a run are searched for errors that nobody asked for, and for messages handled again', () => {
  const folder = newFolder();
  const refused =
    '08:00:03.000 warn message will be retried {"error":{"message":"ticket.assigned.v1: \\"version\\" is required"}}';
  const lines = [
    '08:00:00.000 info ready {}',
    '08:00:01.000 error it broke {}',
    '08:00:01.000 error given up {"reason":"the provider refused (422): this failure was asked for"}',
    '08:00:02.000 warn message will be retried {}',
    refused,
  ];
  write(folder, { 'ticket-1.log': lines.join('\n') });
  expect(readLogs(folder)).toEqual({
    errors: ['ticket-1.log: 08:00:01.000 error it broke {}'],
    retries: 2,
    refused: [`ticket-1.log: ${refused}`],
  });
});
