import { findListener, freePort } from '@app/infra';
import { newId } from '@app/kernel';
import { MongoClient } from 'mongodb';
import type { Bench } from '../harness/bench.ts';
import { median, quantile } from '../harness/load/statistics.ts';
import { type CpuMeter, type CpuTimes, cpuUsed, createCpuMeter } from '../harness/meters/cpu-meter.ts';
import { memoryOf, startServer } from '../harness/meters/processes.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { removeNamespace, startDispatcher } from './bench-dispatcher.ts';
import { openPublisher, type Publisher } from './event-publisher.ts';
import type { Receiver } from './receiver.ts';

/** `events` to each of `endpoints`, as fast as possible, or at the steady rate `perSecond`. */
type Load = {
  name: string;
  endpoints: number;
  events: number;
  perSecond?: number;
  rounds: number;
  aims: { perSecond?: number; ratio?: number; cpuMs?: number; p50?: number; p99?: number };
};

const arriveWithinMs = 5 * 60_000;
const warmUpEvents = 2_000;

const columns = [
  text('load'),
  text('sender'),
  figure('deliveries/s'),
  figure('ratio'),
  figure('p50 ms'),
  figure('p95'),
  figure('p99'),
  figure('CPU: sender'),
  figure('mongod'),
  figure('broker'),
  figure('sender + mongod'),
  figure('publisher, receiver'),
  figure('resident MB'),
  text('aims'),
];

/** One sender, ours or the bare one, and the publisher that feeds it. */
type Contender = { name: string; pid: number; publisher: Publisher; audience: string[] };
type Round = { perSecond: number; latencies: number[]; cpu: CpuTimes };
type Speed = { bench: Bench; receiver: Receiver; meter: CpuMeter };

/** Deliveries/s, latency and processor time of each load, compared with a bare sender. */
export async function webhookSpeed(bench: Bench, receiver: Receiver): Promise<void> {
  const client = await MongoClient.connect(bench.platform.mongodb);
  bench.onEnd(() => client.close());
  const broker = /pid (\d+)/.exec((await findListener(Number(new URL(bench.platform.amqp).port))) ?? '')?.[1];
  const rows: string[][] = [];
  for (const load of loads(bench.rounds)) {
    bench.progress(`webhooks ${load.name}, rounds: ${load.rounds}`);
    const sides = [await startBare(bench, receiver, load), await startOwn(bench, receiver, load)] as const;
    const [bare, own] = sides;
    const pids = {
      load: process.pid,
      ...(broker ? { broker: Number(broker) } : {}),
      [bare.name]: bare.pid,
      [own.name]: own.pid,
    };
    const meter = createCpuMeter({ pids, client });
    rows.push(...(await compare({ bench, receiver, meter }, load, sides)));
    for (const { publisher, stop } of sides) {
      await publisher.close();
      await stop();
    }
  }
  bench.print(table('Webhooks: HTTPS on loopback, processor time per delivery in milliseconds', columns, rows));
}

function loads(most: number): Load[] {
  const rounds = Math.min(most, 3);
  const one = { name: '(a) one endpoint', endpoints: 1, events: 20_000, rounds };
  const ten = { name: '(b) ten endpoints', endpoints: 10, events: 2_000, rounds };
  const steady = { name: '(c) 100 events/s', endpoints: 1, events: 2_000, perSecond: 100, rounds: 1 };
  return [
    { ...one, aims: { perSecond: 2_000, ratio: 0.7, cpuMs: 1 } },
    { ...ten, aims: { perSecond: 2_500 } },
    { ...steady, aims: { p50: 3.5, p99: 7 } },
  ];
}

type StoppableContender = Contender & { stop(): Promise<void> };

const pathsOf = ({ endpoints }: Load) => Array.from({ length: endpoints }, (_, index) => `/${index}`);

async function startOwn(bench: Bench, receiver: Receiver, load: Load): Promise<StoppableContender> {
  const namespace = `bench-own${load.endpoints}-`;
  // A bench that was killed may have left it.
  await removeNamespace(bench.platform, namespace);
  const dispatcher = await startDispatcher(bench, namespace, receiver.certFile);
  bench.onEnd(() => removeNamespace(bench.platform, namespace));
  const audience = [await dispatcher.createCompany(pathsOf(load).map((path) => receiver.url(path)))];
  const publisher = await openPublisher(bench.platform.amqp, namespace);
  return { name: 'dispatcher', pid: dispatcher.pid, publisher, audience, stop: dispatcher.stop };
}

