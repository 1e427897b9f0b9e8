import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InfraOptions } from '../infra-server.ts';
import type { RunningProcess } from '../processes/processes.ts';
import type { RabbitPrograms } from './rabbit-install.ts';
import { stablePath } from './stable-path.ts';

/** A broker blocks its publishers below this; the default, a share of the memory, stops small development machines. */
export const diskFreeLimitBytes = 50_000_000;

/**
 * Arguments for Erlang: how often each quorum queue of a node without a cluster renews its statistics, which nobody reads. At the default
 * of 5 s the thousands of queues of a test run would take a quarter of a core.
 */
export const quorumTickArguments = '-rabbit quorum_tick_interval 60000';

type NodeOptions = InfraOptions & {
  distributionPort: number;
  epmdPort: number;
  programs: RabbitPrograms;
  /** Default `platform@localhost`. */
  nodeName?: string;
};

/**
 * Starts a RabbitMQ node that shares nothing with another of this machine: its own epmd, ports, data, logs, cookie and
 * configuration. The node's name is always the same, because its data belongs to the name; with an epmd of its own
 * no other node can have taken it.
 */
export async function startRabbitNode(
  programs: RabbitPrograms,
  given: Omit<NodeOptions, 'programs'>,
): Promise<RunningProcess> {
  const options = { ...given, programs };
  const folder = stablePath(options.dataDir);
  await writeConfiguration(folder, options);
  const common = nodeEnvironment(folder, options);
  const erlang = `${common['RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS']} ${quorumTickArguments}`;
  const env = { ...common, RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: erlang };
  const epmd = startEpmd(env, options);
  const node = startServer(options, { folder, env, log: `${options.dataDir}.log` });
  const stop = async () => {
    await node.stop();
    await epmd?.stop();
  };
  void node.exited.then(() => epmd?.stop());
  return { ...node, stop };
}

/** `folder` holds its configuration, at a path that RabbitMQ's scripts accept. */
export type PreparedNode = { folder: string; env: NodeJS.ProcessEnv; log: string };

/** The process of a node alone, whose epmd runs. */
export function startServer(
  { processes, programs }: Pick<NodeOptions, 'processes' | 'programs'>,
  { folder, env, log }: PreparedNode,
): RunningProcess {
  const program = programs.server;
  return processes.start({ program, args: [], env, cwd: folder, rank: 2, graceMs: 20_000, output: { file: log } });
}

export async function writeConfiguration(folder: string, options: Pick<NodeOptions, 'port'>): Promise<void> {
  for (const name of ['data', 'logs', 'home']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  const settings = [
    `listeners.tcp.default = 127.0.0.1:${options.port}`,
    `disk_free_limit.absolute = ${diskFreeLimitBytes}`,
    // The write-ahead log of quorum queues is kept in memory as well; the default is 512 MB.
    'raft.wal_max_size_bytes = 33554432',
    'log.file.level = warning',
    'log.console = false',
  ];
  await writeFile(join(folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`);
  await writeFile(join(folder, 'enabled_plugins'), '[].\n');
  await writeFile(join(folder, 'rabbitmq-env.conf'), '');
}

export function nodeEnvironment(folder: string, options: NodeOptions): NodeJS.ProcessEnv {
  const erlang = ['+sbwt none +sbwtdcpu none +sbwtdio none', '-kernel inet_dist_use_interface {127,0,0,1}'];
  const { env } = options.programs;
  return {
    ...env,
    PATH: `${env['PATH'] ?? process.env['PATH']}:/usr/sbin:/sbin`,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    HOME: join(folder, 'home'),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(options.epmdPort),
    RABBITMQ_NODENAME: options.nodeName ?? 'platform@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(options.port),
    RABBITMQ_DIST_PORT: String(options.distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'logs'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PID_FILE: join(folder, 'node.pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: erlang.join(' '),
  };
}

/** Started by us, so that it ends with us; a node that finds none starts one that stays behind for ever. */
export function startEpmd(
  env: NodeJS.ProcessEnv,
  options: Pick<NodeOptions, 'epmdPort' | 'dataDir' | 'processes' | 'programs'>,
): RunningProcess | undefined {
  const program = options.programs.epmd;
  if (!program) return undefined;
  const args = ['-address', '127.0.0.1', '-port', String(options.epmdPort)];
  const output = { file: `${options.dataDir}.log` };
  return options.processes.start({ program, args, env, cwd: '/', rank: 1, graceMs: 2_000, output });
}
