import { dirname, join, resolve } from 'node:path';
import { createRandom } from '../../tools/bench/matching/random.ts';
import { newCompany, stack } from '../e2e/platform.ts';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Shape } from './cluster/infrastructure.ts';
import { runOnCluster, runToEnd } from './cluster/program.ts';
import type { Fault } from './injection/fault.ts';
import { faults } from './injection/faults.ts';
import { playFaults } from './injection/schedule.ts';
import { openAccounts } from './load/accounts.ts';
import { createClient, type Patience } from './load/client.ts';
import { Ledger } from './load/ledger.ts';
import { startLoad } from './load/load.ts';
import { startReceivers } from './load/receivers.ts';
import { writePage } from './report/page.ts';
import { failuresOf, type Run, summaryOf } from './report/report.ts';
import { verify } from './verification/verify.ts';
import { pollFindings } from './waiting.ts';

const root = resolve(dirname(process.argv[1] ?? ''), '..', '..');
const accounts = 2;
/** A majority of each is left when one is away. */
const shape: Shape = { members: 3, brokers: 3, hasSmallDisks: true, probeTimeoutMs: 2_000, settings: {} };
/** Its faults hit no broker and no disk. */
const briefShape: Shape = { ...shape, brokers: 1, hasSmallDisks: false };
/**
 * Retries of minutes must end first: a step of an invoice that failed waits a minute, then five.
 * Longer on a busy machine.
 */
const settleWithinMs = 900_000;
/** How long the integrators repeat unfinished requests after the last fault. */
const finishWithinMs = 600_000;
/** How long a fault may still have effects: tokens and cached values stay valid for a while. */
const effectsLastMs = 15_000;

const say = (line: string) => console.log(line);

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2));
  if (!given) return say(usage);
  const unknown = given.only.filter((name) => !faults.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new TypeError(`--only takes one of: ${faults.map(({ name }) => name).join(', ')}`);
  const { seed, keep } = given;
  const shapeOfForm = given.form.kind === 'brief' ? briefShape : shape;
  await runOnCluster({ name: 'faults', root, shape: shapeOfForm, seed, keep, say }, (cluster) => runOn(cluster, given));
}

/** @returns whether the promise was kept */
async function runOn(cluster: Cluster, given: Arguments): Promise<boolean> {
  await cluster.waitUntilReady();
  say('the platform is ready');
  const ledger = new Ledger(given.seed);
  const excuses = createExcuses();
  let patienceEnds = Number.POSITIVE_INFINITY;
  const patience: Patience = { goesOn: () => Date.now() < patienceEnds, excused: excuses.now };
  const receivers = await startReceivers({ certificatesDir: join(cluster.dir, 'tls'), seed: given.seed, ledger });
  try {
    const opened = await openAccounts(accounts, { ledger, patience, receivers });
    const before = new Map(cluster.replicas.map((replica) => [replica, replica.memoryMb()]));
    const load = startLoad({
      ...{ accounts: opened, ledger, provider: cluster.provider },
      anyone: createClient({ baseUrl: stack().tsApi, token: null, ledger, patience }),
      randomOf: (worker) => createRandom(given.seed * 1_000 + worker),
    });
    const played = await playFaults({
      world: { cluster, receivers, random: createRandom(given.seed) },
      ...{ form: given.form, only: given.only, probe: await createProbe(ledger), say, onFault: excuses.during },
    });
    say('the faults are over; the integrators finish');
    receivers.setFailureShare(0);
    patienceEnds = Date.now() + finishWithinMs;
    await load.stop();
    patienceEnds = Number.POSITIVE_INFINITY;
    say(`${ledger.acknowledged} writes were acknowledged; comparing the books`);
    const findings = await pollFindings(() => verify({ accounts: opened, ledger, cluster }), settleWithinMs);
    const run: Run = {
      ...{ seed: given.seed, minutes: given.form.kind === 'long' ? given.form.minutes : 0, played, ledger, findings },
      events: opened.reduce(
        (sum, { endpoints: { client, contractor } }) => sum + client.events.length + contractor.events.length,
        0,
      ),
      crashes: cluster.replicas.flatMap((replica) => replica.crashes()),
      memory: cluster.replicas.map((replica) => ({
        name: replica.name,
        beforeMb: before.get(replica) ?? 0,
        afterMb: replica.memoryMb(),
      })),
      notes: cluster.notes,
    };
    const isLong = given.form.kind === 'long';
    say(summaryOf(run, isLong));
    if (given.page) writePage(root, run);
    return failuresOf(run, isLong).length === 0;
  } finally {
    await receivers.close();
  }
}

/** A write and its read, by a company that has nothing to do with the load. */
async function createProbe(ledger: Ledger): Promise<() => Promise<void>> {
  const member = await newCompany('client');
  const client = createClient({
    ...{ baseUrl: `${stack().ticketApi}/api/v3.0`, token: member.session, ledger: new Ledger(0) },
    patience: { goesOn: () => false, excused: () => [401] },
  });
  return async () => {
    const written = await client({
      line: 'POST /tickets',
      body: { title: ledger.newKey('probe') },
      isRepeatable: false,
    });
    if (written === 'unknown' || written.status !== 201) throw new Error('no write');
    const read = await client({ line: `GET /tickets/${written.data['ticket_id']}`, isRepeatable: true });
    if (read === 'unknown' || read.status !== 200) throw new Error('no read');
  };
}

/** Which statuses the fault of the moment excuses, and for a while after it. */
function createExcuses() {
  let excused: readonly number[] = [];
  let since = 0;
  let isOver = true;
  return {
    now: () => (isOver && Date.now() - since > effectsLastMs ? [] : excused),
    during(fault: Fault | null) {
      if (fault) excused = fault.excuses ?? (Date.now() - since > effectsLastMs ? [] : excused);
      isOver = fault === null;
      since = Date.now();
    },
  };
}

runToEnd(main);
