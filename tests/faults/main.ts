import { createRandom } from '@app/demo';
import { UsageError } from '@app/start/infra';
import { eventually } from '@app/testing';
import { newCompany, stack } from '../e2e/platform.ts';
import { parseArguments } from './arguments.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Shape } from './cluster/infrastructure.ts';
import { root, runOnCluster, runToEnd, say } from './cluster/program.ts';
import type { Fault } from './injection/fault.ts';
import { faults } from './injection/faults.ts';
import { type Form, playFaults } from './injection/schedule.ts';
import { createClient, type Patience } from './load/client.ts';
import { Ledger } from './load/ledger.ts';
import { withWork } from './load/start.ts';
import { writePage } from './report/page.ts';
import { failuresOf, type Run, summaryOf } from './report/report.ts';
import { verify } from './verification/verify.ts';
import { pollFindings } from './waiting.ts';

export const usage = `Usage: npm run drill -- faults [options]

Starts the platform twice over on loopback, loads it, lets faults happen, and compares the books (tests/faults/README.md).

  --seed N       what is drawn: the faults, whom they hit, the load; default from the clock, and printed
  --minutes N    how long faults happen, 15
  --brief        a few kinds once, in a minute, as in \`npm test\`
  --short        every short kind once, as in \`npm run test:slow\`
  --only KIND    this kind alone; may be repeated
  --keep         keep the folder of logs also if nothing is wrong
  --no-page      leave docs/reliability.md as it is`;

/** Companies with their contractors; in the brief form one. */
const mostAccounts = 2;
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
/** How many writes of each kind must be acknowledged: in a long run one a minute. The integrators go on until then. */
const leastOf = (form: Form) => (form.kind === 'long' ? Math.ceil(form.minutes) : 1);
/** On a machine so busy that the start took longer, that long: a process that was killed starts again. */
const recoveryAimMs = 30_000;
/** How long a fault may still have effects: tokens and cached values stay valid for a while. */
const effectsLastMs = 15_000;

type Given = { seed: number; form: Form; only: string[]; page: boolean };

export const run = (args: string[]) => runToEnd(() => main(args));

async function main(args: string[]): Promise<void> {
  const { values, number, seed } = parseArguments(args, {
    minutes: { type: 'string' },
    brief: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  });
  const { brief, short, only, keep } = values;
  const unknown = only.filter((name) => !faults.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new UsageError(`--only takes one of: ${faults.map(({ name }) => name).join(', ')}`);
  const form: Form =
    brief || short ? { kind: brief ? 'brief' : 'short' } : { kind: 'long', minutes: number('minutes', 15) };
  const page = form.kind === 'long' && !values['no-page'];
  await runOnCluster({ name: 'faults', shape: brief ? briefShape : shape, seed, keep }, (cluster) =>
    runOn(cluster, { seed, form, only, page }),
  );
}

/** @returns whether the promise was kept */
async function runOn(cluster: Cluster, { seed, form, only, page }: Given): Promise<boolean> {
  const startedWithinMs = performance.now();
  const excuses = createExcuses();
  let patienceEnds = Number.POSITIVE_INFINITY;
  const patience: Patience = { goesOn: () => Date.now() < patienceEnds, excused: excuses.now };
  const before = new Map(cluster.replicas.map((replica) => [replica, replica.memoryMb()]));
  const accounts = form.kind === 'brief' ? 1 : mostAccounts;
  return withWork(cluster, { seed, accounts, patience }, async ({ ledger, receivers, accounts: opened, load }) => {
    const played = await playFaults({
      world: { cluster, receivers, random: createRandom(seed), probe: await createProbe(ledger) },
      form,
      only,
      say,
      onFault: excuses.during,
    });
    say('the faults are over; the integrators finish');
    receivers.setFailureShare(0);
    patienceEnds = Date.now() + finishWithinMs;
    await load.stop({ least: leastOf(form), gaveUp: () => !patience.goesOn() });
    patienceEnds = Number.POSITIVE_INFINITY;
    say(`${ledger.acknowledged} writes were acknowledged; comparing the books`);
    const findings = await pollFindings(() => verify({ accounts: opened, ledger, cluster }), settleWithinMs);
    const isLong = form.kind === 'long';
    const run: Run = {
      seed,
      minutes: isLong ? form.minutes : 0,
      least: leastOf(form),
      recoveryAimMs: Math.max(recoveryAimMs, startedWithinMs),
      played,
      ledger,
      findings,
      notes: cluster.notes,
      events: opened.flatMap(({ endpoints: { client, contractor } }) => [...client.events, ...contractor.events])
        .length,
      crashes: cluster.replicas.flatMap((replica) => replica.crashes()),
      memory: cluster.replicas.map((replica) => ({
        name: replica.name,
        beforeMb: before.get(replica) ?? 0,
        afterMb: replica.memoryMb(),
      })),
    };
    say(summaryOf(run, isLong));
    if (page) writePage(root, run);
    return failuresOf(run, isLong).length === 0;
  });
}

/** A write and its read, by a company that has nothing to do with the load. */
async function createProbe(ledger: Ledger): Promise<() => Promise<void>> {
  const member = await eventually(() => newCompany('client'));
  const client = createClient({
    baseUrl: `${stack().ticketApi}/api/v3.0`,
    token: member.session,
    ledger: new Ledger(0),
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
