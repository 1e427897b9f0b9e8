import type { Bench } from '../harness/bench.ts';
import { cpuMs, residentMb, untilIdle } from '../harness/meters.ts';
import { median, quantile } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { latenciesOf } from './receiver.ts';
import { createSubscriber, type Ends } from './subscribers.ts';

/** `events` to each of `endpoints`, as fast as possible, or at the steady rate `perSecond`. */
type Load = {
  name: string;
  endpoints: number;
  events: number;
  perSecond?: number;
  aims: { perSecond?: number; cpuMs?: number; p50?: number; p99?: number };
};

const warmUpEvents = 2_000;
const most = 3;

const loads: Load[] = [
  { name: '(a) one endpoint', endpoints: 1, events: 20_000, aims: { perSecond: 3_000, cpuMs: 0.4 } },
  { name: '(b) ten endpoints', endpoints: 10, events: 2_000, aims: { perSecond: 4_500 } },
  { name: '(c) 100 events/s', endpoints: 1, events: 2_000, perSecond: 100, aims: { p50: 3.5, p99: 7 } },
];

/** `latencies`: of a steady rate, else null. `cpu`: of the dispatcher and MongoDB. */
type Round = { perSecond: number; latencies: Float64Array | null; cpu: number };

/** Deliveries/s, latency and processor time of each load. */
export async function webhookSpeed(bench: Bench, ends: Ends): Promise<void> {
  const pid = bench.platform.pids['webhook-dispatcher'] as number;
  const rows: string[][] = [];
  for (const load of loads) {
    const rounds = load.perSecond ? 1 : Math.min(bench.rounds, most);
    bench.progress(`webhooks ${load.name}, rounds: ${rounds}`);
    const paths = Array.from({ length: load.endpoints }, (_, index) => `/${index}`);
    const audience = [await createSubscriber(bench, ends.receiver, paths)];
    await ends.publisher.burst(audience, warmUpEvents);
    await ends.receiver.takeArrivals(warmUpEvents * load.endpoints);
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await runRound(bench, ends, { pid, audience, load }));
    rows.push([...rowOf(load, measured), decimals(residentMb(pid), 0)]);
  }
  const names = ['load', 'deliveries/s', 'p50 ms', 'p99', 'CPU ms: sender + mongod', 'aims', 'MB resident'];
  printTable('Webhooks: HTTPS on loopback, processor time per delivery', names, rows);
}

type Measuring = { pid: number; audience: string[]; load: Load };

/** One round: until all deliveries arrived and the sender is idle again. */
async function runRound(bench: Bench, { publisher, receiver }: Ends, given: Measuring): Promise<Round> {
  const { pid, audience, load } = given;
  const { perSecond, events, endpoints } = load;
  await untilIdle(bench, [pid]);
  const before = await cpuMs(bench, [pid]);
  const started = performance.timeOrigin + performance.now();
  const published = perSecond
    ? await publisher.steady(audience, { perSecond, seconds: events / perSecond })
    : await publisher.burst(audience, events);
  const arrivals = await receiver.takeArrivals(events * endpoints);
  await untilIdle(bench, [pid]);
  const cpu = ((await cpuMs(bench, [pid])) - before) / arrivals.at.length;
  const seconds = ((arrivals.at.at(-1) ?? started) - started) / 1000;
  const latencies = published ? latenciesOf(arrivals, published) : null;
  return { perSecond: arrivals.at.length / seconds, latencies, cpu };
}

function rowOf({ name, aims }: Load, rounds: Round[]): string[] {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const cpu = median(rounds.map((round) => round.cpu));
  const latencies = rounds[0]?.latencies;
  const [p50, p99] = [0.5, 0.99].map((share) => (latencies ? quantile(latencies, share) : 0)) as [number, number];
  const reached = [
    aims.perSecond ? `${againstAim(perSecond, { least: aims.perSecond }, 0)}/s` : '',
    aims.cpuMs ? `CPU ${againstAim(cpu, { most: aims.cpuMs })}` : '',
    aims.p50 ? `p50 ${againstAim(p50, { most: aims.p50 }, 1)}` : '',
    aims.p99 ? `p99 ${againstAim(p99, { most: aims.p99 }, 0)}` : '',
  ];
  const shown = latencies ? [p50, p99].map((value) => decimals(value, 1)) : ['', ''];
  return [name, count(perSecond), ...shown, decimals(cpu, 2), reached.filter((one) => one !== '').join(', ')];
}
