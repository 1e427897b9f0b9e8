import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SandboxProvider, startSandboxProvider } from '@app/demo';
import { type ServiceEntry, serviceTable } from '@app/start';
import { createProcesses, type Processes } from '@app/start/infra';
import type { MongoSet, RabbitCluster } from '@app/testing';
import { compileServices } from '../../../tools/start/services/node-settings.ts';
import { trustedCertificates } from '../../../tools/start/settings/certificates.ts';
import { gatewayAddresses, serviceEnvironment } from '../../../tools/start/settings/environment.ts';
import { type Keys, makeKeys } from '../../../tools/start/settings/keys.ts';
import { until } from '../waiting.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Disks, makeDisks, type Shape, startBrokers, startDatabase } from './infrastructure.ts';
import { Network } from './network.ts';
import { Ports } from './ports.ts';
import { type Replica, startReplica } from './replicas.ts';

/** Without the console, which stores and sends nothing. */
const tested = serviceTable.filter(({ build }) => build === undefined);

/** A whole platform: two processes of each service behind balancers, on a replica set and a cluster of brokers. */
export type Cluster = {
  dir: string;
  keys: Keys;
  /** What this machine could not give. */
  notes: string[];
  namespace: string;
  network: Network;
  mongo: MongoSet;
  /** The address of the replica set, for the verification. */
  mongodbUrl: string;
  rabbit: RabbitCluster;
  provider: SandboxProvider;
  replicas: Replica[];
  disks: Disks;
  /** Resolves once every process says that it is ready, and the gateway answers. @throws Error if that takes too long */
  waitUntilReady(): Promise<void>;
  /** Resolves to the names of what is not ready. */
  notReady(): Promise<string[]>;
  stop(): Promise<void>;
};

type Say = (line: string) => void;

const replicasPerService = 2;
const startWithinMs = 600_000;
const namespace = 'faults-';

/** What makes retries short enough for a run of minutes. Everything else has its default. */
const commonSettings: NodeJS.ProcessEnv = {
  NAMESPACE: namespace,
  RATE_LIMIT_PER_MINUTE: '100000',
  UPSTREAM_TIMEOUT: '12s',
  // The last delays are longer than any fault.
  WEBHOOK_RETRY_DELAYS: '1s,1s,2s,3s,5s,5s,10s,10s,20s,30s',
  PROVIDER_RETRY_DELAYS: '500ms,1s,2s,5s,5s,10s,10s,20s,30s',
  PROVIDER_POLL_INTERVAL: '3s',
  PROVIDER_PROBE_INTERVAL: '5s',
  TIMER_INTERVAL: '1s',
  REMATCH_DELAY: '1s',
  LOG_LEVEL: 'info',
  ACCESS_LOG_SAMPLE_RATE: '1',
};

type ClusterOptions = {
  root: string;
  /** Where the code of the services is, if not in `root`. */
  code?: string;
  dir: string;
  shape: Shape;
  say: Say;
};

