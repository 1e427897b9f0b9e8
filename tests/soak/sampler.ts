import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Replica } from '../faults/cluster/replicas.ts';
import type { Sample } from './measures.ts';
import { byLabel, readMetrics } from './metrics.ts';

export type Sampler = Awaited<ReturnType<typeof startSampling>>;

const mb = 1024 * 1024;
const metricsWithinMs = 15_000;
/** Of the whole cluster, in one command: each starts an Erlang machine. */
const brokerCounts = '{length(rabbit_networking:connections()), length(rabbit_channel:list())}.';

/** Samples every process and server until it is stopped. */
export async function startSampling(cluster: Cluster, everyMs: number) {
  const client = await MongoClient.connect(cluster.mongodbUrl);
  const all: Sample[] = [];
  const missed: string[] = [];
  const startedAt = performance.now();
  let stopped = false;
  const sampler = (async () => {
    while (!stopped) {
      const nextAt = performance.now() + everyMs;
      const atS = (performance.now() - startedAt) / 1000;
      const values = await takeSample(cluster, client).catch((error: unknown) => void missed.push(`${error}`));
      if (values) all.push({ atS, values });
      while (!stopped && performance.now() < nextAt) await delay(200);
    }
  })();
  return {
    all,
    /** What could not be sampled, as sentences. */
    missed,
    async stop(): Promise<void> {
      stopped = true;
      await sampler;
      await client.close();
    },
  };
}

async function takeSample(cluster: Cluster, client: MongoClient): Promise<Sample['values']> {
  const processes = await Promise.all(cluster.replicas.map(lookAtProcess));
  const sum = (values: number[]) => values.reduce((one, other) => one + other, 0);
  const byService = [...Map.groupBy(processes, ({ service }) => service)];
  const ofServices = (of: (process: OfProcess) => number, join = sum) =>
    Object.fromEntries(byService.map(([service, some]) => [service, join(some.map(of))]));
  // Both processes of a service say the same of its queues.
  const queues: Record<string, number> = Object.assign({}, ...processes.map((process) => process.queues));
  const { connections } = await client.db('admin').command({ serverStatus: 1 });
  const [clients = 0, channels = 0] = (await cluster.rabbit.control(0, ['eval', brokerCounts])).match(/\d+/g) ?? [];
  return {
    resident: ofServices(({ resident }) => resident),
    heap: ofServices(({ heap }) => heap),
    files: ofServices(({ files }) => files),
    sockets: ofServices(({ sockets }) => sockets),
    handles: ofServices(({ handles }) => handles),
    lag: ofServices(
      ({ lag }) => lag,
      (values) => Math.max(...values),
    ),
    database: { 'primary of MongoDB': connections.current as number },
    broker: { connections: Number(clients), channels: Number(channels) },
    queues: { 'all queues': sum(Object.values(queues)) },
  };
}

type OfProcess = Awaited<ReturnType<typeof lookAtProcess>>;

async function lookAtProcess(replica: Replica) {
  const url = `http://127.0.0.1:${replica.opsPort}/metrics`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(metricsWithinMs) });
  const metrics = readMetrics(await answer.text());
  const links = descriptorsOf(replica.pid());
  return {
    service: replica.service,
    resident: replica.memoryMb(),
    heap: (metrics.get('nodejs_heap_space_size_used_bytes{space="old"}') ?? Number.NaN) / mb,
    files: links.length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    handles: metrics.get('nodejs_active_handles_total') ?? Number.NaN,
    lag: 1000 * (metrics.get('nodejs_eventloop_lag_p99_seconds') ?? Number.NaN),
    queues: byLabel(metrics, 'queue_messages'),
  };
}

/** What each file descriptor of a process is. */
function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed since.
      return [];
    }
  });
}
