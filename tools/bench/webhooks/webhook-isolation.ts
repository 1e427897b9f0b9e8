import type { Bench } from '../harness/bench.ts';
import { quantile } from '../harness/statistics.ts';
import { againstAim, decimals, figure, table, text } from '../harness/table.ts';
import { until } from '../harness/until.ts';
import type { Publisher } from './event-publisher.ts';
import { startDispatcher } from './own-dispatcher.ts';
import { latenciesOf, type Receiver } from './receiver.ts';

const namespace = 'bench-isolation-';
const healthy = 49;
const perEndpoint = 5;
const waiting = 5_000;
const seconds = 15;
const warmUpSeconds = 3;
const storedWithinMs = 2 * 60_000;

type Latency = { p50: number; p95: number; p99: number };

/** 50 endpoints of 50 companies, one of which hangs with thousands of deliveries waiting: latency of the other 49. */
export async function webhookIsolation(bench: Bench, receiver: Receiver): Promise<void> {
  bench.progress(`webhooks: ${healthy} endpoints beside one that hangs`);
  const dispatcher = await startDispatcher(bench, receiver, namespace);
  const { publisher } = dispatcher;
  const companies: string[] = [];
  for (let n = 0; n < healthy; n++) companies.push(await dispatcher.createCompany([`/healthy-${n}`]));
  await latencyOf(publisher, receiver, { companies, lasting: warmUpSeconds });
  const alone = await latencyOf(publisher, receiver, { companies, lasting: seconds });

  await publisher.burst([await dispatcher.createCompany(['/hang'])], waiting);
  const least = healthy * perEndpoint * (warmUpSeconds + seconds) + waiting;
  const deliveries = bench.client.db(`${namespace}webhook-dispatcher`).collection('deliveries');
  const areStored = async () => (await deliveries.countDocuments()) >= least;
  await until(areStored, storedWithinMs, () => `${least} deliveries were not stored in ${storedWithinMs} ms`);
  const beside = await latencyOf(publisher, receiver, { companies, lasting: seconds });
  const hanging = await receiver.hangingRequests();

  const columns = [text('the other 49'), figure('p50 ms'), figure('p95'), figure('p99'), text('aims')];
  const figures = ({ p50, p95, p99 }: Latency) => [p50, p95, p99].map((value) => decimals(value, 1));
  const aims = [
    `p50 ${againstAim(beside.p50, { most: 5 }, 0)}`,
    `p99 ${againstAim(beside.p99, { most: 50 }, 0)}`,
    `p99 to the one without ${againstAim(beside.p99 / alone.p99, { most: 2 }, 1)}`,
  ];
  const rows = [
    ['without the one that hangs', ...figures(alone), ''],
    [`beside it, with ${hanging} of its requests hanging`, ...figures(beside), aims.join(', ')],
  ];
  bench.print(
    table(`Isolation: ${waiting} waiting for one endpoint, ${perEndpoint} events/s each for 49`, columns, rows),
  );
}

type Steady = { companies: string[]; lasting: number };

async function latencyOf(publisher: Publisher, receiver: Receiver, { companies, lasting }: Steady): Promise<Latency> {
  const perSecond = healthy * perEndpoint;
  await receiver.takeArrivals(0, storedWithinMs);
  const published = await publisher.steady(companies, { perSecond, seconds: lasting });
  const sorted = latenciesOf(await receiver.takeArrivals(published.length, storedWithinMs), published);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}