/** @throws Error if a part does not start; what was started is stopped then */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const processes = createProcesses();
  const undo: (() => Promise<unknown>)[] = [() => processes.close()];
  const stop = async () => {
    for (const step of undo.toReversed()) await step().catch((error) => options.say(`stopping: ${error}`));
    undo.length = 0;
  };
  try {
    return await start({ ...options, processes, undo, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = ClusterOptions & {
  processes: Processes;
  undo: (() => Promise<unknown>)[];
  stop: () => Promise<void>;
};

async function start({ root, code = root, dir, shape, say, processes, undo, stop }: Start): Promise<Cluster> {
  for (const name of ['logs', 'clocks', 'infra', 'storage']) mkdirSync(join(dir, name), { recursive: true });
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    say(line);
  };
  const network = new Network();
  undo.push(() => network.close());
  const disks = await makeDisks(dir, shape, note);
  undo.push(() => Promise.all(Object.values(disks).map((disk) => disk.unmount())));
  const compiled = compileServices({ root: code, stackDir: dir, services: tested, processes });
  const ports = await Ports.find();
  const { base } = ports;
  const names = tested.flatMap((entry) => replicaNames(entry));
  const [{ mongo, hosts }, rabbit] = await Promise.all([
    startDatabase({ dir: join(dir, 'infra'), members: shape.members, ports, network, names, processes, say }),
    startBrokers({ dir: join(dir, 'infra'), brokers: shape.brokers, ports, processes, say: note }),
    compiled,
  ]);
  const provider = await startSandboxProvider({ port: 0 });
  undo.push(() => provider.close());
  const mongodb = `mongodb://${hosts.join(',')}/?replicaSet=rs0`;
  const stack = {
    base,
    keys: makeKeys(),
    mongodb,
    amqp: '',
    certificates: await trustedCertificates(dir, {}),
    env: {
      ...ownEnvironment(),
      ...commonSettings,
      ...shape.settings,
      STORAGE_URL: `file://${disks.storage.path}`,
      PROVIDER_SANDBOX_URL: provider.url,
    },
  };
  const replicas: Replica[] = [];
  undo.push(() => Promise.all(replicas.map((replica) => replica.stop())));
  for (const entry of tested) {
    const balanced = await startService(entry, { root, code, dir, shape, ports, stack, network, rabbit, processes });
    replicas.push(...balanced.replicas);
    undo.push(async () => balanced.balancer.close());
  }
  writeFileSync(
    join(dir, 'stack.json'),
    JSON.stringify({
      ...gatewayAddresses(base),
      adminToken: stack.keys.PLATFORM_ADMIN_TOKEN,
      providerSandbox: provider.url,
    }),
  );
  const notReady = async () => {
    const states = await Promise.all(replicas.map((replica) => replica.isReady()));
    return replicas.filter((_, index) => !states[index]).map(({ name }) => name);
  };
  return {
    dir,
    keys: stack.keys,
    notes,
    namespace,
    network,
    mongo,
    mongodbUrl: mongodb,
    rabbit,
    provider,
    replicas,
    disks,
    notReady,
    stop,
    async waitUntilReady() {
      await until(async () => (await notReady()).length === 0, startWithinMs, 'the platform does not become ready');
      // The balancers look once a second.
      const { tsApi } = gatewayAddresses(base);
      await until(() => answers(tsApi), startWithinMs, 'the gateway does not answer');
    },
  };
}

const replicaNames = ({ name }: Pick<ServiceEntry, 'name'>) =>
  Array.from({ length: replicasPerService }, (_, index) => `${name}-${index + 1}`);

type ServiceStart = {
  root: string;
  code: string;
  dir: string;
  shape: Shape;
  ports: Ports;
  stack: Parameters<typeof serviceEnvironment>[2];
  network: Network;
  rabbit: RabbitCluster;
  processes: Processes;
};

/** Starts the processes of a service, and the balancer at the address by which the others know it. */
async function startService(
  entry: ServiceEntry,
  { root, code, dir, shape, ports: available, stack, network, rabbit, processes }: ServiceStart,
): Promise<{ replicas: Replica[]; balancer: Balancer }> {
  const settingNames = Object.keys(entry.ports);
  const planned = await Promise.all(
    replicaNames(entry).map(async (name, index) => {
      const free = available.take(settingNames.length);
      const ports = Object.fromEntries(settingNames.map((setting, at) => [setting, free[at] as number]));
      // As a Service before the brokers does, and each process begins with another one.
      const targets = () => rabbit.ports.map((_, at) => rabbit.ports[(at + index) % rabbit.size] as number);
      const amqp = await network.link({ server: 'rabbitmq', clientOf: () => name, targets });
      return { name, ports, amqp };
    }),
  );
  const replicas = planned.map(({ name, ports, amqp }) => {
    const own = Object.fromEntries(Object.entries(ports).map(([setting, port]) => [setting, String(port)]));
    const mongodb = `${stack.mongodb}&appName=${name}`;
    const env = serviceEnvironment(entry, serviceTable, { ...stack, mongodb, amqp: `amqp://127.0.0.1:${amqp}` });
    const opsPort = ports['OPS_PORT'] as number;
    return startReplica({ root, code, dir, name, entry, env: { ...env, ...own }, opsPort, processes });
  });
  const balancer = await startBalancer({
    network,
    server: entry.name,
    probeTimeoutMs: shape.probeTimeoutMs,
    listeners: Object.entries(entry.ports)
      .filter(([setting]) => setting !== 'OPS_PORT')
      .map(([setting, offset]) => ({
        port: stack.base + offset,
        portOf: ({ name }) => planned.find((one) => one.name === name)?.ports[setting] as number,
      })),
    backends: replicas.map(({ name, opsPort }) => ({ name, opsPort })),
  });
  return { replicas, balancer };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ headers }) => headers.has('x-request-id'),
    () => false,
  );
}

/** The environment without what would lead to another platform. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { MONGODB_URL: _, AMQP_URL: __, STACK_DIR: ___, NODE_OPTIONS: ____, ...rest } = process.env;
  return rest;
}
