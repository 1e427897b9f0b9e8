import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { nodeEnvironment, programOf, type ServiceEntry, serviceNodeArguments } from '@app/start';
import type { Processes, RunningProcess } from '@app/start/infra';
import { isReady } from './balancer.ts';

/** One process of a service. */
export type Replica = ReturnType<typeof startReplica>;

type ReplicaOptions = {
  root: string;
  /** Where the code of the service is. */
  code: string;
  dir: string;
  name: string;
  entry: ServiceEntry;
  env: NodeJS.ProcessEnv;
  opsPort: number;
  processes: Processes;
};

/** DRAIN_DELAY and 20 s are what a service takes at most; a busy machine makes it late. */
const stopWithinMs = 120_000;
/** An orchestrator waits a moment before it starts what has ended by itself. */
const restartAfterMs = 1_000;

export function startReplica(options: ReplicaOptions) {
  const { root, dir, name, entry, opsPort, processes } = options;
  const clockFile = join(dir, 'clocks', name);
  const log = join(dir, 'logs', `${name}.log`);
  const crashes: string[] = [];
  let running: RunningProcess;
  let expected = false;
  let stopped = false;
  let code = options.code;

  function start(): void {
    // A run may be ended while a process is being replaced.
    if (stopped) return;
    appendFileSync(log, `--- started ${new Date().toISOString()}\n`);
    const preload = pathToFileURL(join(root, 'tests/faults/cluster/shifted-clock.ts')).href;
    running = processes.start({
      program: process.execPath,
      args: ['--import', preload, ...serviceNodeArguments, programOf(code, entry)],
      env: { ...nodeEnvironment(dir), ...options.env, CLOCK_FILE: clockFile },
      cwd: code,
      rank: 3,
      graceMs: 5_000,
      output: { file: log },
    });
    void watch(running);
  }

  async function watch(process: RunningProcess): Promise<void> {
    const { code, signal } = await process.exited;
    if (expected) return;
    crashes.push(`${name} ended by itself (${signal ?? `code ${code}`}) at ${new Date().toISOString()}`);
    await delay(restartAfterMs);
    if (!expected) start();
  }

  start();
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(running.pid, signal);
    } catch {
      // It has ended, and is started again.
    }
  };
  return {
    name,
    service: entry.name,
    /** Of its API; the gateway's of the second API. */
    apiPort: Number(options.env['PORT'] ?? options.env['TS_API_PORT']),
    opsPort,
    pid: (): number => running.pid,
    /** `kill -9`; started again after that time, as an orchestrator does. Resolves once it was started. */
    async kill(downMs: number): Promise<void> {
      expected = true;
      send('SIGKILL');
      await running.exited;
      await delay(downMs);
      expected = false;
      start();
    },
    /**
     * Stops it as an orchestrator does, with the time that draining takes, and starts it on that code at once. Resolves once it was
     * started. @returns how long stopping took, ms
     */
    async replace(next: string): Promise<number> {
      const begin = performance.now();
      expected = true;
      send('SIGTERM');
      const late = setTimeout(() => send('SIGKILL'), stopWithinMs);
      const { code: exitCode, signal } = await running.exited;
      clearTimeout(late);
      if (exitCode !== 0) crashes.push(`${name} did not stop cleanly after SIGTERM (${signal ?? `code ${exitCode}`})`);
      code = next;
      expected = false;
      start();
      return performance.now() - begin;
    },
    pause: (): void => send('SIGSTOP'),
    resume: (): void => send('SIGCONT'),
    /** Sets its wall clock that far off. */
    shiftClock(offsetMs: number): void {
      if (offsetMs === 0) rmSync(clockFile, { force: true });
      else writeFileSync(clockFile, String(offsetMs));
    },
    /** How often it has looked at a wrong clock since it was started. */
    looksAtWrongClock: (): number =>
      existsSync(`${clockFile}.looks`) ? Number(readFileSync(`${clockFile}.looks`, 'utf8')) : 0,
    isReady: (): Promise<boolean> => isReady(opsPort),
    memoryMb: (): number => residentMb(running.pid),
    /** A sentence for each time that it ended although nobody killed it, or did not stop cleanly. */
    crashes: (): string[] => crashes,
    stop(): Promise<void> {
      expected = true;
      stopped = true;
      send('SIGCONT');
      return running.stop();
    },
  };
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
