import type { Bench } from '../harness/bench.ts';
import { quantile } from '../harness/statistics.ts';
import { againstAim, decimals, printTable } from '../harness/table.ts';
import { until } from '../harness/until.ts';
import { latenciesOf } from './receiver.ts';
import { createSubscriber, type Ends } from './subscribers.ts';

const healthy = 49;
const perEndpoint = 5;
const waiting = 5_000;
const seconds = 15;
const warmUpSeconds = 3;
const storedWithinMs = 2 * 60_000;

/** 50 endpoints of 50 companies, one of which hangs with thousands of deliveries waiting: latency of the other 49. */
export async function webhookIsolation(bench: Bench, ends: Ends): Promise<void> {
  bench.progress(`webhooks: ${healthy} endpoints beside one that hangs`);
  const companies: string[] = [];
  for (let n = 0; n < healthy; n++) companies.push(await createSubscriber(bench, ends.receiver, [`/healthy-${n}`]));
  await latencyOf(ends, companies, warmUpSeconds);
  const alone = await latencyOf(ends, companies, seconds);

  const deliveries = bench.client.db('webhook-dispatcher').collection('deliveries');
  const least = (await deliveries.estimatedDocumentCount()) + waiting;
  await ends.publisher.burst([await createSubscriber(bench, ends.receiver, ['/hang'])], waiting);
  const areStored = async () => (await deliveries.estimatedDocumentCount()) >= least;
  await until(areStored, storedWithinMs, () => `${waiting} deliveries were not stored in ${storedWithinMs} ms`);
  const beside = await latencyOf(ends, companies, seconds);
  const hanging = ends.receiver.hangingRequests();

  const aims = [
    `p50 ${againstAim(beside.p50, { most: 5 }, 0)}`,
    `p99 ${againstAim(beside.p99, { most: 50 }, 0)}`,
    `p99 to the one without ${againstAim(beside.p99 / alone.p99, { most: 2 }, 1)}`,
  ];
  const rows = [
    ['without the one that hangs', decimals(alone.p50, 1), decimals(alone.p99, 1), ''],
    [
      `beside it, with ${hanging} of its requests hanging`,
      decimals(beside.p50, 1),
      decimals(beside.p99, 1),
      aims.join(', '),
    ],
  ];
  const title = `Isolation: ${waiting} waiting for one endpoint, ${perEndpoint} events/s each for 49`;
  printTable(title, ['the other 49', 'p50 ms', 'p99', 'aims'], rows);
}

async function latencyOf({ publisher, receiver }: Ends, companies: string[], lasting: number) {
  await receiver.takeArrivals(0);
  const published = await publisher.steady(companies, { perSecond: healthy * perEndpoint, seconds: lasting });
  const sorted = latenciesOf(await receiver.takeArrivals(published.length), published);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}
