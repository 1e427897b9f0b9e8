import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faults } from '../injection/faults.ts';
import { failuresOf, type Run, statusesOf } from './report.ts';

/** A run as `runs.json` keeps it. */
type Row = {
  seed: number;
  minutes: number;
  acknowledged: number;
  unknown: number;
  deliveries: number;
  /** What broke the promise, one sentence each. */
  failures: string[];
  /** Of each kind of fault: how long until everything was ready again, each time; null: not in time. */
  recoveriesMs: Record<string, (number | null)[]>;
  /** Of all processes. */
  memoryMb: { before: number; after: number };
  /** Answers that were no success, with how often. */
  statuses: string;
};

const begin = '<!-- runs -->';
const end = '<!-- end of runs -->';

/** Keeps the run in `tests/faults/report/runs.json`, in the place of an earlier one of the same seed and length, and writes all runs to the page. */
export function writePage(root: string, run: Run): void {
  const file = join(root, 'tests/faults/report/runs.json');
  const earlier = (JSON.parse(readFileSync(file, 'utf8')) as Row[]).filter(
    ({ seed, minutes }) => seed !== run.seed || minutes !== run.minutes,
  );
  const rows = [...earlier, rowOf(run)].sort((a, b) => a.seed - b.seed || a.minutes - b.minutes);
  writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
  const page = join(root, 'docs/reliability.md');
  const [before, rest = ''] = readFileSync(page, 'utf8').split(begin);
  const [, after] = rest.split(end);
  writeFileSync(page, `${before}${begin}\n\n${tablesOf(rows)}\n\n${end}${after}`);
}

function rowOf(run: Run): Row {
  const { seed, minutes, played, ledger, events, memory } = run;
  const sum = (of: (one: Run['memory'][number]) => number) => Math.round(memory.reduce((all, one) => all + of(one), 0));
  const byKind = Map.groupBy(played, ({ fault }) => fault);
  return {
    seed,
    minutes,
    acknowledged: ledger.acknowledged,
    unknown: ledger.entries.length - ledger.acknowledged,
    deliveries: events,
    failures: failuresOf(run, true),
    recoveriesMs: Object.fromEntries(
      [...byKind].map(([kind, some]) => [kind, some.map(({ recoveredMs }) => recoveredMs)]),
    ),
    memoryMb: { before: sum(({ beforeMb }) => beforeMb), after: sum(({ afterMb }) => afterMb) },
    statuses: statusesOf(ledger, /^(?!2)/),
  };
}

/** One table of the runs, one of the kinds of faults. */
function tablesOf(rows: Row[]): string {
  const runs = rows.map((row) => {
    const counts = [row.acknowledged, row.unknown, row.deliveries, row.failures.length];
    const times = Object.values(row.recoveriesMs).flat();
    return [row.seed, row.minutes, times.length, ...counts, recoveryOf(times)];
  });
  const kinds = faults.map(({ name }) => {
    const times = rows.flatMap(({ recoveriesMs }) => recoveriesMs[name] ?? []);
    return [name, times.length, recoveryOf(times)];
  });
  const again = 'ready again, p50 and longest';
  return [
    table(['seed', 'minutes', 'faults', 'acknowledged', 'unknown', 'deliveries', 'broken promises', again], runs),
    table(['fault', 'times', again], kinds),
  ].join('\n\n');
}

function recoveryOf(times: (number | null)[]): string {
  const sorted = times.map((ms) => ms ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`);
  return sorted.length === 0 ? '–' : `${seconds(sorted[Math.floor(sorted.length / 2)])}, ${seconds(sorted.at(-1))}`;
}

function table(header: string[], rows: (string | number)[][]): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}
