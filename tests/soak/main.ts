import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArguments } from '../faults/arguments.ts';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Shape } from '../faults/cluster/infrastructure.ts';
import { root, runOnCluster, runToEnd, say } from '../faults/cluster/program.ts';
import { type Work, withWork } from '../faults/load/start.ts';
import { findLeftOver } from '../faults/verification/server-state.ts';
import { poll } from '../faults/waiting.ts';
import { linesOf } from './growth.ts';
import type { Sample } from './measures.ts';
import { createPace, type Pace } from './pace.ts';
import { plotOf } from './plot.ts';
import { isSteady, type Soak, sectionOf, tableOf, withSection } from './results-page.ts';
import { startSampling } from './sampler.ts';

export const usage = `Usage: npm run drill -- soak [options]

Starts the platform twice over, as npm run drill -- faults does, loads it with half of what it can do and lets nothing else happen; what
every process uses must not grow (tests/soak/README.md).

  --minutes N   how long, 60
  --rate N      steps of integrators a second; by default half of what a minute without a limit did
  --seed N      what the integrators draw; default from the clock, and printed
  --keep        keep the folder of logs also where all is well
  --no-page     leave docs/reliability.md and its image as they are`;

/** Seen from the page. */
const image = 'images/soak.svg';

/** An hour writes more than the small disks hold that faults fill. */
const shape: Shape = { members: 3, brokers: 3, hasSmallDisks: false, probeTimeoutMs: 2_000, settings: {} };
const integrators = { accounts: 2, workersPerAccount: 8, patience: { goesOn: () => true, excused: () => [] } };
const capacityMs = { warmUp: 30_000, measure: 60_000 };
/** A short run has as many samples as say something. */
const lookEveryS = 15;
const leastSamples = 40;
/** The share of samples that may fail: a sample is no promise of the platform's. */
const mayMiss = 0.05;
/** Retries of minutes must end first: a step of an invoice that failed waits a minute, then five. */
const drainWithinMs = 600_000;

export const run = (args: string[]) => runToEnd(() => main(args));

async function main(args: string[]): Promise<void> {
  const { values, number, seed } = parseArguments(args, { minutes: { type: 'string' }, rate: { type: 'string' } });
  const minutes = number('minutes', 60);
  const wantedRate = values.rate === undefined ? null : number('rate', 1);
  const pace = createPace();
  pace.setRate(wantedRate);
  await runOnCluster({ name: 'soak', shape, seed, keep: values.keep }, (cluster) =>
    withWork(cluster, { ...integrators, seed, pace: () => pace.next() }, async (work) => {
      const capacity = wantedRate === null ? await capacityOf(pace) : null;
      const rate = wantedRate ?? (capacity ?? 0) / 2;
      pace.setRate(rate);
      const { samples, ...seen } = await soakOn(cluster, work, { minutes, rate });
      const soak: Soak = { minutes, capacity, rate, samples: samples.length, ...seen };
      say(tableOf(soak.lines));
      for (const failure of soak.failures) say(failure);
      say(isSteady(soak) ? 'flat' : 'NOT FLAT, or something failed');
      if (!values['no-page']) writePage(soak, samples);
      return isSteady(soak);
    }),
  );
}

async function soakOn(cluster: Cluster, { ledger, load }: Work, { minutes, rate }: Pick<Soak, 'minutes' | 'rate'>) {
  say(`${rate.toFixed(1)} steps a second for ${minutes} minutes from now on`);
  const everyS = Math.min(lookEveryS, (60 * minutes) / leastSamples);
  const before = ledger.acknowledged;
  const { all: samples, missed, stop } = await startSampling(cluster, 1000 * everyS);
  await delay(60_000 * minutes);
  await stop();
  const writes = ledger.acknowledged - before;
  say(`${writes} writes were acknowledged; the integrators finish`);
  await load.stop();
  const left = await poll(
    () => findLeftOver(cluster),
    (some) => some.length === 0,
    drainWithinMs,
  );
  const failures = [
    ...ledger.violations,
    ...cluster.replicas.flatMap((replica) => replica.crashes()),
    ...left.map((sentence) => `left: ${sentence}`),
    ...(missed.length > mayMiss * samples.length ? missed : []).map((one) => `not seen: ${one}`),
  ];
  writeFileSync(join(cluster.dir, 'samples.json'), JSON.stringify(samples));
  return { writes, failures, samples, lines: linesOf(samples) };
}

/** Steps a second of integrators who do not rest. */
async function capacityOf(pace: Pace): Promise<number> {
  say('finding out what it can do');
  await delay(capacityMs.warmUp);
  const before = pace.taken();
  await delay(capacityMs.measure);
  const perSecond = (pace.taken() - before) / (capacityMs.measure / 1000);
  if (perSecond === 0) throw new Error('the integrators got nothing done: see the logs');
  say(`it does ${perSecond.toFixed(1)} steps of integrators a second`);
  return perSecond;
}

function writePage(soak: Soak, samples: readonly Sample[]): void {
  writeFileSync(join(root, 'docs', image), plotOf(samples));
  const page = join(root, 'docs', 'reliability.md');
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), sectionOf(soak, image)));
}
