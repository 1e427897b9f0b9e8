import { type CommonSettings, ConfigError } from './config.ts';
import { collectThisProcessAtRest } from './idle-gc.ts';
import { createLogger, type Logger } from './logger.ts';

type StopHook = () => Promise<void> | void;

/** What `start` is given. */
export type Process<Settings> = {
  settings: Settings;
  logger: Logger;
  /** Registers what must be closed when the process stops. Hooks run one after the other, the last registered first. */
  onStop(name: string, hook: StopHook): void;
};

export type ProcessOptions<Settings> = {
  /** The `service` of every log line. */
  name: string;
  /** @throws ConfigError */
  loadSettings: () => Settings;
  start: (process: Process<Settings>) => Promise<void>;
  /** How long stopping may take before the process exits anyway, 15 s. */
  stopDeadlineMs?: number;
};

/**
 * Runs a long-lived program: loads its settings, makes its logger, calls `start`, and stops it on SIGTERM, on SIGINT, or when
 * the parent process that forked it is gone. Exits with 0 after such a stop, with 1 if `start` or anything later fails.
 */
export function runProcess<Settings extends CommonSettings>(options: ProcessOptions<Settings>): void {
  const { name, loadSettings, start, stopDeadlineMs = 15_000 } = options;
  // Until the settings are read.
  let logger = createLogger({ service: name, level: 'info', production: process.env['NODE_ENV'] === 'production' });
  const hooks: { name: string; hook: StopHook }[] = [];
  let stopping = false;

  async function main(): Promise<void> {
    const settings = loadSettings();
    logger = createLogger({
      service: name,
      level: settings.LOG_LEVEL,
      production: settings.NODE_ENV === 'production',
    });
    await start({ settings, logger, onStop: (hookName, hook) => hooks.push({ name: hookName, hook }) });
  }

  async function stop(reason: string, exitCode: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    let current: string | undefined;
    // A hook that hangs must not keep the process: unfinished work is resumed at the next start.
    process.exitCode = exitCode || 1;
    setTimeout(() => {
      logger.warn('stopping took too long', { part: current });
      process.exit();
    }, stopDeadlineMs).unref();
    // A loop, since a start that is still under way may register more meanwhile.
    for (let next = hooks.pop(); next; next = hooks.pop()) {
      current = next.name;
      try {
        await next.hook();
      } catch (error) {
        logger.warn('could not stop cleanly', { part: current, error });
      }
    }
    if (exitCode === 0) logger.info('stopped', { reason });
    process.exit(exitCode);
  }

  function fail(error: unknown): void {
    // A start that is interrupted, or a connection that is being closed, fails as a consequence of stopping.
    if (stopping) logger.debug('failed while stopping', { error });
    else if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logger.error('the process cannot go on', { error });
    void stop('failure', 1);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  process.on('disconnect', () => void stop('parent gone', 0));
  // The parent may have gone while this process loaded its code, before the listener above. Undefined without a parent.
  if (process.connected === false) process.exit(0);

  collectThisProcessAtRest();
  main().catch(fail);
}
