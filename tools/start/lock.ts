import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from '@app/infra';

/** Another launcher runs in this folder. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

export type Lock = { release(): void /** The launcher before us did not stop in order. */; tookOver: boolean };

/**
 * One launcher per folder. The lock holds who has it; one whose holder is gone is taken over.
 * @throws AlreadyRunning
 */
export function takeLock(stackDir: string): Lock {
  mkdirSync(stackDir, { recursive: true, mode: 0o700 });
  const file = join(stackDir, 'lock');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identify(process.pid)));
  let tookOver = false;
  try {
    // Linking fails where the lock exists, and never shows a lock that is only half written.
    while (!tryLink(mine, file)) {
      refuseIfHeld(file);
      renameSync(file, `${mine}.stale`);
      tookOver = true;
    }
  } finally {
    rmSync(mine, { force: true });
    rmSync(`${mine}.stale`, { force: true });
  }
  return { tookOver, release: () => rmSync(file, { force: true }) };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function refuseIfHeld(file: string): void {
  const holder = readHolder(file);
  if (holder && isAlive(holder)) {
    throw new AlreadyRunning(
      `The platform of this folder is already running (pid ${holder.pid}). Stop it with Ctrl-C in its terminal, or ` +
        `kill ${holder.pid}. A second one needs a clone of its own, and --port-base.`,
    );
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
