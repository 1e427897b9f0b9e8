import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portSpan, sandboxPort, serviceTable } from '@app/start';
import { freePortBase, type RunningProcess } from '@app/start/infra';
import type { Bench, Platform } from './bench.ts';
import { until } from './until.ts';

type Starting = Pick<Bench, 'processes' | 'root'>;

type ServerOptions = {
  /** From the root of the repository. */
  program: string;
  args?: string[];
  env: NodeJS.ProcessEnv;
  isReady: () => Promise<boolean>;
  readyWithinMs?: number;
  /** How long it may take to stop. */
  graceMs?: number;
};

const shownAtFailure = 30;

/** Starts a program and waits until it is ready. @throws Error with its last lines */
export async function startServer({ processes, root }: Starting, options: ServerOptions): Promise<RunningProcess> {
  const { program, args = [], env, isReady } = options;
  const { readyWithinMs = 60_000, graceMs = 5_000 } = options;
  const lines: string[] = [];
  const running = processes.start({
    program: process.execPath,
    args: [join(root, program), ...args],
    env: { ...process.env, ...env },
    cwd: root,
    rank: 3,
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
 * @param trusted a file of certificates, which receivers of webhooks on this machine have
 */
export async function startPlatform(starting: Starting, folder: string, trusted: string): Promise<Platform> {
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
      NODE_EXTRA_CA_CERTS: trusted,
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      // In production mode the launcher sets no sandbox provider, and the bench needs one.
      PROVIDER_SANDBOX_URL: `http://127.0.0.1:${base + sandboxPort}`,
    },
    isReady: async () => existsSync(join(stackDir, 'stack.json')),
    readyWithinMs: 10 * 60_000,
    graceMs: 60_000,
  });
  const read = (file: string) => JSON.parse(readFileSync(join(stackDir, file), 'utf8'));
  return { ...read('stack.json'), keys: read('keys.json') };
}

/** The port of a service, derived from the gateway's. */
export function portOf(platform: Platform, service: string): number {
  return gatewayPort(platform) + (serviceTable.find(({ name }) => name === service)?.ports['PORT'] ?? 0);
}

export function gatewayPort(platform: Platform): number {
  return Number(new URL(platform.ticketApi).port);
}
