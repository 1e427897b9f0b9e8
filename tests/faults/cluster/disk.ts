import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A folder, on a small disk of its own if this machine lets us mount one. */
export type Disk = Awaited<ReturnType<typeof makeDisk>>;

const fillerName = 'filler';

/** @param sizeMb of the disk; null: the folder is on a disk that others use */
export async function makeDisk(path: string, sizeMb: number | null) {
  await mkdir(path, { recursive: true });
  const isMounted =
    sizeMb !== null &&
    (await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', path]).then(
      () => true,
      () => false,
    ));
  return {
    path,
    /** Whether it can be filled: a folder on a disk that others use must not be. */
    canFill: isMounted,
    /** @returns what makes space again */
    async fill(): Promise<() => Promise<void>> {
      const filler = join(path, fillerName);
      writeUntilFull(filler);
      return () => rm(filler, { force: true });
    },
    unmount: async (): Promise<void> => void (isMounted && (await run('umount', ['-l', path]))),
  };
}

/** Until not even a page of memory is left. */
function writeUntilFull(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [64 * 1024, 4 * 1024]) writeChunks(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeChunks(file: number, chunk: Buffer): void {
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
