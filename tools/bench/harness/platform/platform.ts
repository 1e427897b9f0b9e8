import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isPortFree, type Processes, type RunningProcess } from '@app/infra';
import { sandboxPort, serviceTable } from '@app/start';

/** A running platform, as described by its `stack.json`. */
export type Platform = {
  ticketApi: string;
  tsApi: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  pids: Record<string, number>;
  /** The keys of `keys.json` by setting; with them requests can bypass the gateway. */
  keys: Record<string, string>;
  /** Where it keeps its data, its keys and its compiled code. */
  stackDir: string;
  /** Seconds from the start of the launcher until the platform answers; null if it was running already. */
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

/** Describes a platform that is running. @throws Error if there is none */
export function readPlatform(stackFile: string): Platform {
  if (!existsSync(stackFile)) throw new Error(`There is no platform running: ${stackFile} is missing.`);
  const stack = JSON.parse(readFileSync(stackFile, 'utf8')) as Omit<Platform, 'keys' | 'stackDir' | 'readyAfterS'>;
  const stackDir = dirname(stackFile);
  const keys = JSON.parse(readFileSync(join(stackDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return { ...stack, keys, stackDir, readyAfterS: null };
}

/**
 * Starts a platform with the launcher on free ports.
 * @throws Error with the launcher's last lines if it does not start
 */
export async function startPlatform({ root, folder, processes, env }: StartOptions): Promise<OwnPlatform> {
  const stackDir = join(folder, 'stack');
  mkdirSync(stackDir, { recursive: true });
  const lines: string[] = [];
  const startedAt = performance.now();
  const base = await freePortBase();
  // In production mode the launcher sets no sandbox provider, and the bench needs one.
  const settings = { PROVIDER_SANDBOX_URL: `http://127.0.0.1:${base + sandboxPort}` };
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

/** The port of a service, derived from the gateway's. */
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
