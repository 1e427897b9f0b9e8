import { ConfigError } from './config.ts';
import { collectThisProcessAtRest } from './idle-gc.ts';
import type { Logger } from './logger.ts';

/** Collects what must be undone when the process stops. */
export type Lifecycle = { onStop(name: string, stop: () => Promise<void> | void): void };

type Options = {
  /** How long stopping may take before the process ends all the same, 15 s. */
  stopDeadlineMs?: number;
};

/**
 * Runs a service until it is told to stop (SIGTERM, SIGINT, or the parent process that keeps a channel to it is gone),
 * then undoes in reverse order what `start` registered, and exits. A start that fails ends the process with 1.
 */
export function runService(
  logger: () => Logger,
  start: (lifecycle: Lifecycle) => Promise<void>,
  { stopDeadlineMs = 15_000 }: Options = {},
): void {
  const stops: { name: string; stop: () => Promise<void> | void }[] = [];
  let stopping = false;

  async function stop(reason: string, exitCode: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    let stoppingPart: string | undefined;
    // A stop that hangs must not keep the process: what is unfinished is taken up at the next start.
    process.exitCode = exitCode || 1;
    setTimeout(() => {
      logger().warn('stopping took too long', { part: stoppingPart });
      process.exit();
    }, stopDeadlineMs).unref();
    // A start that is still under way may register more meanwhile.
    for (let part = stops.pop(); part; part = stops.pop()) {
      stoppingPart = part.name;
      await undo(part);
    }
    if (exitCode === 0) logger().info('stopped', { reason });
    process.exit(exitCode);
  }

  async function undo(part: (typeof stops)[number]): Promise<void> {
    try {
      await part.stop();
    } catch (error) {
      logger().warn('could not stop cleanly', { part: part.name, error });
    }
  }

  function fail(error: unknown): void {
    // What a start under way, or a part that is being stopped, runs into then is no failure of its own.
    if (stopping) logger().debug('failed while stopping', { error });
    else if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logger().error('the process cannot go on', { error });
    void stop('failure', 1);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  process.on('disconnect', () => void stop('parent gone', 0));
  // It went while this process was loading its code: the event is over. Without a channel there is no such property.
  if (process.connected === false) process.exit(0);

  collectThisProcessAtRest();
  start({ onStop: (name, undoIt) => stops.push({ name, stop: undoIt }) }).catch(fail);
}
