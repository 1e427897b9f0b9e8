import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess } from '@app/start/infra';
import type { RabbitCluster } from '@app/testing';
import type { Timestamp } from 'mongodb';
import type { Cluster } from '../cluster/cluster.ts';
import type { Disk } from '../cluster/disk.ts';
import { poll, until } from '../waiting.ts';
import { type Fault, type Hit, lasting, minute, second, type World } from './fault.ts';

/** Faults of MongoDB, of RabbitMQ and of disks. */
export const serverFaults: Fault[] = [
  {
    name: 'primary killed',
    lastsMs: [2 * second, 15 * second],
    isBrief: true,
    play: killPrimary,
  },
  {
    name: 'primary steps down',
    lastsMs: [10 * second, 10 * second],
    isLong: true,
    async play({ cluster }, lastsMs) {
      const primary = await cluster.mongo.primary();
      const term = async () => Number((await cluster.mongo.command(primary, { replSetGetStatus: 1 }))['term']);
      const before = await term();
      const order = { replSetStepDown: lastsMs / second, secondaryCatchUpPeriodSecs: 5 };
      // It ends the connections of clients, ours too.
      await cluster.mongo.command(primary, order).catch(() => undefined);
      const bites = await lasting(lastsMs, async () => (await term()) - before);
      return { target: `mongo-${primary + 1}`, bites };
    },
  },
  {
    name: 'broker killed',
    lastsMs: [second, 10 * second],
    isLong: true,
    effect: /broker connection lost/,
    async play({ cluster: { rabbit }, random }, lastsMs) {
      const node = random.one(await nodesInUse(rabbit));
      const running = rabbit.process(node);
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
      await delay(lastsMs);
      rabbit.start(node);
      await rabbit.waitUntilWhole();
      return { target: `rabbit-${node + 1}` };
    },
  },
  {
    name: 'brokers restarted',
    lastsMs: [second, second],
    isLong: true,
    effect: /broker connection lost/,
    async play({ cluster: { rabbit } }, lastsMs) {
      const nodes = Array.from({ length: rabbit.size }, (_, node) => node);
      await Promise.all(nodes.map((node) => rabbit.process(node).stop()));
      await delay(lastsMs);
      for (const node of nodes) rabbit.start(node);
      await rabbit.waitUntilWhole();
      return { target: 'all brokers' };
    },
  },
  {
    name: 'memory alarm',
    // Longer than any redelivery of a message takes.
    lastsMs: [5 * second, 4 * minute],
    effect: /broker blocks publishing/,
    async play({ cluster: { rabbit }, random }, lastsMs) {
      const node = random.whole(0, rabbit.size - 1);
      await underMemoryAlarm(rabbit, node, () => delay(lastsMs));
      return { target: `rabbit-${node + 1}` };
    },
  },
  {
    name: 'broker connections closed',
    lastsMs: [0, 0],
    effect: /broker connection lost/,
    async play({ cluster: { rabbit } }) {
      await closeConnections(rabbit);
      return { target: 'all connections' };
    },
  },
  {
    name: 'blocked publishers cut off',
    lastsMs: [4 * second, 15 * second],
    effect: /broker connection lost/,
    async play({ cluster: { rabbit, network, replicas }, random }, lastsMs) {
      const node = random.whole(0, rabbit.size - 1);
      await underMemoryAlarm(rabbit, node, async () => {
        await delay(lastsMs);
        const disturbances = replicas.map(({ name }) => network.disturb(name, 'rabbitmq', 'drop'));
        await delay(second);
        for (const { end } of disturbances) end();
      });
      return { target: `all processes under an alarm of rabbit-${node + 1}` };
    },
  },
  {
    name: 'storage disk full',
    lastsMs: [3 * second, 20 * second],
    async play({ cluster: { disks }, logged }, lastsMs) {
      if (!disks.storage.canFill) return null;
      const makeSpace = await disks.storage.fill();
      const bites = await lasting(lastsMs, () => logged(/storage_unavailable/g));
      await makeSpace();
      return { target: 'storage', bites };
    },
  },
  {
    name: 'database disk full',
    lastsMs: [10 * second, 30 * second],
    isLong: true,
    async play({ cluster: { disks, mongo } }, lastsMs) {
      const member = mongo.size - 1;
      const start = () => mongo.start(member);
      const running = mongo.process(member);
      const filled = await fillDisk(disks.database, { lastsMs, running, start, count: () => 0 });
      await mongo.waitUntilWhole();
      return filled && { target: `mongo-${member + 1}`, bites: filled.bites };
    },
  },
  {
    name: 'broker disk full',
    // A node looks at its disk every 10 s.
    lastsMs: [15 * second, 40 * second],
    isLong: true,
    async play({ cluster, logged }, lastsMs) {
      const { disks, rabbit } = cluster;
      const node = rabbit.size - 1;
      const start = () => rabbit.start(node);
      const count = () => logged(/broker blocks publishing/g);
      const filled = await fillDisk(disks.broker, { lastsMs, running: rabbit.process(node), start, count });
      // A node that could not write may accept connections and reset them until it is started again.
      const isBack = await rabbit.waitUntilWhole(10 * second).then(
        () => true,
        () => false,
      );
      if (!isBack) await restart(cluster, node);
      return filled && { target: `rabbit-${node + 1}${isBack ? '' : ', restarted by hand'}`, bites: filled.bites };
    },
  },
];

