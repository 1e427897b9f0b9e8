import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes, RunningProcess } from '@app/start/infra';
import { InfraError, type Say, waitUntilReady } from '../../../tools/start/infra/infra-server.ts';
import { run } from '../../../tools/start/infra/processes/run.ts';
import { tryConnection } from '../../../tools/start/infra/rabbit/rabbit.ts';
import {
  controlWithinMs,
  findRabbitPrograms,
  type RabbitPrograms,
} from '../../../tools/start/infra/rabbit/rabbit-install.ts';
import {
  nodeEnvironment,
  type PreparedNode,
  startEpmd,
  startServer,
  writeConfiguration,
} from '../../../tools/start/infra/rabbit/rabbit-node.ts';
import { stablePath } from '../../../tools/start/infra/rabbit/stable-path.ts';

/** A cluster of RabbitMQ nodes on this machine, each of which can be stopped, killed and started again. */
export type RabbitCluster = Awaited<ReturnType<typeof startRabbitCluster>>;

type RabbitClusterOptions = {
  dir: string;
  /** Of each node: for clients, and for the other nodes. */
  ports: number[];
  distributionPorts: number[];
  epmdPort: number;
  processes: Processes;
  say: Say;
  /** More lines of each `rabbitmq.conf`. */
  configuration?: string[];
};

const readyTimeoutMs = 300_000;

/**
 * Starts the `rabbitmq-server` of this machine several times. The others start once the first node
 * is ready, because nodes that boot at once would each wait for the others.
 * @throws InfraError if there is none, Error if the nodes do not become a cluster
 */
export async function startRabbitCluster(options: RabbitClusterOptions) {
  const { dir, ports, processes, say } = options;
  const programs = await findRabbitPrograms({ processes, say });
  const nodes = await prepareNodes(options, programs);
  const [first] = nodes;
  startEpmd(first?.env ?? {}, { ...options, programs, dataDir: join(dir, 'epmd') });
  const running: RunningProcess[] = [];

  const cluster = {
    size: ports.length,
    ports,
    process: (index: number): RunningProcess => running[index] as RunningProcess,
    /** Starts a node that has ended, on its data. */
    start(index: number): void {
      running[index] = startServer({ processes, programs }, nodes[index] as PreparedNode);
    },
    /** Waits until each node accepts a client. @throws Error if that takes longer */
    waitUntilWhole: (timeoutMs: number = readyTimeoutMs): Promise<void> => untilReady(ports, timeoutMs),
    /** Runs `rabbitmqctl` for one node. @returns what it printed. @throws InfraError */
    async control(index: number, args: string[]): Promise<string> {
      const { ok, output } = await run(
        programs.control,
        ['--quiet', ...args],
        controlWithinMs,
        (nodes[index] as PreparedNode).env,
      );
      if (!ok) throw new InfraError(`rabbitmqctl ${args.join(' ')} failed: ${output}`);
      return output;
    },
  };

  for (const index of ports.keys()) {
    cluster.start(index);
    if (index === 0) await untilReady(ports.slice(0, 1), readyTimeoutMs);
  }
  await cluster.waitUntilWhole();
  return cluster;
}

async function prepareNodes(
  { dir, ports, distributionPorts, configuration = [], ...rest }: RabbitClusterOptions,
  programs: RabbitPrograms,
): Promise<PreparedNode[]> {
  const cookie = randomBytes(20).toString('hex').toUpperCase();
  const names = ports.map((_, index) => `platform${index + 1}@localhost`);
  // Each node gets only itself and the first: RabbitMQ 4 waits for every node of its list.
  const discovery = (name: string) => {
    const peers = [...new Set([names[0], name])];
    return [
      'cluster_formation.peer_discovery_backend = classic_config',
      ...peers.map((peer, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${peer}`),
    ];
  };
  return Promise.all(
    names.map(async (nodeName, index) => {
      const dataDir = join(dir, `rabbit-${index + 1}`);
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      const options = {
        ...rest,
        programs,
        dataDir,
        nodeName,
        port: ports[index] as number,
        distributionPort: distributionPorts[index] as number,
      };
      const folder = stablePath(dataDir);
      await writeConfiguration(folder, options);
      await appendFile(join(folder, 'rabbitmq.conf'), `${[...discovery(nodeName), ...configuration].join('\n')}\n`);
      await writeFile(join(folder, 'home', '.erlang.cookie'), cookie, { mode: 0o400 });
      return { folder, env: nodeEnvironment(folder, options), log: `${dataDir}.log` };
    }),
  );
}

async function untilReady(ports: number[], timeoutMs: number): Promise<void> {
  const ready = () => Promise.all(ports.map((port) => tryConnection(`amqp://127.0.0.1:${port}`)));
  const failure = await waitUntilReady({ ready, timeoutMs });
  if (failure) throw new Error(`RabbitMQ: ${failure}`);
}
