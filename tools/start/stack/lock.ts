import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from '../infra/index.ts';

/** Another launcher is running in this folder. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/** `tookOver`: the previous launcher was killed and left its lock. */
export type Lock = { release(): void; tookOver: boolean };

/**
 * Allows one launcher per folder. The lock names its process; the lock of a process that is gone is taken over.
 * @throws AlreadyRunning
 */
export function acquireLock(stackDir: string): Lock {
  mkdirSync(stackDir, { recursive: true, mode: 0o700 });
  const file = join(stackDir, 'lock');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identify(process.pid)));
  let tookOver = false;
  try {
    // Linking is atomic: it fails if the lock exists, and no one sees a half-written lock.
    while (!tryLink(mine, file)) {
      refuseIfHeld(file);
      moveAway(file, `${mine}.stale`);
      tookOver = true;
    }
  } finally {
    rmSync(mine, { force: true });
    rmSync(`${mine}.stale`, { force: true });
  }
  return { tookOver, release: () => rmSync(file, { force: true }) };
}

/** @throws AlreadyRunning if another launcher has taken the stale lock over meanwhile: its own goes back */
function moveAway(file: string, stale: string): void {
  try {
    renameSync(file, stale);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  try {
    refuseIfHeld(stale);
  } catch (error) {
    tryLink(stale, file);
    throw error;
  }
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
