import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../tools/bench/matching/random.ts';
import { stack } from '../e2e/platform.ts';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Shape } from '../faults/cluster/infrastructure.ts';
import { runOnCluster, runToEnd } from '../faults/cluster/program.ts';
import { type Account, openAccounts } from '../faults/load/accounts.ts';
import { createClient, type Patience } from '../faults/load/client.ts';
import { Ledger } from '../faults/load/ledger.ts';
import { type Load, startLoad } from '../faults/load/load.ts';
import { startReceivers } from '../faults/load/receivers.ts';
import { findLeftOver } from '../faults/verification/server-state.ts';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import { linesOf } from './growth.ts';
import type { Sample } from './measures.ts';
import { createPace, type Pace } from './pace.ts';
import { plotOf } from './plot.ts';
import { isSteady, type Soak, sectionOf, tableOf, withSection } from './results-page.ts';
import { startSampling } from './sampler.ts';

const root = resolve(dirname(process.argv[1] ?? ''), '..', '..');
const page = join(root, 'docs', 'reliability.md');
/** Seen from the page. */
const image = 'images/soak.svg';

/** An hour writes more than the small disks hold that faults fill. */
const shape: Shape = { members: 3, brokers: 3, hasSmallDisks: false, probeTimeoutMs: 2_000, settings: {} };
const accounts = 2;
const workersPerAccount = 8;
const startWithinMs = 600_000;
const capacityMs = { warmUp: 30_000, measure: 60_000 };
/** A short run has as many samples as say something. */
const lookEveryS = 15;
const leastSamples = 40;
/** The share of samples that may fail: a sample is no promise of the platform's. */
const mayMiss = 0.05;
/** Retries of minutes must end first: a step of an invoice that failed waits a minute, then five. */
const drainWithinMs = 600_000;

const say = (line: string) => console.log(line);

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2));
  if (!given) return say(usage);
  const { seed, keep } = given;
  await runOnCluster({ name: 'soak', root, shape, seed, keep, say }, (cluster) => runOn(cluster, given));
}

/** @returns whether nothing grew and nothing failed */
async function runOn(cluster: Cluster, given: Arguments): Promise<boolean> {
  await until(async () => (await cluster.notReady()).length === 0, startWithinMs, 'the platform does not become ready');
  // The balancers look once a second.
  await until(() => answers(stack().tsApi), startWithinMs, 'the gateway does not answer');
  say('the platform is ready');
  const ledger = new Ledger(given.seed);
  const patience: Patience = { goesOn: () => true, excused: () => [] };
  const receivers = await startReceivers({ certificatesDir: join(cluster.dir, 'tls'), seed: given.seed, ledger });
  try {
    const opened = await openAccounts(accounts, { ledger, patience, receivers });
    const { soak, samples } = await soakOn({ cluster, given, ledger, opened, patience });
    say(tableOf(soak.lines));
    for (const failure of soak.failures) say(failure);
    say(isSteady(soak) ? 'flat' : 'NOT FLAT, or something failed');
    if (given.page) writePage(soak, samples);
    return isSteady(soak);
  } finally {
    await receivers.close();
  }
}

type World = { cluster: Cluster; given: Arguments; ledger: Ledger; opened: Account[]; patience: Patience };

async function soakOn(world: World): Promise<{ soak: Soak; samples: Sample[] }> {
  const { cluster, given, ledger } = world;
  const pace = createPace();
  pace.setRate(given.rate);
  const load = startIntegrators(world, pace);
  const capacity = given.rate === null ? await capacityOf(pace) : null;
  const rate = given.rate ?? (capacity ?? 0) / 2;
  pace.setRate(rate);
  say(`${rate.toFixed(1)} steps a second for ${given.minutes} minutes from now on`);
  const everyS = Math.min(lookEveryS, (60 * given.minutes) / leastSamples);
  const before = ledger.acknowledged;
  const sampler = await startSampling(cluster, 1000 * everyS);
  await delay(60_000 * given.minutes);
  await sampler.stop();
  const writes = ledger.acknowledged - before;
  say(`${writes} writes were acknowledged; the integrators finish`);
  await load.stop();
  const left = await leftAfter(cluster);
  const failures = [
    ...ledger.violations,
    ...cluster.replicas.flatMap((replica) => replica.crashes()),
    ...left.map((sentence) => `left: ${sentence}`),
    ...(sampler.missed.length > mayMiss * sampler.all.length ? sampler.missed : []).map((one) => `not seen: ${one}`),
  ];
  writeFileSync(join(cluster.dir, 'samples.json'), JSON.stringify(sampler.all));
  const lines = linesOf(sampler.all);
  return {
    soak: { minutes: given.minutes, capacity, rate, writes, samples: sampler.all.length, lines, failures },
    samples: sampler.all,
  };
}

/** The load of `npm run faults`, with more integrators, who keep a common pace. */
function startIntegrators({ cluster, given, ledger, opened, patience }: World, pace: Pace): Load {
  return startLoad({
    ...{ accounts: opened, ledger, provider: cluster.provider, workersPerAccount, pace: () => pace.next() },
    anyone: createClient({ baseUrl: stack().tsApi, token: null, ledger, patience }),
    randomOf: (worker) => createRandom(given.seed * 1_000 + worker),
  });
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

/** What stays in outboxes and queues although nobody writes any more. */
async function leftAfter(cluster: Cluster): Promise<string[]> {
  const deadline = Date.now() + drainWithinMs;
  for (;;) {
    const left = await findLeftOver(cluster);
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(3_000);
  }
}

function writePage(soak: Soak, samples: readonly Sample[]): void {
  const file = join(root, 'docs', image);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, plotOf(samples));
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), sectionOf(soak, image)));
}

function answers(url: string): Promise<boolean> {
  return fetch(`${url}/openapi.json`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function until(check: () => Promise<boolean>, withinMs: number, otherwise: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await delay(500);
  }
}

runToEnd(main);
