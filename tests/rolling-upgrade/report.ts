import type { Ledger } from '../faults/load/ledger.ts';
import { statusesOf, wrongsOf } from '../faults/report/report.ts';
import type { Findings } from '../faults/verification/comparisons.ts';
import type { LogLines } from './log-lines.ts';
import type { Replaced } from './rollout.ts';

/** Everything that a run found out. */
export type Run = {
  seed: number;
  from: string;
  replaced: Replaced[];
  ledger: Ledger;
  /** Calls of operations that succeeded. */
  operations: number;
  /** The ids of the deliveries that were received, once for each time. */
  deliveries: string[];
  findings: Findings;
  crashes: string[];
  lines: LogLines;
  /** Whether the machine may be so slow that services give each other up. */
  isPatient: boolean;
};

/** Everything that breaks the promise. */
export function failuresOf(run: Run): string[] {
  const refused = run.lines.refused.map((line) => `event refused: ${line}`);
  return [...wrongsOf(run), ...refused, ...(run.isPatient ? [] : logged(run.lines))];
}

const logged = ({ errors }: LogLines) => errors.map((line) => `logged as an error: ${line}`);

export function summaryOf(run: Run): string {
  const { seed, from, ledger, operations, deliveries, lines, isPatient } = run;
  const failures = failuresOf(run);
  const unknown = ledger.entries.length - ledger.acknowledged;
  const events = new Set(deliveries).size;
  return [
    `seed ${seed}: from ${from} to this version, and back`,
    `${run.replaced.length} processes were replaced`,
    `${ledger.acknowledged} writes acknowledged, ${unknown} unknown; ${operations} calls of operations`,
    `${events} events received, ${deliveries.length - events} of them again; ${lines.retries} messages handled again`,
    `answers: ${statusesOf(ledger)}`,
    ...(isPatient ? logged(lines) : []),
    ...(failures.length === 0
      ? ['nothing was refused, lost or left over']
      : [`THE PROMISE WAS NOT KEPT, ${failures.length} findings:`, ...failures.map((one) => `  ${one}`)]),
  ].join('\n');
}
