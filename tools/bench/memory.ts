import { pause } from './pause.ts';
import { cpuMs, memoryOf } from './processes.ts';
import { aimed, decimals, figure, table, text } from './table.ts';

const residentAimMb = 150;
const restMs = 6_000;
/** What a load left to do later, as the second look at an invoice does, may take so long. */
const restWithinMs = 120_000;
/** Of one processor, for all of them: idle ones use less. */
const restShare = 0.15;

/** Waits until the processes have had nothing to do for 6 s, two minutes at most. */
export async function atRest(pids: readonly number[]): Promise<void> {
  const used = () => pids.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);
  for (const deadline = Date.now() + restWithinMs; Date.now() < deadline; ) {
    const before = used();
    await pause(restMs);
    if (used() - before < restMs * restShare) return;
  }
}

/** What each process holds in memory, at rest, after all that was asked of it; and the most that it ever held. */
export function memoryTable(pids: ReadonlyMap<string, number>): string {
  const rows = [...pids].map(([name, pid]) => {
    const memory = memoryOf(pid);
    if (memory === null) return [name, '', '', 'not known: this system has no /proc'];
    const { residentMb, peakMb } = memory;
    return [name, decimals(residentMb, 0), decimals(peakMb, 0), aimed(residentMb, { most: residentAimMb }, 0)];
  });
  const columns = [text('service'), figure('resident MB'), figure('at most'), text('aim')];
  return table('Memory at rest, after the bench', columns, rows);
}
