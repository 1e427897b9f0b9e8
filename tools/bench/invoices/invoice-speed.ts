import { makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { flushToDisk } from '../harness/in-batches.ts';
import { untilIdle } from '../harness/meters.ts';
import { median } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { until } from '../harness/until.ts';
import { type BenchProvider, startProvider } from './bench-provider.ts';
import {
  addMatchableTickets,
  type BenchInvoice,
  createInvoiceDataset,
  type InvoiceDataset,
} from './invoice-dataset.ts';
import { addPastInvoices } from './past-invoices.ts';

/** The most invoices the sandbox keeps for one account. */
const providerHolds = 20_000;
/** One in five names no order: it ends in the queue, after the longer way through matching. */
const unnamedEvery = 5;
const ticketsPerInvoice = 0.1;
const speedAim = 120;
const growthAim = 1.5;
const settleWithinMs = 5 * 60_000;

type Setup = { bench: Bench; dataset: InvoiceDataset; provider: BenchProvider };

/**
 * Invoices a second from the webhook to their final state (linked and reported, or in the queue), with few tickets and
 * invoices and with very many.
 */
export async function invoiceSpeed(bench: Bench): Promise<void> {
  const { client, platform, progress, rounds } = bench;
  const account = await makeAccount(platform, 'Bench invoices');
  const dataset = await createInvoiceDataset(client, account.caller.companyId);
  await using provider = await startProvider(bench, account);
  const stages = 2;
  const most = Math.floor(providerHolds / (stages * (rounds + 1)));
  const perRound = Math.max(unnamedEvery, Math.min(most, Math.round(bench.roundMs / 2)));
  const size = stages * (rounds + 1) * perRound;
  progress(`invoices: ${count(size)} tickets with an order, and their invoices at the provider`);
  const matchables = await addMatchableTickets(dataset, { size, name: 'N', progress });
  const invoices = matchables.map((matchable, index) => ({
    id: `b${String(index).padStart(6, '0')}`,
    matchable,
    isNamed: index % unnamedEvery !== 0,
  }));
  provider.addInvoices(invoices);
  await provider.connect();
  const work = { bench, dataset, provider };
  const few = await measure(work, invoices.slice(0, size / stages), perRound);
  await addMany(work);
  const many = await measure(work, invoices.slice(size / stages), perRound);
  print(bench, { perRound, few, many });
}

async function addMany({ bench: { million, progress }, dataset }: Setup): Promise<void> {
  const tickets = Math.round(million * ticketsPerInvoice);
  const matchables = await addMatchableTickets(dataset, { size: tickets, name: 'P', progress });
  await addPastInvoices(dataset, { size: million, matchables, progress });
  await flushToDisk(dataset.client);
}

/** The median of invoices a second over the rounds, of which the first warms up and does not count. */
async function measure(work: Setup, invoices: BenchInvoice[], perRound: number): Promise<number> {
  const { bench, provider } = work;
  const pids = Object.values(bench.platform.pids);
  const perSecond: number[] = [];
  for (let round = 0; round <= bench.rounds; round++) {
    const batch = invoices.slice(round * perRound, (round + 1) * perRound);
    bench.progress(`invoices: round ${round} of ${bench.rounds}`);
    // What follows an invoice (lines, feedback, events, the rematch) is done before the next round.
    await untilRematched(work);
    await untilIdle(bench, pids);
    const started = performance.now();
    await provider.sendWebhooks(batch.map(({ id }) => id));
    await untilProcessed(work, batch);
    if (round > 0) perSecond.push((1000 * batch.length) / (performance.now() - started));
  }
  return median(perSecond);
}

/** Waits until no invoice of the queue is due for a rematch (REMATCH_DELAY after it entered). */
async function untilRematched({ dataset: { client } }: Setup): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection('invoices');
  const marked = { rematch_at: { $gt: new Date(0) } };
  const isDone = async () => (await invoices.findOne(marked, { projection: { _id: 1 }, hint: 'rematch' })) === null;
  await until(isDone, settleWithinMs, () => 'invoices of the queue are still to be looked at again');
}

/** Waits until every invoice is in the expected state. @throws Error after 5 minutes */
async function untilProcessed({ dataset: { client, clientId } }: Setup, batch: BenchInvoice[]): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection('invoices');
  const [first, last] = [batch[0]?.id, batch.at(-1)?.id];
  const own = { client_id: clientId, provider: 'sandbox', external_id: { $gte: first, $lte: last } };
  const named = batch.filter(({ isNamed }) => isNamed).length;
  const byState = [{ $match: own }, { $group: { _id: '$state', count: { $sum: 1 } } }];
  let states = new Map<string, number>();
  const areProcessed = async () => {
    // Counted by the database, so that polling takes little of what is being measured.
    const found = await invoices.aggregate<{ _id: string; count: number }>(byState, { hint: 'key' }).toArray();
    states = new Map(found.map(({ _id, count }) => [_id, count]));
    return states.get('done') === named && (states.get('ticket_unmatched') ?? 0) === batch.length - named;
  };
  await until(areProcessed, settleWithinMs, () => {
    const seen = [...states].map(([state, those]) => `${state} ${those}`).join(', ');
    return `${named} of ${batch.length} invoices should be done, the others wait; there are: ${seen}`;
  });
}

function print(bench: Bench, { perRound, few, many }: { perRound: number; few: number; many: number }): void {
  const growth = few / many;
  const million = `${count(bench.million * ticketsPerInvoice)} tickets, ${count(bench.million)} invoices`;
  const rows = [
    ['few tickets and invoices', decimals(few, 0), againstAim(few, { least: speedAim }, 0), ''],
    [million, decimals(many, 0), '', `${decimals(growth, 2)} ${againstAim(growth, { most: growthAim }, 1)}`],
  ];
  const title = `Invoices: webhook to rest, ${count(perRound)} a round, one in ${unnamedEvery} to the queue, median of ${bench.rounds} rounds`;
  printTable(title, ['there are', 'invoices/s', 'aim', 'growth'], rows);
}
