import { memoryOf } from './processes.ts';
import { aimed, decimals, figure, table, text } from './table.ts';

const residentAimMb = 150;

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
