import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '@app/start/infra';
import { type MongoSet, type RabbitCluster, startMongoSet, startRabbitCluster } from '@app/testing';
import { type Disk, makeDisk } from './disk.ts';
import type { Network } from './network.ts';
import type { Ports } from './ports.ts';

/** What a run needs of its platform. */
export type Shape = {
  /** Of MongoDB. */
  members: number;
  /** Of RabbitMQ. */
  brokers: number;
  /** Whether files and the last of each are on small disks, which faults fill. */
  hasSmallDisks: boolean;
  /** How long a process may take to say that it is ready before it gets no more connections. */
  probeTimeoutMs: number;
  /** Of every service. */
  settings: NodeJS.ProcessEnv;
};

/**
 * Disks of their own, if this machine lets us mount them: of the files, of the last member, of the
 * last broker.
 */
export type Disks = { storage: Disk; database: Disk; broker: Disk };

type Say = (line: string) => void;

/** A member needs 320 MB when it is empty; a broker blocks its publishers below 50 MB. */
const diskMb = { storage: 64, database: 640, broker: 192 };

/** Before the servers start, which write into them. */
export async function makeDisks(dir: string, { members, brokers, hasSmallDisks }: Shape, note: Say): Promise<Disks> {
  const sizeOf = (disk: keyof Disks) => (hasSmallDisks ? diskMb[disk] : null);
  const disks = {
    storage: await makeDisk(join(dir, 'storage'), sizeOf('storage')),
    database: await makeDisk(join(dir, 'infra', `mongo-${members}`), sizeOf('database')),
    broker: await makeDisk(join(dir, 'infra', `rabbit-${brokers}`), sizeOf('broker')),
  };
  if (hasSmallDisks && !disks.storage.canFill)
    note('no disk can be mounted here (it needs root on Linux): no fault fills one');
  return disks;
}

/** Members know each other by links of the network, which tell a client by the `appName` of its handshake. */
export async function startDatabase(options: {
  dir: string;
  members: number;
  ports: Ports;
  network: Network;
  names: string[];
  processes: Processes;
  say: Say;
}): Promise<{ mongo: MongoSet; hosts: string[] }> {
  const { members, network, names } = options;
  const ports = options.ports.take(members);
  // A string of BSON: its length, in four bytes of which the last is 0 here, its bytes, and a 0.
  const clientOf = (first: Buffer) => names.find((name) => first.includes(`\0${name}\0`)) ?? 'a member';
  const links = await Promise.all(
    ports.map((port) => network.link({ server: 'mongodb', clientOf, targets: () => [port] })),
  );
  const hosts = links.map((port) => `127.0.0.1:${port}`);
  return { mongo: await startMongoSet({ ...options, ports, hosts }), hosts };
}

export async function startBrokers(options: {
  dir: string;
  brokers: number;
  ports: Ports;
  processes: Processes;
  say: Say;
}): Promise<RabbitCluster> {
  const nodes = async (size: number, dir: string) => {
    const ports = options.ports.take(2 * size + 1);
    mkdirSync(dir, { recursive: true });
    return startRabbitCluster({
      ...options,
      dir,
      ports: ports.slice(0, size),
      distributionPorts: ports.slice(size, 2 * size),
      epmdPort: ports[2 * size] as number,
    });
  };
  try {
    return await nodes(options.brokers, options.dir);
  } catch (error) {
    options.say(`no cluster of ${options.brokers} RabbitMQ nodes (${error}): one node`);
    return nodes(1, join(options.dir, 'single'));
  }
}
