import { whoListens } from '@app/infra';
import { MongoClient } from 'mongodb';
import { makeAccount } from './accounts.ts';
import type { Bench } from './bench.ts';
import { between, type CpuMeter, type CpuTimes, cpuPerRequest, createCpuMeter } from './cpu-meter.ts';
import { addOldInvoices } from './invoice-population.ts';
import { type BenchProvider, startProvider } from './invoice-provider.ts';
import { queueDepth } from './invoice-queue.ts';
import { addJobs, type Job, makeWorld, type World } from './invoice-world.ts';
import { onDisk } from './on-disk.ts';
import { pause } from './pause.ts';
import { median } from './statistics.ts';
import { aimed, count, decimals, figure, table, text } from './table.ts';

/** What the sandbox keeps of one account. */
const providerHolds = 20_000;
/** One in five names no order: it ends in the queue, and takes the longer way of the matching. */
const unnamedEvery = 5;
const ticketsPerInvoice = 0.1;
const speedAim = 150;
const growthAim = 1.5;
const lookEveryMs = 100;
const settleWithinMs = 5 * 60_000;
const progressEvery = 100_000;

type Told = { id: string; job: Job; isNamed: boolean };
type Stage = { perSecond: number[]; cpu: CpuTimes };
type Work = { bench: Bench; world: World; provider: BenchProvider; meter: CpuMeter };

/**
 * Invoices from the webhook to where they rest (on their ticket, with the provider told; or in the queue), with few tickets
 * and invoices there and with very many; and a page of the queue, however deep.
 */
export async function invoiceSpeed(bench: Bench): Promise<void> {
  const { platform, rounds } = bench;
  const client = await MongoClient.connect(platform.mongodb);
  bench.atEnd(() => client.close());
  const account = await makeAccount(platform, 'Bench invoices');
  const world = await makeWorld(client, account.caller.companyId);
  const provider = await startProvider(bench, account);
  const stages = 2;
  const most = Math.floor(providerHolds / (stages * (rounds + 1)));
  const perRound = Math.max(unnamedEvery, Math.min(most, Math.round(bench.roundMs / 2)));
  const size = stages * (rounds + 1) * perRound;
  bench.progress(`invoices: ${count(size)} tickets with an order, and their invoices at the provider`);
  const jobs = await addJobs(world, { size, name: 'N', progress: () => undefined });
  const told = jobs.map((job, index) => toldOf(job, index));
  await provider.put(told);
  await provider.connect();
  const listener = (await whoListens(Number(new URL(platform.amqp).port))) ?? '';
  const broker = /pid (\d+)/.exec(listener)?.[1];
  const pids = { ...platform.pids, provider: provider.pid, ...(broker ? { broker: Number(broker) } : {}) };
  const work = { bench, world, provider, meter: createCpuMeter({ pids, client }) };
  const few = await measure(work, told.slice(0, size / stages), perRound);
  await addMany(work);
  const many = await measure(work, told.slice(size / stages), perRound);
  show(bench, { perRound, few, many });
  await queueDepth(bench, account);
}

function toldOf(job: Job, index: number): Told {
  return { id: `b${String(index).padStart(6, '0')}`, job, isNamed: index % unnamedEvery !== 0 };
}

async function addMany({ bench, world }: Work): Promise<void> {
  const said = (what: string, size: number) => (done: number) =>
    done % progressEvery === 0 && bench.progress(`invoices: ${count(done)} of ${count(size)} ${what}`);
  const tickets = Math.round(bench.million * ticketsPerInvoice);
  const jobs = await addJobs(world, { size: tickets, name: 'P', progress: said('tickets', tickets) });
  const size = bench.million;
  await addOldInvoices(world, { size, jobs, progress: said('invoices', size) });
  await onDisk(world.client);
}

