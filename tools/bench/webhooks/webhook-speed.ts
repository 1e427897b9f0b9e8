import type { Bench } from '../harness/bench.ts';
import { brokerPid, type CpuMeter, type CpuTimes, cpuUsed, createCpuMeter, peakMbOf } from '../harness/meters.ts';
import { median, quantile } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { type OwnDispatcher, startDispatcher } from './own-dispatcher.ts';
import { latenciesOf, type Receiver } from './receiver.ts';

/** `events` to each of `endpoints`, as fast as possible, or at the steady rate `perSecond`. */
type Load = {
  name: string;
  endpoints: number;
  events: number;
  perSecond?: number;
  rounds: number;
  aims: { perSecond?: number; cpuMs?: number; p50?: number; p99?: number };
};

const arriveWithinMs = 5 * 60_000;
const warmUpEvents = 2_000;

const columns = [
  text('load'),
  figure('deliveries/s'),
  figure('p50 ms'),
  figure('p95'),
  figure('p99'),
  figure('CPU: sender'),
  figure('mongod'),
  figure('broker'),
  figure('sender + mongod'),
  figure('publisher, receiver'),
  figure('MB at most'),
  text('aims'),
];

/** `latencies`: of a steady rate, else null. */
type Round = { perSecond: number; latencies: Float64Array | null; cpu: CpuTimes };

/** Deliveries/s, latency and processor time of each load. */
export async function webhookSpeed(bench: Bench, receiver: Receiver): Promise<void> {
  const broker = await brokerPid(bench);
  const rows: string[][] = [];
  for (const load of loads(Math.min(bench.rounds, 3))) {
    bench.progress(`webhooks ${load.name}, rounds: ${load.rounds}`);
    const dispatcher = await startDispatcher(bench, receiver, `bench-own${load.endpoints}-`);
    const paths = Array.from({ length: load.endpoints }, (_, index) => `/${index}`);
    const audience = [await dispatcher.createCompany(paths)];
    const meter = createCpuMeter(bench, { load: process.pid, ...broker, sender: dispatcher.pid });
    await dispatcher.publisher.burst(audience, warmUpEvents);
    await receiver.takeArrivals(warmUpEvents * load.endpoints, arriveWithinMs);
    const measured: Round[] = [];
    for (let round = 0; round < load.rounds; round++)
      measured.push(await runRound({ receiver, meter, dispatcher, audience }, load));
    rows.push(rowOf(load, measured, dispatcher.pid));
    await dispatcher.stop();
  }
  bench.print(table('Webhooks: HTTPS on loopback, processor time per delivery in milliseconds', columns, rows));
}

function loads(rounds: number): Load[] {
  return [
    { name: '(a) one endpoint', endpoints: 1, events: 20_000, rounds, aims: { perSecond: 2_000, cpuMs: 1 } },
    { name: '(b) ten endpoints', endpoints: 10, events: 2_000, rounds, aims: { perSecond: 2_500 } },
    {
      name: '(c) 100 events/s',
      endpoints: 1,
      events: 2_000,
      perSecond: 100,
      rounds: 1,
      aims: { p50: 3.5, p99: 7 },
    },
  ];
}

type Measuring = { receiver: Receiver; meter: CpuMeter; dispatcher: OwnDispatcher; audience: string[] };

/** One round: until all deliveries arrived and the sender is idle again. */
async function runRound({ receiver, meter, dispatcher, audience }: Measuring, load: Load): Promise<Round> {
  const { publisher } = dispatcher;
  await meter.untilIdle();
  const before = await meter.read();
  const started = performance.timeOrigin + performance.now();
  const { perSecond, events } = load;
  const published = perSecond
    ? await publisher.steady(audience, { perSecond, seconds: events / perSecond })
    : await publisher.burst(audience, events);
  const arrivals = await receiver.takeArrivals(events * load.endpoints, arriveWithinMs);
  await meter.untilIdle();
  const cpu = cpuUsed(before, await meter.read());
  const seconds = ((arrivals.at.at(-1) ?? started) - started) / 1000;
  const latencies = published ? latenciesOf(arrivals, published) : null;
  return { perSecond: arrivals.at.length / seconds, latencies, cpu };
}

function rowOf({ name, endpoints, events, aims }: Load, rounds: Round[], pid: number): string[] {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const latencies = rounds[0]?.latencies;
  const at = (share: number) => (latencies ? quantile(latencies, share) : 0);
  const cpu = (process: string) => median(rounds.map((round) => (round.cpu[process] ?? 0) / (events * endpoints)));
  const sum = cpu('sender') + cpu('mongod');
  const reached = [
    ...(aims.perSecond ? [`${againstAim(perSecond, { least: aims.perSecond }, 0)}/s`] : []),
    ...(aims.cpuMs ? [`CPU ${againstAim(sum, { most: aims.cpuMs })}`] : []),
    ...(aims.p50 ? [`p50 ${againstAim(at(0.5), { most: aims.p50 }, 1)}`] : []),
    ...(aims.p99 ? [`p99 ${againstAim(at(0.99), { most: aims.p99 }, 0)}`] : []),
  ];
  return [
    name,
    count(perSecond),
    ...[0.5, 0.95, 0.99].map((share) => (latencies ? decimals(at(share), 1) : '')),
    ...['sender', 'mongod', 'broker'].map((process) => decimals(cpu(process), 3)),
    decimals(sum, 2),
    decimals(cpu('load'), 3),
    decimals(peakMbOf(pid), 0),
    reached.join(', '),
  ];
}
