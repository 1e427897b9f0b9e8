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
import { unpackPackages } from '../debian-packages.ts';
import { createProcesses } from '../processes/processes.ts';

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
