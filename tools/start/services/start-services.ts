import type { Processes, RunningProcess } from '../infra/index.ts';
import type { Output } from '../output.ts';
import type { ServiceEntry } from '../service-table.ts';
import { type StackSettings, serviceEnvironment } from '../settings/environment.ts';
import { nodeEnvironment, programOf, serviceNodeArguments } from './node-settings.ts';
import { describeExit } from './supervise.ts';

export type ServicesOptions = {
  root: string;
  stackDir: string;
  services: ServiceEntry[];
  settings: StackSettings;
  processes: Processes;
  output: Output;
};

type StartedService = { entry: ServiceEntry; running: RunningProcess };

const readyTimeoutMs = 60_000;
const sayEveryMs = 5_000;
/** The gateway stops first, then the others: Ctrl-C takes at most 9 s. Unfinished work is resumed at the next start. */
const gatewayGraceMs = 4_000;
const stopGraceMs = 5_000;

/**
 * Starts every service and waits until all are ready.
 * @throws Error if one exits or takes longer than 60 s, without the time in which it migrates its data
 */
export async function startServices(options: ServicesOptions): Promise<StartedService[]> {
  const { services, settings, output } = options;
  const started = services.map((entry) => ({ entry, running: startService(entry, options) }));
  const missing = new Set(services.map(({ name }) => name));
  const ticker = setInterval(() => output.log(`waiting for ${[...missing].join(', ')} …`), sayEveryMs);
  const ended = started.map(({ entry, running }) =>
    running.exited.then((exit) => {
      throw new Error(`${entry.name} ended before it was ready (${describeExit(exit)}); its last lines say why`);
    }),
  );
  const ready = started.map(async ({ entry }) => {
    await waitUntilReady(entry.name, settings.base + (entry.ports['OPS_PORT'] ?? 0));
    missing.delete(entry.name);
  });
  try {
    await Promise.race([Promise.all(ready), ...ended]);
  } finally {
    clearInterval(ticker);
    for (const promise of [...ready, ...ended]) promise.catch(() => {});
  }
  return started;
}

export function startService(entry: ServiceEntry, options: ServicesOptions): RunningProcess {
  const { root, services, settings, processes, output } = options;
  return processes.start({
    program: process.execPath,
    args: [...serviceNodeArguments, programOf(root, entry)],
    env: { ...nodeEnvironment(options.stackDir), ...serviceEnvironment(entry, services, settings) },
    cwd: root,
    rank: 3,
    graceMs: entry.name === 'gateway' ? gatewayGraceMs : stopGraceMs,
    output: { line: (text) => output.line(entry.name, text) },
  });
}

async function waitUntilReady(name: string, opsPort: number): Promise<void> {
  for (let since = Date.now(); ; ) {
    const readiness = await readinessOf(opsPort);
    if (readiness === 'ready') return;
    if (readiness === 'migrating') since = Date.now();
    else if (Date.now() > since + readyTimeoutMs)
      throw new Error(`${name} is not ready after ${readyTimeoutMs / 1000} s`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** `migrating` as a service says itself, which may take long (libs/service). */
async function readinessOf(opsPort: number): Promise<'ready' | 'migrating' | 'not ready'> {
  try {
    const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal: AbortSignal.timeout(2_000) });
    const body = await response.text();
    if (response.status === 200) return 'ready';
    return body.includes('"reason":"migrating') ? 'migrating' : 'not ready';
  } catch {
    return 'not ready';
  }
}
