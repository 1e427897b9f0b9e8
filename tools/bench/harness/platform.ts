import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { portSpan, sandboxPort, serviceTable } from '@app/start';
import { freePortBase, type Processes } from '@app/start/infra';

/** A running platform, as described by its `stack.json`. */
export type Platform = {
  ticketApi: string;
  tsApi: string;
  providerSandbox: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  pids: Record<string, number>;
  /** The keys of `keys.json` by setting; with them requests can bypass the gateway. */
  keys: Record<string, string>;
  /** Where it keeps its data, its keys and its compiled code. */
  stackDir: string;
};

type StartOptions = {
  root: string;
  /** Where it keeps its data and keys. */
  folder: string;
  processes: Processes;
  onEnd: (undo: () => Promise<void>) => void;
};

const startWithinMs = 10 * 60_000;
const stopGraceMs = 60_000;
const shownAtFailure = 30;

/** Describes a platform that is running. @throws Error if there is none */
export function readPlatform(stackFile: string): Platform {
  if (!existsSync(stackFile)) throw new Error(`There is no platform running: ${stackFile} is missing.`);
  const stack = JSON.parse(readFileSync(stackFile, 'utf8')) as Omit<Platform, 'keys' | 'stackDir'>;
  const stackDir = dirname(stackFile);
  const keys = JSON.parse(readFileSync(join(stackDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return { ...stack, keys, stackDir };
}

/**
 * Starts a platform with the launcher on free ports, for the time of the bench.
 * @throws Error with the launcher's last lines if it does not start
 */
export async function startPlatform({ root, folder, processes, onEnd }: StartOptions): Promise<Platform> {
  const stackDir = join(folder, 'stack');
  mkdirSync(stackDir, { recursive: true });
  const lines: string[] = [];
  const base = await freePortBase(portSpan + 1);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    STACK_DIR: stackDir,
    // One caller sends everything.
    RATE_LIMIT_PER_MINUTE: '100000000',
    // In production mode the launcher sets no sandbox provider, and the bench needs one.
    PROVIDER_SANDBOX_URL: `http://127.0.0.1:${base + sandboxPort}`,
  };
  const launcher = processes.start({
    program: process.execPath,
    args: [join(root, 'tools/start/main.ts'), '--no-demo', '--port-base', String(base)],
    env,
    cwd: root,
    rank: 3,
    graceMs: stopGraceMs,
    output: { line: (text) => void lines.push(text) },
  });
  onEnd(() => launcher.stop());
  const failed = (why: string) =>
    new Error(`The platform did not start: ${why}\n${lines.slice(-shownAtFailure).join('\n')}`);
  const stackFile = join(stackDir, 'stack.json');
  const ended = launcher.exited.then(() => true);
  const deadline = Date.now() + startWithinMs;
  while (!existsSync(stackFile)) {
    if (await Promise.race([ended, pause(50).then(() => false)])) throw failed('the launcher ended');
    if (Date.now() > deadline) throw failed(`it was not ready after ${startWithinMs / 60_000} minutes`);
  }
  return readPlatform(stackFile);
}

/** The port of a service, derived from the gateway's. */
export function portOf(platform: Platform, service: string): number {
  return gatewayPort(platform) + (serviceTable.find(({ name }) => name === service)?.ports['PORT'] ?? 0);
}

export function gatewayPort(platform: Platform): number {
  return Number(new URL(platform.ticketApi).port);
}
