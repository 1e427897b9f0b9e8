import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasImage } from '../../infra/docker.ts';
import { fetchWatched } from '../../infra/fetch.ts';
import { findMongod } from '../../infra/mongo/mongod.ts';
import { createProcesses } from '../../infra/processes/processes.ts';
import { mongodVersion, mongodWheel } from '../../infra/versions.ts';

const folder = mkdtempSync(join(tmpdir(), 'a cache '));
const processes = createProcesses();
afterAll(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

const fetching = (script: string, waitMs: number) => {
  const into = mkdtempSync(join(folder, 'into '));
  const watched = { program: '/bin/sh', args: ['-c', script], folder: into, firstByteMs: waitMs, stallMs: waitMs };
  return fetchWatched(watched, { processes, say: () => {} });
};

test.each([
  ['comes', 'echo all > "$TMPDIR/file"', undefined, 60_000],
  ['fails', 'echo first; echo no such host >&2; exit 1', 'no such host', 60_000],
  ['never begins', 'sleep 60', 'nothing comes', 400],
  ['stalls', 'echo some > "$TMPDIR/file"; sleep 60', 'nothing comes', 400],
])('a download that %s', async (_, script, failure, waitMs) => expect(await fetching(script, waitMs)).toBe(failure));

test('a program in the cache that does not run is passed over', async () => {
  const wheel = `${mongodWheel.name}-${mongodWheel.version}`;
  for (const [name, script] of Object.entries({ [mongodVersion]: 'exit 1', [wheel]: 'exit 0' })) {
    const place = join(folder, 'programs', `mongod-${name}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'mongod'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(place, 'mongod'), 0o755);
  }
  const found = await findMongod(join(folder, 'programs'), { processes, say: () => {} });
  expect(found.program).toBe(join(folder, 'programs', `mongod-${wheel}`, 'mongod'));
  expect(readdirSync(join(folder, 'programs')).filter((name) => name.includes('partial'))).toEqual([]);
});

test.each([
  ['is there', 'image', true, []],
  ['can be pulled', 'pull', true, ['pulling the image mongo:8 …']],
  [
    'cannot be pulled',
    'none',
    false,
    ['pulling the image mongo:8 …', 'Docker answers, but mongo:8 cannot be pulled (no such host): looking further'],
  ],
])('an image that %s', async (_, works, found, said) => {
  const docker = join(mkdtempSync(join(folder, 'docker ')), 'docker');
  writeFileSync(docker, `#!/bin/sh\n[ "$1" = ${works} ] && exit 0\necho no such host >&2\nexit 1\n`, { mode: 0o755 });
  const lines: string[] = [];
  expect(await hasImage(docker, 'mongo:8', { say: (line) => lines.push(line) })).toBe(found);
  expect(lines).toEqual(said);
});
