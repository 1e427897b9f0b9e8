import { memoryOf } from './processes.ts';
import { aimed, decimals, figure, table, text } from './table.ts';

const residentAimMb = 150;

/** What each process holds in memory after all that was asked of it. */
export function memoryTable(pids: ReadonlyMap<string, number>): string {
  const rows = [...pids].map(([name, pid]) => {
    const memory = memoryOf(pid);
    if (memory === null) return [name, '', '', 'not known: this system has no /proc'];
    const { residentMb, peakMb } = memory;
    return [name, decimals(residentMb, 0), decimals(peakMb, 0), aimed(residentMb, { most: residentAimMb }, 0)];
  });
  const columns = [text('service'), figure('resident MB'), figure('at most'), text('aim')];
  return table('Memory after the bench', columns, rows);
}
