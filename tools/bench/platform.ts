import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPortFree, type Processes, type RunningProcess } from '@app/infra';
import { sandboxPort, serviceTable } from '@app/start';
import { pause } from './pause.ts';

/** A running platform, as its `stack.json` tells of it. */
export type Platform = {
  ticketApi: string;
  tsApi: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  pids: Record<string, number>;
  /** The keys of `keys.json`, by their settings: with them a request may go straight to a service. */
  keys: Record<string, string>;
  /** Where it keeps its data, its keys and its compiled code. */
  stackDir: string;
  /** From the start of the launcher to a platform that answers; null for one that ran already. */
  readyAfterS: number | null;
};

export type OwnPlatform = Platform & { stop(): Promise<void> };

type StartOptions = {
  root: string;
  /** An empty folder for its data and keys. */
  folder: string;
  processes: Processes;
  /** More settings for every service. */
  env: NodeJS.ProcessEnv;
};

const startWithinMs = 10 * 60_000;
const stopGraceMs = 60_000;
const shownAtFailure = 30;

/** One that runs already. @throws Error where it does not */
export function readPlatform(stackFile: string): Platform {
  if (!existsSync(stackFile)) throw new Error(`There is no platform running: ${stackFile} is missing.`);
  const stack = JSON.parse(readFileSync(stackFile, 'utf8')) as Omit<Platform, 'keys' | 'stackDir' | 'readyAfterS'>;
  const stackDir = dirname(stackFile);
  const keys = JSON.parse(readFileSync(join(stackDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return { ...stack, keys, stackDir, readyAfterS: null };
}

/**
 * Starts a platform of its own with the launcher, as it would run in production but for the rate limit, on free ports.
 * @throws Error with the launcher's last lines where it does not come up
 */
export async function startPlatform({ root, folder, processes, env }: StartOptions): Promise<OwnPlatform> {
  const stackDir = join(folder, 'stack');
  mkdirSync(stackDir, { recursive: true });
  const lines: string[] = [];
  const startedAt = performance.now();
  const base = await freePortBase();
  // In production the launcher sets no sandbox provider; the invoices of the bench come from one.
  const settings = {
    RATE_LIMIT_PER_MINUTE: '100000000',
    PROVIDER_SANDBOX_URL: `http://127.0.0.1:${base + sandboxPort}`,
  };
  const launcher = processes.start({
    program: process.execPath,
    args: [join(root, 'tools/start/main.ts'), '--no-demo', '--port-base', String(base)],
    env: { ...process.env, ...env, STACK_DIR: stackDir, ...settings },
    cwd: root,
    rank: 3,
    graceMs: stopGraceMs,
    output: { line: (text) => void lines.push(text) },
  });
  const stackFile = join(stackDir, 'stack.json');
  try {
    await untilWritten(stackFile, launcher);
  } catch (cause) {
    throw new Error(`The platform did not start:\n${lines.slice(-shownAtFailure).join('\n')}`, { cause });
  }
  const readyAfterS = (performance.now() - startedAt) / 1000;
  return { ...readPlatform(stackFile), readyAfterS, stop: () => launcher.stop() };
}

async function untilWritten(file: string, launcher: RunningProcess): Promise<void> {
  const ended = launcher.exited.then(() => true);
  const deadline = Date.now() + startWithinMs;
  while (!existsSync(file)) {
    if (await Promise.race([ended, pause(50).then(() => false)])) throw new Error('the launcher ended');
    if (Date.now() > deadline) throw new Error(`it was not ready after ${startWithinMs / 60_000} minutes`);
  }
}

/** Where a service listens, beside the gateway that is known. */
export function portOf(platform: Platform, service: string): number {
  const base = Number(new URL(platform.ticketApi).port);
  return base + (serviceTable.find(({ name }) => name === service)?.ports['PORT'] ?? 0);
}

export function gatewayPort(platform: Platform): number {
  return Number(new URL(platform.ticketApi).port);
}

const infraOffsets = [50, 51, 52, 53];

async function freePortBase(): Promise<number> {
  const offsets = [...serviceTable.flatMap(({ ports }) => Object.values(ports)), ...infraOffsets, sandboxPort];
  for (let base = 21_000; base < 60_000; base += 100) {
    const free = await Promise.all(offsets.map((offset) => isPortFree(base + offset)));
    if (free.every(Boolean)) return base;
  }
  throw new Error('no free ports were found for a platform');
}
