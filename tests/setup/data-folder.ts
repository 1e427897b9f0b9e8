import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** More than a whole test run needs at its peak, with journals and an oplog of 1 GB. */
const roomBytes = 6 * 2 ** 30;
const tmpfsType = 0x01021994;
const named = /^platform-tests-(\d+)-/;

/**
 * Creates a folder for the data of a test run: in memory if there is enough, because tests mostly wait for disk writes; else
 * in the folder for temporary files.
 */
export async function newDataFolder(memory = '/dev/shm', room = roomBytes): Promise<string> {
  const base = (await hasRoom(memory, room)) ? memory : tmpdir();
  await removeAbandoned(base);
  return mkdtemp(join(base, `platform-tests-${process.pid}-`));
}

async function hasRoom(folder: string, room: number): Promise<boolean> {
  const found = await statfs(folder).catch(() => null);
  const isMemory = found?.type === tmpfsType && process.availableMemory() > room;
  return isMemory && found.bavail * found.bsize > room;
}

/** Removes the folders of killed runs; in memory they would stay until the machine restarts. */
async function removeAbandoned(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const pid = Number(named.exec(name)?.[1] ?? process.pid);
    // Folders of other users cannot be removed.
    if (!isAlive(pid)) await rm(join(base, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
