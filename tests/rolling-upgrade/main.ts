import { join } from 'node:path';
import { createRandom } from '@app/demo';
import { parseArguments } from '../faults/arguments.ts';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Shape } from '../faults/cluster/infrastructure.ts';
import { root, runOnCluster, runToEnd, say } from '../faults/cluster/program.ts';
import type { Patience } from '../faults/load/client.ts';
import type { Ledger } from '../faults/load/ledger.ts';
import { type Work, withWork } from '../faults/load/start.ts';
import { readQueues } from '../faults/verification/server-state.ts';
import { verify } from '../faults/verification/verify.ts';
import { pollFindings } from '../faults/waiting.ts';
import { runProgram } from '../setup/run-program.ts';
import { readLogs } from './log-lines.ts';
import { startOperationsLoad } from './operations-load.ts';
import { previousRelease } from './previous-release.ts';
import { type CheckedOut, checkOut, operationNames } from './release.ts';
import { failuresOf, type Run, summaryOf } from './report.ts';
import { type Replaced, rollOut } from './rollout.ts';

export const usage = `Usage: npm run drill -- rolling-upgrade [options]

Starts the platform twice over at an earlier version on loopback, loads it, replaces its processes by those of this version and
back again, and compares the books (tests/rolling-upgrade/README.md).

  --from COMMIT   the earlier version, ${previousRelease}
  --seed N        what is drawn: the order of the services, the load; default from the clock, and printed
  --at-once N     how many processes are replaced at the same time, each of another service, 1
  --patient       repeat what is answered 503 overloaded or 504, since the machine may be slow
  --keep          keep the folder of logs also where nothing went wrong`;

type Given = { seed: number; atOnce: number; isPatient: boolean };

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
const shapeOf = (isPatient: boolean): Shape => ({
  members: 1,
  brokers: 1,
  hasSmallDisks: false,
  probeTimeoutMs: 30_000,
  settings: { DRAIN_DELAY: isPatient ? '10s' : '5s', UPSTREAM_TIMEOUT: '25s', WEBHOOK_TIMEOUT: '20s' },
});

export const run = (args: string[]) => runToEnd(() => main(args));

async function main(args: string[]): Promise<void> {
  const { values, number, seed } = parseArguments(args, {
    from: { type: 'string', default: previousRelease },
    'at-once': { type: 'string' },
    patient: { type: 'boolean', default: false },
  });
  const { from: commit, patient: isPatient, keep } = values;
  if (commit === 'HEAD')
    say('no release comes before 1.0.0: from the last commit this is trivial until there is a 1.1');
  const given: Given = { seed, atOnce: Math.ceil(number('at-once', 1)), isPatient };
  let before: CheckedOut | undefined;
  const checkOutBefore = async (dir: string) => {
    before = await checkOut({ root, commit, dir: join(dir, 'before'), say });
    say(`from ${before.title}`);
    return before;
  };
  await runOnCluster(
    { name: 'rolling-upgrade', shape: shapeOf(isPatient), seed, keep, checkOut: checkOutBefore },
    (cluster) => runOn(cluster, before as CheckedOut, given),
  );
}

/** @returns whether the promise was kept */
async function runOn(cluster: Cluster, before: CheckedOut, given: Given): Promise<boolean> {
  const { seed, isPatient } = given;
  const isLate = (seen: string) => isPatient && lateAnswers.some((one) => seen.startsWith(one));
  const patience: Patience = { goesOn: () => true, excused: () => [], isWrong: (seen) => !isLate(seen) };
  const queues = new Set((await readQueues(cluster)).map(([name]) => name));
  // Receivers that never fail: a delivery that comes twice is then not their doing.
  return withWork(cluster, { seed, accounts: 1, patience, failureShare: 0 }, async ({ ledger, accounts, load }) => {
    const operations = startOperationsLoad({
      known: operationNames(before),
      ledger,
      random: createRandom(seed),
      isLate,
    });
    const replaced = await replaceAll({ cluster, before, given, ledger });
    await Promise.all([load.stop(), operations.stop()]);
    say(`${ledger.acknowledged} writes were acknowledged; comparing the books`);
    const findings = await pollFindings(() => verify({ accounts, ledger, cluster, queues }), settleWithinMs);
    const run: Run = {
      seed,
      from: before.title,
      replaced,
      ledger,
      findings,
      operations: operations.done(),
      isPatient,
      deliveries: deliveriesOf(accounts),
      crashes: cluster.replicas.flatMap((replica) => replica.crashes()),
      lines: readLogs(join(cluster.dir, 'logs')),
    };
    say(summaryOf(run));
    return failuresOf(run).length === 0;
  });
}

type Upgrade = { cluster: Cluster; before: CheckedOut; given: Given; ledger: Ledger };

async function replaceAll({ cluster, before, given, ledger }: Upgrade): Promise<Replaced[]> {
  const { replicas } = cluster;
  const answered = () => [...ledger.statuses.values()].reduce((sum, count) => sum + count, 0);
  let reported = 0;
  const sayWithWrongs = (line: string) => {
    for (const sentence of [line, ...ledger.violations.slice(reported)]) say(sentence);
    reported = ledger.violations.length;
  };
  const options = { replicas, atOnce: given.atOnce, answered, answersBetween, say: sayWithWrongs };
  const random = createRandom(given.seed + 1);
  say(await migrate(cluster));
  const up = await rollOut({ ...options, random, to: { code: root, name: 'this version' } });
  const down = await rollOut({ ...options, random, to: before });
  return [...up, ...down];
}

/** `npm run ops -- migrate` of this version, beside the one that runs, as docs/upgrading.md says. */
function migrate({ dir, keys, mongodbUrl, namespace, rabbit }: Cluster): Promise<string> {
  const env = {
    ...process.env,
    ...keys,
    NAMESPACE: namespace,
    STACK_DIR: dir,
    MONGODB_URL: mongodbUrl,
    AMQP_URL: `amqp://127.0.0.1:${rabbit.ports[0]}`,
  };
  return runProgram('tools/ops/main.ts', ['migrate'], { root, env });
}

function deliveriesOf(accounts: Work['accounts']): string[] {
  const endpoints = accounts.flatMap(({ endpoints: { client, contractor } }) => [client, contractor]);
  return endpoints.flatMap(({ events }) => events.map(({ delivery }) => delivery));
}
