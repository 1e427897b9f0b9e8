import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startedAt } from './processes/process-identity.ts';

/**
 * Prepares what is to be at `place` in a folder beside it, which is removed in the end, so that `place` is never incomplete.
 * Folders of processes that were killed are removed too.
 */
export async function inPartialFolder<T>(place: string, prepare: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  await removeAbandoned(dirname(place));
  const folder = await mkdtemp(`${place}.partial-${process.pid}-`);
  try {
    return await prepare(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [found, pid] = /\.partial-(?:(\d+)-)?\w+$/.exec(name) ?? [];
    if (found && !(pid && startedAt(Number(pid)))) await rm(join(parent, name), { recursive: true, force: true });
  }
}
