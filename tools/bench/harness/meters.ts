import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';

const quietWithinMs = 30_000;
const lookEveryMs = 250;
/** Share of one processor: an idle platform uses less. */
const quietShare = 0.05;
/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const ticksPerS = 100;

/** Processor time that MongoDB and these processes have used so far, in milliseconds; without /proc, MongoDB alone. */
export async function cpuMs({ client }: Bench, pids: number[]): Promise<number> {
  const status = await client.db('admin').command({ serverStatus: 1 });
  const { user_time_us: user = 0, system_time_us: system = 0 } = status['extra_info'] as Record<string, number>;
  return pids.map(cpuMsOf).reduce((sum, used) => sum + used, (Number(user) + Number(system)) / 1000);
}

function cpuMsOf(pid: number): number {
  const stat = readProc(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1000) / ticksPerS;
}

/** Waits until the work that a load left behind is done, 30 s at most, so that it does not count for the next one. */
export async function untilIdle(bench: Bench, pids: number[]): Promise<void> {
  const deadline = performance.now() + quietWithinMs;
  let before = await cpuMs(bench, pids);
  while (performance.now() < deadline) {
    await pause(lookEveryMs);
    const now = await cpuMs(bench, pids);
    if (now - before <= lookEveryMs * quietShare) return;
    before = now;
  }
}

/** The resident memory of a process, in MB; 0 without /proc. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
