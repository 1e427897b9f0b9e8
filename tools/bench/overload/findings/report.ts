import { availableParallelism } from 'node:os';
import type { Sample } from '../../harness/load/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../../harness/table.ts';
import { isDocumented, type Times } from '../answers.ts';
import type { Findings } from './findings.ts';
import type { CallerResult } from './recovery.ts';

const refusalAimMs = 100;
const goodAimMs = 1_000;
const backAimS = 10;
/** What a small container has. */
const peakAimMb = 512;
/** As in the bench. */
const restAimMb = 150;

/** The tables of a run. */
export function reportOf(findings: Findings): string {
  const { held } = findings;
  return [
    answersTable(findings),
    refusalTable(findings),
    goodTable(findings),
    backTable(findings),
    ...(held ? [heldTable(held)] : []),
    processorTable(findings),
    memoryTable(findings),
  ].join('\n');
}

function answersTable({ times, capacity, bad, senders }: Findings): string {
  const { before } = capacity;
  const rows = Object.entries(bad.kinds)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, { count: some, p50, p99, most }]) => [
      kind,
      count(some),
      `${decimals((100 * some) / bad.asked, 1)} %`,
      ...milliseconds(p50, p99, most),
      isDocumented(kind) ? 'met' : 'MISSED',
    ]);
  const offered = bad.perSecond / before.perSecond;
  const title =
    `Offered: ${count(bad.perSecond)} requests/s, ${decimals(offered, 1)} times (asked: ${times}) the ` +
    `${count(before.perSecond)} that are served in a closed loop; ${senders.tokens} tokens, ${senders.addresses} addresses`;
  const columns = [figure('requests'), figure('share'), figure('p50 ms'), figure('p99 ms'), figure('most')];
  return table(title, [text('answer'), ...columns, text('2xx, or 429 and 503 that say when')], rows);
}

function refusalTable({ bad, held }: Findings): string {
  const row = (what: string, times: Times | null) => {
    if (!times) return [what, '0'];
    const aim = againstAim(times.p99, { most: refusalAimMs }, 0);
    return [what, count(times.count), ...milliseconds(times.p50, times.p99, times.most), `p99 ${aim}`];
  };
  const rows = [row('requests', bad.refusals)];
  if (held) rows.push(row('connections beyond the limit of an address', held.beyond.times));
  return table(
    'Time to a refusal',
    [text('refused'), figure('times'), ...['p50 ms', 'p99 ms', 'most'].map(figure), text('aim')],
    rows,
  );
}

function goodTable({ callerResults }: Findings): string {
  const row = (when: string, some: CallerResult | null) => {
    if (!some) return [];
    const aims = [
      `p99 ${againstAim(some.p99, { most: goodAimMs }, 0)}`,
      `served ${againstAim((100 * some.served) / some.asked, { least: 99 }, 0)} %`,
    ];
    return [[when, count(some.asked), count(some.served), ...milliseconds(some.p50, some.p99), aims.join(', ')]];
  };
  return table(
    'Callers within their limits',
    [text(''), figure('asked'), figure('served'), figure('p50 ms'), figure('p99 ms'), text('aims')],
    [
      ...row('alone', callerResults.alone),
      ...row('beside the overload', callerResults.overloaded),
      ...row('beside idle and dripping connections', callerResults.beside),
    ],
  );
}

function backTable({ backAfterS, capacity }: Findings): string {
  const back = backAfterS === null ? 'never seen' : `${backAfterS} s`;
  const aim = againstAim(backAfterS ?? Number.POSITIVE_INFINITY, { most: backAimS }, 0);
  const served = (sample: Sample | null) =>
    sample ? [count(sample.perSecond), ...milliseconds(sample.p50, sample.p99)] : ['refused'];
  return table(
    `After it: as before within ${back} (${aim} s)`,
    [text('closed loop'), figure('requests/s'), figure('p50 ms'), figure('p99 ms')],
    [
      ['before', ...served(capacity.before)],
      ['after', ...served(capacity.after)],
    ],
  );
}

function heldTable({ open, ended, beyond, from, until }: NonNullable<Findings['held']>): string {
  const list = (some: Record<string, number>) =>
    Object.entries(some)
      .map(([kind, times]) => `${kind}: ${count(times)}`)
      .join(', ');
  return table(
    `Idle and dripping connections, held for ${decimals((until - from) / 1000, 0)} s`,
    [figure('open, mean'), figure('fewest'), text('ended by the platform, and opened again'), text('beyond the limit')],
    [[count(open.mean), count(open.least), list(ended), list(beyond.kinds)]],
  );
}

function processorTable({ cpu, bad, good }: Findings): string {
  const rows = Object.entries(cpu.used)
    .filter(([, ms]) => ms / cpu.ms >= 0.005)
    .sort(([, a], [, b]) => b - a)
    .map(([name, ms]) => [name, decimals(ms / cpu.ms, 2), lateness(name, { bad, good })]);
  return table(
    `Processors in use while overloaded, of ${availableParallelism()}; the load is made on the same ones`,
    [text('process'), figure('processors'), text('its own lateness')],
    rows,
  );
}

/** A generator that is late offers less than it says, or in bursts. */
function lateness(name: string, of: Pick<Findings, 'bad' | 'good'>): string {
  const late = name === 'load' ? of.bad.late : name === 'good callers' ? of.good.late : null;
  return late ? `p50 ${decimals(late.p50, 1)}, p99 ${decimals(late.p99, 1)}, most ${decimals(late.most, 0)} ms` : '';
}

function memoryTable({ memory }: Findings): string {
  const { before, overloaded, beside, after } = memory;
  const rows = [...before.keys()].map((name) => {
    const [peak, atRest] = [Math.max(overloaded.get(name) ?? 0, beside.get(name) ?? 0), after.get(name) ?? 0];
    const each = [before, overloaded, beside, after].map((some) => decimals(some.get(name) ?? 0, 0));
    const aims = [
      `peak ${againstAim(peak, { most: peakAimMb }, 0)}`,
      `rest ${againstAim(atRest, { most: restAimMb }, 0)}`,
    ];
    return [name, ...each, aims.join(', ')];
  });
  const columns = ['before', 'overloaded, most', 'connections, most', 'at rest after'].map(figure);
  return table('Resident memory, MB', [text('service'), ...columns, text('aims')], rows);
}

function milliseconds(...values: number[]): string[] {
  return values.map((value) => decimals(value, 1));
}
