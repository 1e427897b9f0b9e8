import { type ChildProcess, spawn } from 'node:child_process';
import type { OrphanReaperOrder, Watched } from './orphan-reaper-process.ts';
import { resolvePackage } from './resolve-package.ts';

/**
 * Makes sure that no process outlives this one: a small process of its own that holds a pipe to
 * this one and stops every process it was given once the pipe ends, also after `kill -9`. If it
 * dies itself, it is started again.
 */
export type OrphanReaper = ReturnType<typeof startOrphanReaper>;

export function startOrphanReaper() {
  const watched = new Map<number, Watched>();
  const files = new Set<string>();
  let closing = false;
  let child = spawnOrphanReaper();

  function spawnOrphanReaper(): ChildProcess {
    const started = spawn(process.execPath, [resolvePackage('@app/start/infra/orphan-reaper-process.ts')], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: {},
      cwd: '/',
    });
    started.stdin?.on('error', () => {});
    started.once('exit', () => {
      if (closing) return;
      child = spawnOrphanReaper();
      for (const one of watched.values()) send({ watch: one });
      for (const path of files) send({ remove: path });
    });
    // Neither the reaper nor its pipe keeps a program alive that is otherwise done.
    started.unref();
    (started.stdin as unknown as { unref(): void }).unref();
    return started;
  }

  function send(order: OrphanReaperOrder): void {
    child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  return {
    watch(one: Watched): void {
      watched.set(one.pid, one);
      send({ watch: one });
    },
    forget(pid: number): void {
      watched.delete(pid);
      send({ forget: pid });
    },
    /** Removes this file, before anything else, when this process ends. */
    remove(path: string): void {
      files.add(path);
      send({ remove: path });
    },
    /** Everything still watched is killed without grace; this process may exit right after. */
    killNow(): void {
      closing = true;
      send({ killNow: true });
      child.stdin?.end();
    },
    /** Stops what is still watched, and ends the reaper. */
    async close(): Promise<void> {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.ref();
      child.stdin?.end();
      await ended;
    },
  };
}
