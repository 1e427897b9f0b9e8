import { setTimeout as delay } from 'node:timers/promises';
import type { RabbitCluster, RunningProcess } from '@app/infra';
import type { Cluster } from '../cluster/cluster.ts';
import type { Disk } from '../cluster/disk.ts';
import { type Fault, second } from './fault.ts';

/** Faults of MongoDB, of RabbitMQ and of disks. */
export const serverFaults: Fault[] = [
  {
    name: 'primary killed',
    starts: 'replication is held back for a moment (`stopReplProducer`), then `kill -9`',
    ends: 'started again; what was not replicated is rolled back',
    mayHit: 'the primary of the replica set',
    lastsMs: [2 * second, 15 * second],
    isBrief: true,
    effect: /MongoDB connection lost/,
    play: ({ cluster }, lastsMs) => killPrimary(cluster, lastsMs),
  },
  {
    name: 'primary steps down',
    starts: '`replSetStepDown`',
    ends: 'by itself: another one is elected',
    mayHit: 'the primary of the replica set',
    lastsMs: [10 * second, 10 * second],
    isLong: true,
    async play({ cluster }, lastsMs) {
      const primary = await cluster.mongo.primary();
      const order = { replSetStepDown: lastsMs / second, secondaryCatchUpPeriodSecs: 5 };
      // It ends the connections of clients, ours too.
      await cluster.mongo.command(primary, order).catch(() => undefined);
      await delay(lastsMs);
      return `mongo-${primary + 1}`;
    },
  },
  {
    name: 'broker killed',
    starts: '`kill -9`',
    ends: 'started again on its data',
    mayHit: 'one node of RabbitMQ',
    lastsMs: [second, 10 * second],
    isLong: true,
    async play({ cluster: { rabbit }, random }, lastsMs) {
      const node = random.whole(0, rabbit.size - 1);
      const running = rabbit.process(node);
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
      await delay(lastsMs);
      rabbit.start(node);
      await rabbit.waitUntilWhole();
      return `rabbit-${node + 1}`;
    },
  },
  {
    name: 'brokers restarted',
    starts: '`SIGTERM`',
    ends: 'all started again on their data',
    mayHit: 'every node of RabbitMQ at once',
    lastsMs: [second, second],
    isLong: true,
    async play({ cluster: { rabbit } }, lastsMs) {
      const nodes = Array.from({ length: rabbit.size }, (_, node) => node);
      await Promise.all(nodes.map((node) => rabbit.process(node).stop()));
      await delay(lastsMs);
      for (const node of nodes) rabbit.start(node);
      await rabbit.waitUntilWhole();
      return 'all brokers';
    },
  },
  {
    name: 'memory alarm',
    starts: '`rabbitmqctl set_vm_memory_high_watermark 0.0001`',
    ends: 'the same with 0.4',
    mayHit: 'one node of RabbitMQ, which blocks the publishers of all',
    lastsMs: [5 * second, 30 * second],
    effect: /broker blocks publishing/,
    async play({ cluster: { rabbit }, random }, lastsMs) {
      const node = random.whole(0, rabbit.size - 1);
      await underMemoryAlarm(rabbit, node, () => delay(lastsMs));
      return `rabbit-${node + 1}`;
    },
  },
  {
    name: 'broker connections closed',
    starts: '`rabbitmqctl close_all_connections`',
    ends: 'at once',
    mayHit: 'every connection to RabbitMQ',
    lastsMs: [0, 0],
    effect: /broker connection lost/,
    async play({ cluster: { rabbit } }) {
      await closeConnections(rabbit);
      return 'all connections';
    },
  },
  {
    name: 'blocked publishers cut off',
    starts: 'a memory alarm, and after a while every link to RabbitMQ is cut: what is being published then fails',
    ends: 'links are whole again a moment later, and the alarm ends',
    mayHit: 'every connection to RabbitMQ',
    lastsMs: [4 * second, 15 * second],
    effect: /broker connection lost/,
    async play({ cluster: { rabbit, network, replicas }, random }, lastsMs) {
      const node = random.whole(0, rabbit.size - 1);
      await underMemoryAlarm(rabbit, node, async () => {
        await delay(lastsMs);
        const healings = replicas.map(({ name }) => network.disturb(name, 'rabbitmq', 'drop'));
        await delay(second);
        for (const heal of healings) heal();
      });
      return `all processes under an alarm of rabbit-${node + 1}`;
    },
  },
  {
    name: 'storage disk full',
    starts: 'a file that takes all space',
    ends: 'the file is removed',
    mayHit: 'the folder of files',
    lastsMs: [3 * second, 20 * second],
    async play({ cluster: { disks } }, lastsMs) {
      if (!disks.storage.canFill) return null;
      const makeSpace = await disks.storage.fill();
      await delay(lastsMs);
      await makeSpace();
      return 'storage';
    },
  },
  {
    name: 'database disk full',
    starts: 'a file that takes all space, which ends a `mongod`',
    ends: 'the file is removed and the member started again',
    mayHit: 'one member of the replica set, often the primary',
    lastsMs: [10 * second, 30 * second],
    isLong: true,
    async play({ cluster: { disks, mongo } }, lastsMs) {
      const member = mongo.size - 1;
      const start = () => mongo.start(member);
      const isHit = await fillDisk(disks.database, { lastsMs, running: mongo.process(member), start });
      await mongo.waitUntilWhole();
      return isHit ? `mongo-${member + 1}` : null;
    },
  },
  {
    name: 'broker disk full',
    starts: 'a file that takes all space: the node blocks publishers, or ends',
    ends: 'the file is removed, and the node started again if it ended or lets no client in',
    mayHit: 'one node of RabbitMQ',
    // A node looks at its disk every 10 s.
    lastsMs: [15 * second, 40 * second],
    isLong: true,
    async play({ cluster }, lastsMs) {
      const { disks, rabbit } = cluster;
      const node = rabbit.size - 1;
      const start = () => rabbit.start(node);
      const isHit = await fillDisk(disks.broker, { lastsMs, running: rabbit.process(node), start });
      // A node that could not write may accept connections and reset them until it is started again.
      const isBack = await rabbit.waitUntilWhole(10 * second).then(
        () => true,
        () => false,
      );
      if (!isBack) await restart(cluster, node);
      return isHit ? `rabbit-${node + 1}${isBack ? '' : ', restarted by hand'}` : null;
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

async function closeConnections(rabbit: RabbitCluster): Promise<void> {
  const nodes = Array.from({ length: rabbit.size }, (_, node) => node);
  await Promise.all(nodes.map((node) => rabbit.control(node, ['close_all_connections', 'a test of faults'])));
}

/** @returns false if the disk cannot be filled */
async function fillDisk(
  disk: Disk,
  { lastsMs, running, start }: { lastsMs: number; running: RunningProcess; start: () => void },
): Promise<boolean> {
  if (!disk.canFill) return false;
  let hasEnded = false;
  void running.exited.then(() => {
    hasEnded = true;
  });
  const makeSpace = await disk.fill();
  await delay(lastsMs);
  await makeSpace();
  // A server that ends because its disk was full does so within this time.
  await delay(second);
  if (hasEnded) start();
  return true;
}

async function restart({ rabbit }: Cluster, node: number): Promise<void> {
  await rabbit.process(node).stop();
  rabbit.start(node);
  await rabbit.waitUntilWhole();
}

async function killPrimary({ mongo }: Cluster, lastsMs: number): Promise<string> {
  const primary = await mongo.primary();
  const others = Array.from({ length: mongo.size }, (_, index) => index).filter((index) => index !== primary);
  const hold = (mode: 'alwaysOn' | 'off') =>
    Promise.allSettled(others.map((one) => mongo.command(one, { configureFailPoint: 'stopReplProducer', mode })));
  await hold('alwaysOn');
  await delay(second);
  const running = mongo.process(primary);
  process.kill(running.pid, 'SIGKILL');
  await running.exited;
  await hold('off');
  await delay(lastsMs);
  mongo.start(primary);
  await mongo.waitUntilWhole();
  return `mongo-${primary + 1}`;
}
