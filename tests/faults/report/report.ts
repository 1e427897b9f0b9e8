import { type Played, sentenceOf } from '../injection/schedule.ts';
import type { Ledger } from '../load/ledger.ts';
import type { Findings } from '../verification/comparisons.ts';

/** Everything that a run found out. */
export type Run = {
  seed: number;
  minutes: number;
  /** How many writes of each kind must be acknowledged. */
  least: number;
  /** A longer recovery from a fault breaks the promise. */
  recoveryAimMs: number;
  played: Played[];
  ledger: Ledger;
  events: number;
  findings: Findings;
  crashes: string[];
  /** Resident memory of each process, MB, before the first write and once everything is quiet again. */
  memory: { name: string; beforeMb: number; afterMb: number }[];
  notes: string[];
};

/** A process warms up: its code is compiled, its caches fill. More than this is a leak. */
const memoryGrowthAim = 2;

/** Everything that breaks the promise. */
export function failuresOf(run: Run, isLong: boolean): string[] {
  const { played, memory, recoveryAimMs } = run;
  const late = played.filter(({ recoveredMs }) => recoveredMs === null || (isLong && recoveredMs > recoveryAimMs));
  return [
    ...wrongsOf(run),
    ...titled('memory', isLong ? memory.filter(hasGrown).map(memorySentence) : []),
    ...titled('not ready in time', late.map(sentenceOf)),
    ...titled('not played', played.filter(({ failure }) => failure).map(sentenceOf)),
    ...titled('without effect', played.filter(({ hadEffect, failure }) => !(hadEffect || failure)).map(sentenceOf)),
    ...titled('too few acknowledged', tooFew(run)),
  ];
}

function tooFew({ ledger, least }: Run): string[] {
  const few = [...ledger.acknowledgedByKind].filter(([, count]) => count < least);
  return few.map(([kind, count]) => `${count} of kind '${kind}', at least ${least}`);
}

/** What the verification found wrong, what answers were wrong, and which processes crashed. */
export function wrongsOf({ findings, ledger, crashes }: Pick<Run, 'findings' | 'ledger' | 'crashes'>): string[] {
  return [
    ...titled('acknowledged and lost', findings.lost),
    ...titled('made twice', findings.twice),
    ...titled('unexpected', findings.unexpected),
    ...titled('event lost', findings.eventsLost),
    ...titled('left over', findings.leftOver),
    ...titled('wrong answer', ledger.violations),
    ...titled('crash', crashes),
  ];
}

const titled = (title: string, some: string[]) => some.map((sentence) => `${title}: ${sentence}`);

export function summaryOf(run: Run, isLong: boolean): string {
  const { played, ledger, events, memory, notes } = run;
  const failures = failuresOf(run, isLong);
  const unknown = ledger.entries.length - ledger.acknowledged;
  return [
    `seed ${run.seed}: ${ledger.acknowledged} writes acknowledged, ${unknown} unknown, ${events} deliveries received`,
    `writes: ${[...ledger.acknowledgedByKind].map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
    `statuses: ${statusesOf(ledger)}`,
    `memory: ${memory.map(memorySentence).join('; ')}`,
    ...notes.map((note) => `note: ${note}`),
    ...(failures.length === 0
      ? ['nothing is wrong']
      : [`THE BOOKS DO NOT BALANCE, ${failures.length} findings:`, ...failures.map((one) => `  ${one}`)]),
    ...(failures.length === 0 ? [] : ['faults:', ...played.map((one) => `  ${sentenceOf(one)}`)]),
  ].join('\n');
}

type Memory = Run['memory'][number];

function hasGrown({ beforeMb, afterMb }: Memory): boolean {
  return afterMb > memoryGrowthAim * beforeMb;
}

function memorySentence({ name, beforeMb, afterMb }: Memory): string {
  return `${name} ${beforeMb.toFixed(0)} → ${afterMb.toFixed(0)} MB`;
}

export function statusesOf({ statuses }: Ledger, wanted = /./): string {
  const some = [...statuses].filter(([status]) => wanted.test(status)).sort(([a], [b]) => a.localeCompare(b));
  return some.map(([status, count]) => `${status}: ${count}`).join(', ');
}
