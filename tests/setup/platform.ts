import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApprovedPlatform, startSandboxProvider } from '@app/demo';
import { portSpan } from '@app/start';
import { freePortBase } from '@app/start/infra';
import { startTraceCollector } from '../testing/servers/trace-collector.ts';
import { leaksIn, logOf } from './secrets.ts';

const readyWithinMs = 300_000;

/**
 * A platform started for tests. `dir` has its `stack.json`, which names its sandbox AP provider and its approved platform. `traces`:
 * address of its collector.
 */
export type TestPlatform = { dir: string; namespace: string; traces: string; stop(): Promise<void> };

/**
 * Starts the platform with the launcher on the MongoDB and RabbitMQ of this run, with a namespace of its own and short
 * delays. @param settings take precedence over the defaults here
 */
export async function startPlatform(name: string, settings: NodeJS.ProcessEnv = {}): Promise<TestPlatform> {
  const namespace = settings['NAMESPACE'] ?? `${name}${process.pid}-`;
  const dir = await mkdtemp(join(tmpdir(), `platform ${name}-`));
  const root = join(__dirname, '..', '..');
  const log = createWriteStream(logOf(dir));
  const [sandbox, approved, collector] = await Promise.all([
    startSandboxProvider({ port: 0 }),
    startApprovedPlatform({ port: 0 }),
    startTraceCollector(),
  ]);
  const launcher = spawn(
    process.execPath,
    [join(root, 'tools/start/main.ts'), '--no-demo', '--port-base', String(await freePortBase(portSpan + 1))],
    {
      cwd: root,
      env: {
        ...process.env,
        STACK_DIR: dir,
        NAMESPACE: namespace,
        RATE_LIMIT_PER_MINUTE: '100000',
        WEBHOOK_RETRY_DELAYS: '1s,1s,1s,1s,1s',
        // Every request may take long on a busy machine.
        UPSTREAM_TIMEOUT: '60s',
        // Shorter ones cost more in the whole run than they spare the few tests that wait for a time to come.
        TIMER_INTERVAL: '1s',
        PROVIDER_SANDBOX_URL: sandbox.url,
        PROVIDER_AFNOR_URL: approved.flowService,
        PROVIDER_AFNOR_TOKEN_URL: approved.tokenUrl,
        // Tests that wait for a poll ask for one: polling every connection of every test costs more than all requests.
        PROVIDER_POLL_INTERVAL: '60s',
        PROVIDER_RETRY_DELAYS: '200ms,500ms,1s,1s,1s',
        REMATCH_DELAY: '500ms',
        // Only traces that a test asks for, by a sampled `traceparent`.
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '0',
        // Everything that could hold a secret: the log is searched for them in the end.
        LOG_LEVEL: 'debug',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  for (const stream of [launcher.stdout, launcher.stderr]) stream.pipe(log, { end: false });
  const stop = async () => {
    await stopLauncher(launcher);
    await Promise.all([sandbox.close(), approved.close(), collector.close()]);
    await new Promise<void>((resolve) => log.end(resolve));
    const leaks = existsSync(join(dir, 'keys.json')) ? await leaksIn(dir) : [];
    await rm(dir, { recursive: true, force: true });
    if (leaks.length > 0) throw new Error(`the log of the platform holds secrets:\n${leaks.join('\n')}`);
  };
  try {
    await ready(launcher, dir);
  } catch (error) {
    await stop();
    throw error;
  }
  return { dir, namespace, traces: collector.url, stop };
}

async function stopLauncher(launcher: ChildProcess): Promise<void> {
  const gone = once(launcher, 'exit');
  if (launcher.exitCode === null && launcher.kill('SIGTERM')) await gone;
}

async function ready(launcher: ChildProcess, dir: string): Promise<void> {
  const gone = once(launcher, 'exit').then(() => 'gone');
  const deadline = Date.now() + readyWithinMs;
  while (!existsSync(join(dir, 'stack.json'))) {
    // The launcher writes the file once every service is ready.
    const turn = new Promise((resolve) => setTimeout(resolve, 100));
    if ((await Promise.race([turn, gone])) === 'gone' || Date.now() > deadline) {
      throw new Error(`the platform did not start:\n${readFileSync(logOf(dir), 'utf8')}`);
    }
  }
}
