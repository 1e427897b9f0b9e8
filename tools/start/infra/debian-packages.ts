import { existsSync, globSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type FetchTools, fetchWatched, offline } from './fetch.ts';
import { inPartialFolder } from './partial-folder.ts';
import { findProgram, lastLines, run } from './processes/run.ts';

/** One file of a package, as apt names it: address, name, size and hash. */
const wanted = /^'[^']+' ([^_\s]+)_\S+ (\d+) /gm;
const dpkgStatus = '/var/lib/dpkg/status';
const withinMs = 120_000;

/**
 * Fetches Debian or Ubuntu packages and those dependencies that the machine lacks, by its own apt, which verifies
 * their hashes, and unpacks them below `place`. Nothing is installed, so no rights are needed and no daemon starts.
 * Existing files stay. @returns why it failed, if it did
 */
export async function unpackPackages(
  names: readonly string[],
  place: string,
  tools: FetchTools,
): Promise<string | undefined> {
  if (existsSync(place)) return undefined;
  if (tools.isOffline) return offline(tools);
  if (!findProgram(['apt-get']) || !findProgram(['dpkg-deb'])) return 'only Debian and Ubuntu are known here';
  return inPartialFolder(place, async (folder) => {
    const failure = await fetchInto(folder, names, tools);
    // Another `npm start` may have been faster.
    if (!failure) await rename(join(folder, 'unpacked'), place).catch(() => undefined);
    return failure;
  });
}

/** The environment that programs below `place` need. The machine's own paths come first. */
export async function environmentOf(place: string): Promise<NodeJS.ProcessEnv> {
  // Packages put libraries in both: on an installed system `/lib` is a link to `/usr/lib`.
  const libraries = ['usr/lib', 'lib'].flatMap((folder) =>
    globSync('*-linux-gnu', { cwd: join(place, folder) }).map((name) => join(place, folder, name)),
  );
  const after = (name: string, added: string[]) => {
    const all = [process.env[name], ...added].filter(Boolean);
    return all.length > 0 ? { [name]: all.join(':') } : {};
  };
  return {
    ...after(
      'PATH',
      ['usr/lib/erlang/bin', 'usr/bin'].map((path) => join(place, path)),
    ),
    ...after('LD_LIBRARY_PATH', libraries),
    ...after('PYTHONPATH', [join(place, 'usr/lib/python3/dist-packages')]),
  };
}

async function fetchInto(folder: string, names: readonly string[], tools: FetchTools): Promise<string | undefined> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages', 'unpacked']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  // Its own lists, since those of the machine may be old, and only root may renew them.
  const settings = {
    'Dir::State': folder,
    'Dir::State::status': dpkgStatus,
    'Dir::Cache': join(folder, 'cache'),
    'Debug::NoLocking': 'true',
    'Acquire::Languages': 'none',
    // apt would fetch as a user who cannot write here.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  };
  const options = ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  const apt = (args: string[]) => run('apt-get', [...options, ...args], withinMs);
  const updated = await apt(['update']);
  if (!updated.ok) return `apt-get says ${lastLines(updated.output, 2)}`;
  const planned = await apt(['-y', '--no-install-recommends', '--print-uris', 'install', ...names]);
  if (!planned.ok) return `apt-get says ${lastLines(planned.output, 2)}`;
  const files = [...planned.output.matchAll(wanted)];
  if (files.length === 0) return `${names.join(', ')}: installed already, says dpkg, and not complete`;
  const bytes = files.reduce((sum, [, , size]) => sum + Number(size), 0);
  tools.say(`  ${files.length} packages of Debian or Ubuntu, ${Math.round(bytes / 1e6)} MB; nothing is installed`);
  const args = [...options, 'download', ...files.map(([, name]) => name as string)];
  const packages = join(folder, 'packages');
  const fetched = await fetchWatched(
    { program: 'apt-get', args, folder: packages, cwd: packages, firstByteMs: 30_000, stallMs: 30_000 },
    tools,
  );
  return fetched ?? unpackAll(packages, join(folder, 'unpacked'));
}

async function unpackAll(packages: string, into: string): Promise<string | undefined> {
  const files = (await readdir(packages)).filter((name) => name.endsWith('.deb'));
  if (files.length === 0) return 'apt-get fetched nothing';
  for (const file of files) {
    const unpacked = await run('dpkg-deb', ['-x', join(packages, file), into], withinMs);
    if (!unpacked.ok) return `${file} cannot be unpacked: ${lastLines(unpacked.output, 1)}`;
  }
  return undefined;
}
