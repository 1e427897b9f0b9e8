import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Distinguishes a process from a later one that got the same pid. `startedAt` is opaque: compare it, nothing else. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** When the process started, in the system's own terms; undefined if there is no such process. */
export function startedAt(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(pid);
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

function linuxStart(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name (field 2) stands in parentheses and may hold spaces; the state is field 3 and the start time field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended: nobody but its parent can still do anything about it.
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** The identity of the process that has this pid. @throws Error if it has already ended */
export function identify(pid: number): ProcessIdentity {
  const started = startedAt(pid);
  if (started === undefined) throw new Error(`process ${pid} ended at once`);
  return { pid, startedAt: started };
}

/** Whether this very process still runs; false for another one that has its pid by now. */
export function isAlive(identity: ProcessIdentity): boolean {
  return startedAt(identity.pid) === identity.startedAt;
}
