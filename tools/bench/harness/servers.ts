import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeEnvironment, portSpan, sandboxPort, serviceNodeArguments, serviceTable } from '@app/start';
import { freePort, freePortBase, type Processes, type RunningProcess } from '@app/start/infra';
import { connect } from 'amqplib';
import type { Bench, Platform } from './bench.ts';
import { until } from './until.ts';

type Starting = {
  processes: Processes;
  /** Of the repository. */
  root: string;
};

type ServerOptions = {
  /** From the root of the repository. */
  program: string;
  args?: string[];
  env: NodeJS.ProcessEnv;
  /** Arguments for Node itself. */
  nodeArguments?: string[];
  isReady: () => Promise<boolean>;
  readyWithinMs?: number;
  /** How long it may take to stop. */
  graceMs?: number;
  /** Higher ones stop earlier. */
  rank?: number;
};

const shownAtFailure = 30;

/** Starts a program and waits until it is ready. @throws Error with its last lines */
export async function startServer({ processes, root }: Starting, options: ServerOptions): Promise<RunningProcess> {
  const { program, args = [], env, nodeArguments = [], isReady } = options;
  const { readyWithinMs = 60_000, graceMs = 17_000, rank = 4 } = options;
  const lines: string[] = [];
  const running = processes.start({
    program: process.execPath,
    args: [...nodeArguments, join(root, program), ...args],
    env: { ...process.env, ...env },
    cwd: root,
    rank,
    graceMs,
    output: { line: (text) => void lines.push(text) },
  });
  const failed = (why: string) => `${program} ${why}:\n${lines.slice(-shownAtFailure).join('\n')}`;
  let hasEnded = false;
  void running.exited.then(() => {
    hasEnded = true;
  });
  const look = async () => {
    if (hasEnded) throw new Error(failed('ended'));
    return isReady();
  };
  await until(look, readyWithinMs, () => failed(`was not ready after ${readyWithinMs / 1000} s`));
  return running;
}

/** For `isReady`: whether it answers 200 there. */
export function answersAt(port: number, path: string): () => Promise<boolean> {
  const asked = () => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) });
  return async () => {
    const response = await asked().catch(() => null);
    await response?.body?.cancel();
    return response?.ok ?? false;
  };
}

/**
 * Starts a platform with the launcher on free ports, for the time of the bench.
 * @param folder where it keeps its data and keys
 */
export async function startPlatform(starting: Starting, folder: string): Promise<Platform> {
  const stackDir = join(folder, 'stack');
  mkdirSync(stackDir, { recursive: true });
  const base = await freePortBase(portSpan + 1);
  await startServer(starting, {
    program: 'tools/start/main.ts',
    args: ['--no-demo', '--port-base', String(base)],
    env: {
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      STACK_DIR: stackDir,
      // One caller sends everything.
      RATE_LIMIT_PER_MINUTE: '100000000',
      // In production mode the launcher sets no sandbox provider, and the bench needs one.
      PROVIDER_SANDBOX_URL: `http://127.0.0.1:${base + sandboxPort}`,
    },
    isReady: async () => existsSync(join(stackDir, 'stack.json')),
    readyWithinMs: 10 * 60_000,
    graceMs: 60_000,
    rank: 3,
  });
  const read = (file: string) => JSON.parse(readFileSync(join(stackDir, file), 'utf8'));
  return { ...read('stack.json'), keys: read('keys.json'), stackDir };
}

/** The port of a service, derived from the gateway's. */
export function portOf(platform: Platform, service: string): number {
  return gatewayPort(platform) + (serviceTable.find(({ name }) => name === service)?.ports['PORT'] ?? 0);
}

export function gatewayPort(platform: Platform): number {
  return Number(new URL(platform.ticketApi).port);
}

/** A service that runs beside the platform's, with databases and queues of its own. */
type OwnService = { name: 'ticket' | 'webhook-dispatcher'; namespace: string };

const queues = {
  ticket: ['companies', 'contractor-links'],
  'webhook-dispatcher': ['events'],
};

/**
 * Starts it with the launcher's settings and more. Its database is migrated before, which builds the indexes: otherwise the service
 * would build those of large collections in the background while it is measured.
 */
export async function startOwnService(
  bench: Bench,
  { name, namespace }: OwnService,
  more: NodeJS.ProcessEnv,
): Promise<{ port: number; running: RunningProcess }> {
  const { keys, mongodb, amqp, stackDir } = bench.platform;
  const [port, opsPort] = [await freePort(), await freePort()];
  const env = {
    ...nodeEnvironment(stackDir),
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    NAMESPACE: namespace,
    PORT: String(port),
    OPS_PORT: String(opsPort),
    MONGODB_URL: mongodb,
    AMQP_URL: amqp,
    INTERNAL_TOKEN_PUBLIC_KEYS: keys['INTERNAL_TOKEN_PUBLIC_KEYS'],
    ...more,
  };
  const program = `services/${name}/main.ts`;
  const options = { cwd: bench.root, env: { ...process.env, ...env } };
  await promisify(execFile)(process.execPath, [join(bench.root, program), 'migrate'], options);
  const isReady = answersAt(opsPort, '/readyz');
  const running = await startServer(bench, { program, env, isReady, nodeArguments: serviceNodeArguments });
  bench.onEnd(() => running.stop());
  return { port, running };
}

/** Removes its databases, queues and exchange, once it has stopped; and those that a bench left which was killed. */
export async function makeRoomFor(bench: Bench, service: OwnService): Promise<void> {
  await removeOwnService(bench, service);
  bench.onEnd(() => removeOwnService(bench, service));
}

async function removeOwnService({ client, platform }: Bench, { name, namespace }: OwnService): Promise<void> {
  for (const database of [name, 'storage']) await client.db(`${namespace}${database}`).dropDatabase();
  const connection = await connect(platform.amqp);
  const channel = await connection.createChannel();
  for (const queue of queues[name])
    for (const suffix of ['', '.retry', '.dead']) await channel.deleteQueue(`${namespace}${name}.${queue}${suffix}`);
  await channel.deleteExchange(`${namespace}domain-events`);
  await connection.close();
}