async function measure(work: Work, told: Told[], perRound: number): Promise<Stage> {
  const { bench, provider, meter } = work;
  const stage: Stage = { perSecond: [], cpu: {} };
  for (let round = 0; round <= bench.rounds; round++) {
    const batch = told.slice(round * perRound, (round + 1) * perRound);
    bench.progress(`invoices: round ${round} of ${bench.rounds}`);
    await lookedAgain(work);
    await meter.quiet();
    const before = await meter.read();
    const started = performance.now();
    await provider.tell(batch.map(({ id }) => id));
    await atRest(work, batch);
    const seconds = (performance.now() - started) / 1000;
    // What follows by itself (lines, feedback, events, the second look at the queue) is part of the work too: its processor
    // time counts, and it is over before the next round begins.
    await lookedAgain(work);
    await meter.quiet();
    // The first round warms up and does not count.
    if (round === 0) continue;
    stage.perSecond.push(batch.length / seconds);
    for (const [name, used] of Object.entries(between(before, await meter.read())))
      stage.cpu[name] = (stage.cpu[name] ?? 0) + used;
  }
  return stage;
}

/** No invoice of the queue is still to be looked at again (REMATCH_DELAY after it came there). */
async function lookedAgain({ world: { client } }: Work): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection('invoices');
  const marked = { rematch_at: { $gt: new Date(0) } };
  const deadline = performance.now() + settleWithinMs;
  while ((await invoices.findOne(marked, { projection: { _id: 1 }, hint: 'rematch' })) !== null) {
    if (performance.now() > deadline) throw new Error('invoices of the queue are still to be looked at again');
    await pause(lookEveryMs);
  }
}

/** Every invoice is where it belongs. @throws Error where one came to another place, or none within 5 minutes */
async function atRest({ world: { client, clientId } }: Work, batch: Told[]): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection('invoices');
  const [first, last] = [batch[0]?.id, batch.at(-1)?.id];
  const own = { client_id: clientId, provider: 'sandbox', external_id: { $gte: first, $lte: last } };
  const named = batch.filter(({ isNamed }) => isNamed).length;
  const deadline = performance.now() + settleWithinMs;
  const byState = [{ $match: own }, { $group: { _id: '$state', count: { $sum: 1 } } }];
  for (;;) {
    // Counted there, so that to look takes little of what is being measured.
    const found = await invoices.aggregate<{ _id: string; count: number }>(byState, { hint: 'key' }).toArray();
    const states = new Map(found.map(({ _id, count }) => [_id, count]));
    const [done, waiting] = ['done', 'ticket_unmatched'].map((state) => states.get(state) ?? 0);
    if (done === named && waiting === batch.length - named) return;
    if (performance.now() > deadline) {
      const seen = [...states].map(([state, those]) => `${state} ${those}`).join(', ');
      throw new Error(`${named} of ${batch.length} invoices should be done, the others wait; there are: ${seen}`);
    }
    await pause(lookEveryMs);
  }
}

function show(bench: Bench, { perRound, few, many }: { perRound: number; few: Stage; many: Stage }): void {
  const [fewer, more] = [median(few.perSecond), median(many.perSecond)];
  const growth = fewer / more;
  const cpu = (stage: Stage) => cpuPerRequest(stage.cpu, perRound * bench.rounds);
  const tickets = count(bench.million * ticketsPerInvoice);
  const rows = [
    ['few tickets and invoices', decimals(fewer, 0), aimed(fewer, { least: speedAim }, 0), '', cpu(few)],
    [
      ...[`${tickets} tickets, ${count(bench.million)} invoices`, decimals(more, 0), ''],
      `${decimals(growth, 2)} ${aimed(growth, { most: growthAim }, 1)}`,
      cpu(many),
    ],
  ];
  const columns = [
    ...[text('there are'), figure('invoices/s'), text('aim'), text('growth')],
    text('processor time an invoice, ms'),
  ];
  const title = `Invoices: webhook to rest, ${count(perRound)} a round, one in ${unnamedEvery} to the queue, median of ${bench.rounds} rounds`;
  bench.print(table(title, columns, rows));
}