async function startBare(bench: Bench, receiver: Receiver, load: Load): Promise<StoppableContender> {
  const { processes, root, platform } = bench;
  const namespace = `bench-bare${load.endpoints}-`;
  const port = await freePort();
  const env = {
    ...{ NODE_ENV: 'production', NODE_EXTRA_CA_CERTS: receiver.certFile },
    ...{
      BARE_URLS: pathsOf(load)
        .map((path) => receiver.url(path))
        .join(','),
      BARE_AMQP: platform.amqp,
    },
    ...{ BARE_NAMESPACE: namespace, BARE_PORT: String(port) },
  };
  await removeNamespace(platform, namespace);
  const program = 'tools/bench/webhooks/bare-sender.ts';
  const { pid, stop } = await startServer({ processes, root, program, env, ready: { port, path: '/' } });
  bench.onEnd(() => removeNamespace(platform, namespace));
  const publisher = await openPublisher(platform.amqp, namespace);
  return { name: 'bare program', pid, publisher, audience: [newId()], stop };
}

async function compare(speed: Speed, load: Load, sides: readonly [Contender, Contender]): Promise<string[][]> {
  const measured = sides.map((): Round[] => []);
  for (const { publisher, audience } of sides) {
    await publisher.burst(audience, warmUpEvents);
    await speed.receiver.untilArrived(warmUpEvents * load.endpoints, arriveWithinMs);
    await speed.receiver.takeArrivals();
  }
  for (let round = 0; round < load.rounds; round++) {
    for (const [index, side] of sides.entries()) measured[index]?.push(await runRound(speed, load, side));
  }
  const [bare = [], own = []] = measured;
  const ratio = median(own.map(({ perSecond }, round) => perSecond / (bare[round] as Round).perSecond));
  return [
    rowOf({ load, rounds: bare, side: sides[0], ratio: null }),
    rowOf({ load, rounds: own, side: sides[1], ratio: load.perSecond ? null : ratio }),
  ];
}

/** One round: until all deliveries arrived and the sender is idle again. */
async function runRound({ receiver, meter }: Speed, load: Load, { publisher, audience }: Contender): Promise<Round> {
  await meter.untilIdle();
  const before = await meter.read();
  const started = performance.timeOrigin + performance.now();
  let published: number[] = [];
  if (load.perSecond) {
    published = await publisher.steady(audience, { perSecond: load.perSecond, seconds: load.events / load.perSecond });
  } else await publisher.burst(audience, load.events);
  await receiver.untilArrived(load.events * load.endpoints, arriveWithinMs);
  const { at, numbers } = await receiver.takeArrivals();
  await meter.untilIdle();
  const cpu = cpuUsed(before, await meter.read());
  const seconds = ((at.at(-1) ?? started) - started) / 1000;
  const latencies = numbers.map((number, index) => (at[index] as number) - (published[number] ?? started));
  return { perSecond: at.length / seconds, latencies, cpu };
}

type RowOptions = { load: Load; rounds: Round[]; side: Contender; ratio: number | null };

function rowOf({ load, rounds, side, ratio }: RowOptions): string[] {
  const { aims } = load;
  const isOwn = side.name === 'dispatcher';
  const perSecond = median(rounds.map((round) => round.perSecond));
  const latencies = Float64Array.from(rounds.flatMap((round) => round.latencies)).sort();
  const at = (share: number) => quantile(latencies, share);
  const deliveries = load.events * load.endpoints;
  const cpu = (name: string) => median(rounds.map((round) => (round.cpu[name] ?? 0) / deliveries));
  const sum = cpu(side.name) + cpu('mongod');
  const reached = [
    ...(aims.perSecond ? [`${againstAim(perSecond, { least: aims.perSecond }, 0)}/s`] : []),
    ...(aims.ratio && ratio !== null ? [`ratio ${againstAim(ratio, { least: aims.ratio })}`] : []),
    ...(aims.cpuMs ? [`CPU ${againstAim(sum, { most: aims.cpuMs })}`] : []),
    ...(aims.p50 ? [`p50 ${againstAim(at(0.5), { most: aims.p50 }, 1)}`] : []),
    ...(aims.p99 ? [`p99 ${againstAim(at(0.99), { most: aims.p99 }, 0)}`] : []),
  ];
  return [
    isOwn ? '' : load.name,
    side.name,
    count(perSecond),
    ratio === null ? '' : decimals(ratio, 2),
    ...(load.perSecond ? [0.5, 0.95, 0.99].map((share) => decimals(at(share), 1)) : ['', '', '']),
    ...[side.name, 'mongod', 'broker'].map((name) => decimals(cpu(name), 3)),
    decimals(sum, 2),
    decimals(cpu('load'), 3),
    decimals(memoryOf(side.pid)?.residentMb ?? 0, 0),
    isOwn ? reached.join(', ') : '',
  ];
}
