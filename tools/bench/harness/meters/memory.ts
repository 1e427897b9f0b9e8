import { setTimeout as pause } from 'node:timers/promises';
import { againstAim, decimals, figure, table, text } from '../table.ts';
import { cpuMs, memoryOf } from './processes.ts';

const residentAimMb = 150;
const restMs = 6_000;
/** Work that is delayed on purpose, such as matching an invoice again, may take so long. */
const restWithinMs = 120_000;
/** Share of one processor for all processes together: idle ones use less. */
const restShare = 0.15;

/** Waits until the processes were idle for 6 s, two minutes at most. */
export async function untilIdle(pids: readonly number[]): Promise<void> {
  const used = () => pids.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);
  for (const deadline = Date.now() + restWithinMs; Date.now() < deadline; ) {
    const before = used();
    await pause(restMs);
    if (used() - before < restMs * restShare) return;
  }
}

/** Resident and peak memory of each process after the load. */
export function memoryTable(pids: ReadonlyMap<string, number>): string {
  const rows = [...pids].map(([name, pid]) => {
    const memory = memoryOf(pid);
    if (memory === null) return [name, '', '', 'not known: this system has no /proc'];
    const { residentMb, peakMb } = memory;
    return [name, decimals(residentMb, 0), decimals(peakMb, 0), againstAim(residentMb, { most: residentAimMb }, 0)];
  });
  const columns = [text('service'), figure('resident MB'), figure('at most'), text('aim')];
  return table('Memory at rest, after the bench', columns, rows);
}
