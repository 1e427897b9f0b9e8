import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createRandom } from '../../tools/bench/matching/random.ts';
import { stack } from '../e2e/platform.ts';
import { type Cluster, startCluster } from '../faults/cluster/cluster.ts';
import type { Shape } from '../faults/cluster/infrastructure.ts';
import { runToEnd } from '../faults/cluster/program.ts';
import { type Account, openAccounts } from '../faults/load/accounts.ts';
import { createClient, type Patience } from '../faults/load/client.ts';
import { Ledger } from '../faults/load/ledger.ts';
import { startLoad } from '../faults/load/load.ts';
import { type Receivers, startReceivers } from '../faults/load/receivers.ts';
import { readQueues } from '../faults/verification/server-state.ts';
import { verify } from '../faults/verification/verify.ts';
import { pollFindings } from '../faults/waiting.ts';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import { readLogs } from './log-lines.ts';
import { migrate } from './migrate.ts';
import { startOperationsLoad } from './operations-load.ts';
import { type CheckedOut, checkOut } from './release.ts';
import { failuresOf, type Run, summaryOf } from './report.ts';
import { type Replaced, rollOut } from './rollout.ts';

const root = resolve(dirname(process.argv[1] ?? ''), '..', '..');
const accounts = 1;
const answersBetween = 30;
/** They say that the machine is slow, whatever the version. */
const lateAnswers = ['503 overloaded', '504'];
/** An event of a type that the version before does not know comes back after a minute. */
const settleWithinMs = 600_000;
/**
 * Faults of servers are the matter of tests/faults, and nothing hangs here on purpose: a process
 * that answers late is slow. So timeouts are longer than in production, and DRAIN_DELAY is as
 * there; with `--patient` it is longer too, since the balancers of a slow machine must notice that
 * a process drains.
 */
const shapeOf = ({ patient }: Arguments): Shape => ({
  ...{ members: 1, brokers: 1, hasSmallDisks: false, probeTimeoutMs: 30_000 },
  settings: { DRAIN_DELAY: patient ? '10s' : '5s', UPSTREAM_TIMEOUT: '25s', WEBHOOK_TIMEOUT: '20s' },
});

const say = (line: string) => console.log(line);

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2));
  if (!given) return say(usage);
  const dir = mkdtempSync(join(tmpdir(), 'rolling-upgrade-'));
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step().catch((error) => say(`stopping: ${error}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  let isRight = false;
  try {
    const before = await checkOut({ root, commit: given.from, dir: join(dir, 'before'), say });
    undo.push(before.remove);
    say(`seed ${given.seed}, from ${before.title}, logs in ${dir}/logs`);
    const cluster = await startCluster({ root, code: before.code, dir, shape: shapeOf(given), say });
    undo.push(cluster.stop);
    isRight = await runOn(cluster, before, given);
  } finally {
    await stop();
    if (isRight && !given.keep) rmSync(dir, { recursive: true, force: true });
    else say(`the logs of this run stay in ${dir}`);
  }
  process.exitCode = isRight ? 0 : 1;
}

/** @returns whether the promise was kept */
async function runOn(cluster: Cluster, before: CheckedOut, given: Arguments): Promise<boolean> {
  process.env['STACK_DIR'] = cluster.dir;
  await cluster.waitUntilReady();
  say('the platform is ready');
  const ledger = new Ledger(given.seed);
  const receivers = await startReceivers({ certificatesDir: join(cluster.dir, 'tls'), seed: given.seed, ledger });
  // A delivery that comes twice is then not the receiver's doing.
  receivers.setFailureShare(0);
  try {
    const run = await upgradeAndReturn({ cluster, before, given, ledger, receivers });
    say(summaryOf(run));
    return failuresOf(run).length === 0;
  } finally {
    await receivers.close();
  }
}

type Upgrade = { cluster: Cluster; before: CheckedOut; given: Arguments; ledger: Ledger; receivers: Receivers };

async function upgradeAndReturn({ cluster, before, given, ledger, receivers }: Upgrade): Promise<Run> {
  const isLate = (seen: string) => given.patient && lateAnswers.some((one) => seen.startsWith(one));
  const patience: Patience = { goesOn: () => true, excused: () => [], isWrong: (seen) => !isLate(seen) };
  const queues = new Set((await readQueues(cluster)).map(([name]) => name));
  const opened = await openAccounts(accounts, { ledger, patience, receivers });
  const random = createRandom(given.seed);
  const load = startLoad({
    ...{ accounts: opened, ledger, provider: cluster.provider },
    anyone: createClient({ baseUrl: stack().tsApi, token: null, ledger, patience }),
    randomOf: (worker) => createRandom(given.seed * 1_000 + worker),
  });
  const operations = await startOperationsLoad({ ledger, random, isLate });
  const replaced = await replaceAll({ cluster, before, given, ledger });
  await Promise.all([load.stop(), operations.stop()]);
  say(`${ledger.acknowledged} writes were acknowledged; comparing the books`);
  const findings = await pollFindings(() => verify({ accounts: opened, ledger, cluster, queues }), settleWithinMs);
  return {
    ...{ seed: given.seed, from: before.title, replaced, ledger, findings, operations: operations.done() },
    deliveries: deliveriesOf(opened),
    crashes: cluster.replicas.flatMap((replica) => replica.crashes()),
    ...{ lines: readLogs(join(cluster.dir, 'logs')), isPatient: given.patient },
  };
}

async function replaceAll({ cluster, before, given, ledger }: Omit<Upgrade, 'receivers'>): Promise<Replaced[]> {
  const { replicas } = cluster;
  const answered = () => [...ledger.statuses.values()].reduce((sum, count) => sum + count, 0);
  let reported = 0;
  const sayWithWrongs = (line: string) => {
    for (const sentence of [line, ...ledger.violations.slice(reported)]) say(sentence);
    reported = ledger.violations.length;
  };
  const options = { replicas, atOnce: given.atOnce, answered, answersBetween, say: sayWithWrongs };
  const random = createRandom(given.seed + 1);
  say(await migrate({ root, cluster }));
  const up = await rollOut({ ...options, random, to: { code: root, name: 'this version' } });
  const down = await rollOut({ ...options, random, to: before });
  return [...up, ...down];
}

function deliveriesOf(opened: Account[]): string[] {
  const endpoints = opened.flatMap(({ endpoints: { client, contractor } }) => [client, contractor]);
  return endpoints.flatMap(({ events }) => events.map(({ delivery }) => delivery));
}

runToEnd(main);
