import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeEnvironment, serviceNodeArguments } from '@app/start';
import { freePort, type RunningProcess } from '@app/start/infra';
import { connect } from 'amqplib';
import type { Bench } from './bench.ts';

type ServerOptions = {
  /** From the root of the repository. */
  program: string;
  args?: string[];
  env: NodeJS.ProcessEnv;
  /** Arguments for Node itself. */
  nodeArguments?: string[];
  /** Answers 200 at `path` once it serves. */
  ready: { port: number; path: string };
};

const shownAtFailure = 30;
const readyWithinMs = 60_000;

/** Starts another server and waits until it answers. @throws Error with its last lines */
export async function startServer({ processes, root }: Bench, options: ServerOptions): Promise<RunningProcess> {
  const { program, args = [], env, ready, nodeArguments = [] } = options;
  const lines: string[] = [];
  const running = processes.start({
    program: process.execPath,
    args: [...nodeArguments, join(root, program), ...args],
    env: { ...process.env, ...env },
    cwd: root,
    rank: 4,
    graceMs: 17_000,
    output: { line: (text) => void lines.push(text) },
  });
  const failed = (why: string) => new Error(`${program} ${why}:\n${lines.slice(-shownAtFailure).join('\n')}`);
  let over = false;
  void running.exited.then(() => {
    over = true;
  });
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(ready))) {
    if (over) throw failed('ended');
    if (Date.now() > deadline) throw failed(`was not ready after ${readyWithinMs / 1000} s`);
    await pause(50);
  }
  return running;
}

function answers({ port, path }: { port: number; path: string }): Promise<boolean> {
  return new Promise((answer) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: 2_000 }, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => answer(false));
  });
}

/** A service that runs beside the platform's, with databases and queues of its own. */
type OwnService = { name: 'ticket' | 'webhook-dispatcher'; namespace: string };

const queues = {
  ticket: ['companies', 'contractor-links'],
  'webhook-dispatcher': ['events'],
};

/** Starts it with the launcher's settings and more; the caller stops it, and removes what it leaves. */
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
  await migrate(bench.root, program, env);
  const ready = { port: opsPort, path: '/readyz' };
  return { port, running: await startServer(bench, { program, env, ready, nodeArguments: serviceNodeArguments }) };
}

/**
 * Migrates a service's database and builds its indexes, as `npm run ops -- migrate` does: otherwise the service would build
 * indexes of large collections in the background while it is measured. @throws Error with its output
 */
async function migrate(root: string, program: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const options = { cwd: root, env: { ...process.env, ...env } };
    await promisify(execFile)(process.execPath, [join(root, program), 'migrate'], options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} migrate failed:\n${stdout}${stderr}`);
  }
}

/** Removes the databases, the queues and the exchange of such a service; also those that a bench left which was killed. */
export async function removeOwnService({ client, platform }: Bench, { name, namespace }: OwnService): Promise<void> {
  for (const database of [name, 'storage']) await client.db(`${namespace}${database}`).dropDatabase();
  const connection = await connect(platform.amqp);
  const channel = await connection.createChannel();
  for (const queue of queues[name])
    for (const suffix of ['', '.retry', '.dead']) await channel.deleteQueue(`${namespace}${name}.${queue}${suffix}`);
  await channel.deleteExchange(`${namespace}domain-events`);
  await connection.close();
}
