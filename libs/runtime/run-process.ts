import { Gauge } from 'prom-client';
import { startIdleGc } from './garbage-collection.ts';
import { createLogger, type Logger } from './logger.ts';
import { type CommonSettings, ConfigError } from './settings/config.ts';
import { startTracing } from './tracing/index.ts';

type StopHook = () => Promise<void> | void;

/** What `start` is given. */
export type Process<Settings> = {
  settings: Settings;
  logger: Logger;
  /** Registers what must be closed when the process stops. Hooks run one after the other, the last registered first. */
  onStop(name: string, hook: StopHook): void;
  /** Aborted as soon as the process is to stop, `DRAIN_DELAY` before the hooks run: it is no longer ready. */
  draining: AbortSignal;
};

export type ProcessOptions<Settings> = {
  /** The `service` of every log line. */
  name: string;
  /** @throws ConfigError */
  loadSettings: () => Settings;
  start: (process: Process<Settings>) => Promise<void>;
  /** How long the hooks may take before the process exits anyway, 20 s. */
  stopDeadlineMs?: number;
};

const buildInfo = new Gauge({
  name: 'build_info',
  help: 'Always 1: which version of which service runs here, on which Node.js',
  labelNames: ['service', 'version', 'revision', 'node'] as const,
});

/**
 * Runs a long-lived program: loads its settings, makes its logger, calls `start`, and stops it on
 * SIGTERM, on SIGINT, or when the parent process that forked it is gone. After SIGTERM it first
 * keeps serving for `DRAIN_DELAY`, so that balancers and callers leave it; a second signal ends
 * that. Exits with 0 after such a stop, with 1 if the stop takes longer than `stopDeadlineMs`, or
 * if `start` or anything later fails.
 */
export function runProcess<Settings extends CommonSettings>(options: ProcessOptions<Settings>): void {
  const { name, loadSettings, start, stopDeadlineMs = 20_000 } = options;
  const lifecycle = new Lifecycle(name, stopDeadlineMs);

  async function main(): Promise<void> {
    const settings = loadSettings();
    const { LOG_LEVEL: level, NODE_ENV } = settings;
    const logger = createLogger({ service: name, level, production: NODE_ENV === 'production' });
    lifecycle.logger = logger;
    // Set by the image.
    const { BUILD_VERSION: version = 'development', BUILD_REVISION: revision = 'unknown' } = process.env;
    buildInfo.set({ service: name, version, revision, node: process.version }, 1);
    // Starts first and so stops last: the spans of the shutdown are sent, too.
    const stopTracing = await traced(settings, { service: name, version, logger });
    if (stopTracing) lifecycle.onStop('traces', stopTracing);
    await start({
      settings,
      logger,
      draining: lifecycle.draining,
      onStop: (hookName, hook) => lifecycle.onStop(hookName, hook),
    });
    // Nobody sends anything to a process that never was ready.
    lifecycle.drainDelayMs = settings.DRAIN_DELAY;
  }

  process.on('SIGTERM', () => void lifecycle.drainAndStop('SIGTERM'));
  process.on('SIGINT', () => void lifecycle.stop('SIGINT', 0));
  process.on('unhandledRejection', (error) => lifecycle.fail(error));
  process.on('uncaughtException', (error) => lifecycle.fail(error));
  process.on('disconnect', () => void lifecycle.stop('parent gone', 0));
  // The parent may have gone while this process loaded its code, before the listener above. Undefined without a parent.
  if (process.connected === false) process.exit(0);

  startIdleGc();
  main().catch((error) => lifecycle.fail(error));
}

type Traced = { service: string; version: string; logger: Logger };

/** Starts to send spans if there is a collector. @returns a function that sends the last of them */
async function traced(settings: CommonSettings, { logger, ...process }: Traced): Promise<StopHook | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return null;
  const sampledShare = settings.OTEL_TRACES_SAMPLER_ARG;
  const onLost = (reason: string) => logger.warn('traces are lost: the collector does not take them', { reason });
  return startTracing({ ...process, endpoint, headers, sampledShare, onLost });
}

/** How a process ends, and what has to be closed before. */
class Lifecycle {
  drainDelayMs = 0;
  logger: Logger;
  readonly #stopDeadlineMs: number;
  readonly #hooks: { name: string; hook: StopHook }[] = [];
  readonly #draining = new AbortController();
  #stopping = false;

  constructor(name: string, stopDeadlineMs: number) {
    this.#stopDeadlineMs = stopDeadlineMs;
    // Until the settings are read.
    this.logger = createLogger({ service: name, level: 'info', production: process.env['NODE_ENV'] === 'production' });
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  onStop(name: string, hook: StopHook): void {
    this.#hooks.push({ name, hook });
  }

  async drainAndStop(reason: string): Promise<void> {
    const isFirst = !this.#draining.signal.aborted;
    this.#draining.abort();
    if (isFirst && this.drainDelayMs > 0) {
      this.logger.info('draining', { delayMs: this.drainDelayMs });
      await new Promise((resolve) => setTimeout(resolve, this.drainDelayMs));
    }
    await this.stop(reason, 0);
  }

  async stop(reason: string, exitCode: number): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#draining.abort();
    let current: string | undefined;
    // A hook that hangs must not keep the process: unfinished work is resumed at the next start.
    process.exitCode = exitCode || 1;
    setTimeout(() => {
      this.logger.warn('shutdown took too long', { part: current });
      process.exit();
    }, this.#stopDeadlineMs).unref();
    // A loop, since a start that is still under way may register more meanwhile.
    for (let next = this.#hooks.pop(); next; next = this.#hooks.pop()) {
      current = next.name;
      try {
        await next.hook();
      } catch (error) {
        this.logger.warn('part of the process could not shut down cleanly', { part: current, error });
      }
    }
    if (exitCode === 0) this.logger.info('stopped', { reason });
    process.exit(exitCode);
  }

  fail(error: unknown): void {
    // A start that is interrupted, or a connection that is being closed, fails as a consequence of stopping.
    if (this.#stopping) this.logger.debug('error during shutdown', { error });
    else if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else this.logger.error('fatal error, the process exits', { error });
    void this.stop('failure', 1);
  }
}