async function underMemoryAlarm(rabbit: RabbitCluster, node: number, work: () => Promise<unknown>): Promise<void> {
  try {
    await rabbit.control(node, ['set_vm_memory_high_watermark', '0.0001']);
    await work();
  } finally {
    await rabbit.control(node, ['set_vm_memory_high_watermark', '0.4']);
  }
}

/** A node that was started lately has no connections. */
async function nodesInUse(rabbit: RabbitCluster): Promise<number[]> {
  const connections = await rabbit.control(0, ['list_connections', 'pid', '--no-table-headers']);
  const nodes = Array.from({ length: rabbit.size }, (_, node) => node);
  return nodes.filter((node) => connections.includes(`<platform${node + 1}@`));
}

async function closeConnections(rabbit: RabbitCluster): Promise<void> {
  const nodes = Array.from({ length: rabbit.size }, (_, node) => node);
  await Promise.all(nodes.map((node) => rabbit.control(node, ['close_all_connections', 'a test of faults'])));
}

/** @param count how often services have run into it @returns null if the disk cannot be filled; that its server ended is a bite, too */
async function fillDisk(
  disk: Disk,
  {
    lastsMs,
    running,
    start,
    count,
  }: { lastsMs: number; running: RunningProcess; start: () => void; count: () => number },
): Promise<{ bites: number } | null> {
  if (!disk.canFill) return null;
  let ends = 0;
  void running.exited.then(() => {
    ends += 1;
  });
  const makeSpace = await disk.fill();
  await lasting(lastsMs, () => ends + count());
  await makeSpace();
  // A server that ends because its disk was full does so within this time.
  await delay(second);
  const bites = ends + count();
  if (ends > 0) start();
  return { bites };
}

async function restart({ rabbit }: Cluster, node: number): Promise<void> {
  await rabbit.process(node).stop();
  rabbit.start(node);
  await rabbit.waitUntilWhole();
}

/** Far more than an election takes, also on a busy machine. */
const patienceMs = 10 * minute;

/** Bites are the writes of the platform that were rolled back. */
async function killPrimary({ cluster, probe }: World, lastsMs: number): Promise<Hit> {
  const { mongo } = cluster;
  const primary = await poll(
    () => mongo.primary().catch(() => -1),
    (found) => found >= 0,
    patienceMs,
  );
  const others = Array.from({ length: mongo.size }, (_, index) => index).filter((index) => index !== primary);
  const hold = (mode: 'alwaysOn' | 'off') => {
    const failPoint = { configureFailPoint: 'stopReplProducer', mode };
    const isSet = () => Promise.all(others.map((one) => mongo.command(one, failPoint))).then(() => true);
    return until(isSet, patienceMs, `replication cannot be held: ${mode}`);
  };
  const optimes = async (member: number) =>
    (await mongo.command(member, { replSetGetStatus: 1 }))['optimes'] as Record<string, { ts: Timestamp }>;
  const applied = async () => Promise.all(others.map(async (member) => (await optimes(member))['appliedOpTime']?.ts));
  const isAhead = async () => {
    const before = await applied();
    await delay(second);
    const written = await lastWrite(cluster, primary);
    const durable = (await optimes(primary))['durableOpTime']?.ts;
    const now = await applied();
    const areBehind = now.every((time, index) => time?.equals(before[index] as Timestamp) && time.lessThan(written));
    return areBehind && written.lessThanOrEqual(durable as Timestamp);
  };
  let probing: Promise<unknown> | undefined;
  try {
    await hold('alwaysOn');
    // Its write reaches the disk of the primary alone. What was on its way may still reach the others.
    probing = probe().catch(() => undefined);
    await until(isAhead, patienceMs, 'the primary has written nothing that the others lack');
    const running = mongo.process(primary);
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
  } finally {
    await hold('off');
  }
  await delay(lastsMs);
  // Started earlier, it would pass its writes on.
  const isElected = () => mongo.primary().then(() => true);
  await until(isElected, patienceMs, 'no other member becomes primary');
  mongo.start(primary);
  await mongo.waitUntilWhole();
  await probing;
  const target = `mongo-${primary + 1}`;
  const log = join(cluster.dir, 'infra', `${target}.log`);
  // It takes part again a moment before it rolls back.
  const bites = await lasting(0, () => rolledBack(readFileSync(log, 'utf8'), cluster.namespace));
  return { target, bites };
}

/** When the platform last wrote, by the log of the primary; what is written in a transaction is one entry there. */
async function lastWrite({ mongo, namespace }: Cluster, primary: number): Promise<Timestamp> {
  const ns = { $regex: `^${namespace}` };
  const filter = { $or: [{ ns }, { 'o.applyOps.ns': ns }] };
  const find = { find: 'oplog.rs', filter, sort: { $natural: -1 }, limit: 1, projection: { ts: 1 } };
  return (await mongo.command(primary, find, 'local'))['cursor'].firstBatch[0].ts;
}

/** @returns how many collections of the platform a member has rolled back since its last start */
function rolledBack(log: string, namespace: string): number {
  const since = log.slice(log.lastIndexOf('"msg":"MongoDB starting"'));
  const summary = since.split('\n').find((line) => line.includes('"msg":"Rollback summary"'));
  return summary ? summary.split(`"${namespace}`).length - 1 : 0;
}
