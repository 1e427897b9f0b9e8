import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Processes, RunningProcess } from '@app/infra';

type ServerOptions = {
  processes: Processes;
  root: string;
  /** From the root of the repository. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** Arguments for Node itself. */
  nodeArguments?: string[];
  /** Answers 200 at `path` once it serves. */
  ready: { port: number; path: string };
  readyWithinMs?: number;
};

const shownAtFailure = 30;

/** Starts another server and waits until it answers. @throws Error with its last lines */
export async function startServer(options: ServerOptions): Promise<RunningProcess> {
  const { processes, root, program, env, ready, nodeArguments = [], readyWithinMs = 60_000 } = options;
  const lines: string[] = [];
  const running = processes.start({
    program: process.execPath,
    args: [...nodeArguments, join(root, program)],
    env: { ...process.env, ...env },
    cwd: root,
    rank: 4,
    graceMs: 17_000,
    output: { line: (text) => void lines.push(text) },
  });
  const failed = (why: string) => new Error(`${program} ${why}:\n${lines.slice(-shownAtFailure).join('\n')}`);
  let over = false;
  void running.exited.then(() => {
    over = true;
  });
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(ready))) {
    if (over) throw failed('ended');
    if (Date.now() > deadline) throw failed(`was not ready after ${readyWithinMs / 1000} s`);
    await pause(50);
  }
  return running;
}

function answers({ port, path }: { port: number; path: string }): Promise<boolean> {
  return new Promise((answer) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: 2_000 }, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => answer(false));
  });
}

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const ticksPerS = 100;

/** Processor time that a process has used, in milliseconds; null without /proc. */
export function cpuMs(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerS;
}

export type Memory = { residentMb: number; peakMb: number };

/** Resident memory of a process now and at its peak; null without /proc. */
export function memoryOf(pid: number): Memory | null {
  const status = readProc(pid, 'status');
  const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1] ?? 0);
  return status === null ? null : { residentMb: kb('VmRSS') / 1024, peakMb: kb('VmHWM') / 1024 };
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
