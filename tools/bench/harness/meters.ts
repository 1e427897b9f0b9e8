import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findListener } from '@app/start/infra';
import type { Bench } from './bench.ts';

/** Processor time by process, in milliseconds. */
export type CpuTimes = Record<string, number>;

export type CpuMeter = {
  /** What each process has used so far; processes without /proc are left out. */
  read(): Promise<CpuTimes>;
  /** Waits until the work that a load left behind is done, 30 s at most, so that it does not count for the next one. */
  untilIdle(): Promise<void>;
};

const quietWithinMs = 30_000;
const lookEveryMs = 250;
/** Share of one processor: an idle platform without profiler uses less. */
const quietShare = 0.05;
/**
 * Under a profiler the processes never use less than `quietShare`. Then they count as idle if they
 * use at most this many times the least use seen.
 */
const nearly = 1.5;

/** @param pids processes by name; MongoDB reports its own use, as `mongod` */
export function createCpuMeter({ client }: Bench, pids: Record<string, number>): CpuMeter {
  async function read(): Promise<CpuTimes> {
    const own = Object.entries(pids).flatMap(([name, pid]) => {
      const used = cpuMs(pid);
      return used === null ? [] : [[name, used] as const];
    });
    const status = await client.db('admin').command({ serverStatus: 1 });
    const { user_time_us: user = 0, system_time_us: system = 0 } = status['extra_info'] as Record<string, number>;
    return { ...Object.fromEntries(own), mongod: (Number(user) + Number(system)) / 1000 };
  }

  let least = Number.POSITIVE_INFINITY;

  return {
    read,
    async untilIdle() {
      const deadline = Date.now() + quietWithinMs;
      let before = await read();
      for (;;) {
        await pause(lookEveryMs);
        const now = await read();
        const used = Object.values(cpuUsed(before, now)).reduce((sum, one) => sum + one, 0);
        least = Math.min(least, used);
        if (used <= Math.max(lookEveryMs * quietShare, least * nearly) || Date.now() > deadline) return;
        before = now;
      }
    },
  };
}

export function cpuUsed(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, used]) => [name, used - (before[name] ?? 0)]));
}

/** Adds the times of one round to those of the rounds before. */
export function addTimes(sum: CpuTimes, more: CpuTimes): void {
  for (const [name, used] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + used;
}

/** Milliseconds per request, largest first: `ticket 0.61, mongod 0.22`. */
export function cpuPerRequest(times: CpuTimes, requests: number): string {
  return Object.entries(times)
    .map(([name, used]) => [name, used / requests] as const)
    .filter(([, used]) => used >= 0.005)
    .sort(([, a], [, b]) => b - a)
    .map(([name, used]) => `${name} ${used.toFixed(2)}`)
    .join(', ');
}

/** The broker's process as one to be measured; none if it is another user's. */
export async function brokerPid({ platform }: Bench): Promise<{ broker?: number }> {
  const listener = (await findListener(Number(new URL(platform.amqp).port))) ?? '';
  const pid = /pid (\d+)/.exec(listener)?.[1];
  return pid ? { broker: Number(pid) } : {};
}

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const ticksPerS = 100;

/** Processor time that a process has used, in milliseconds; null without /proc. */
function cpuMs(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerS;
}

/** The most resident memory of a process so far, in MB; 0 without /proc. */
export function peakMbOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readProc(pid, 'status') ?? '')?.[1] ?? 0) / 1024;
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
