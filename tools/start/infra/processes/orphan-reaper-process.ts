import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isAlive, type ProcessIdentity, startedAt } from './process-identity.ts';

/**
 * The program that outlives a launcher that died, and stops what it started. It reads lines of JSON from the launcher;
 * the end of that pipe, for whatever reason, is the launcher's end. Erasable TypeScript and Node's own modules only.
 */
export type Watched = ProcessIdentity & {
  /** Stopped in descending order: what depends on others has the higher rank. */
  rank: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  /** A command that removes what a kill leaves, such as a container. */
  cleanup?: string[];
};
export type OrphanReaperOrder = { watch: Watched } | { forget: number } | { remove: string } | { killNow: true };

const pollMs = 50;

function main(): void {
  const watched = new Map<number, Watched>();
  const files = new Set<string>();
  // Whatever is sent to a terminal or a group must not end this process before its work is done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let graceFactor = 1;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const order = JSON.parse(line) as OrphanReaperOrder;
    if ('watch' in order) watched.set(order.watch.pid, order.watch);
    if ('forget' in order) watched.delete(order.forget);
    if ('remove' in order) files.add(order.remove);
    if ('killNow' in order) graceFactor = 0;
  });
  lines.on('close', () => {
    for (const path of files) rmSync(path, { force: true });
    void stopAll([...watched.values()], graceFactor);
  });
}

async function stopAll(watched: Watched[], graceFactor: number): Promise<void> {
  const ranks = [...new Set(watched.map(({ rank }) => rank))].sort((a, b) => b - a);
  for (const rank of ranks) {
    const together = watched.filter((one) => one.rank === rank);
    await Promise.all(together.map((one) => stop(one, one.graceMs * graceFactor)));
  }
  process.exit(0);
}

async function stop(one: Watched, graceMs: number): Promise<void> {
  // The pid belongs to someone else by now: the one that was watched has ended, and its group with it.
  const another = startedAt(one.pid) !== undefined && !isAlive(one);
  if (!another) {
    signal(isAlive(one) ? one.pid : -one.pid, 'SIGTERM');
    await until(() => !groupExists(one.pid) || !isAlive(one), graceMs);
    signal(-one.pid, 'SIGKILL');
    await until(() => !groupExists(one.pid), 2_000);
  }
  const [command, ...args] = one.cleanup ?? [];
  if (command) await new Promise<void>((done) => execFile(command, args, { timeout: 30_000 }, () => done()));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile, which is what is wanted.
  }
}

function groupExists(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition() && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, pollMs));
}

main();
