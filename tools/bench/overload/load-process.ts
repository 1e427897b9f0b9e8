import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A part of the load in a process of its own: it slows nobody else down, and what it uses of the processors is known. */
export type LoadProcess<Result> = {
  pid: number;
  /** Resolves once its work is over. Rejects if it ends without a result. */
  result: Promise<Result>;
  /** Has it complete the work that it has begun, and report. */
  stop(): Promise<Result>;
  kill(): Promise<void>;
};

/** @param program a program that calls `reportTo` */
export function startLoadProcess<Run, Result>(program: string, run: Run): LoadProcess<Result> {
  const child = fork(program, { serialization: 'advanced' });
  const exited = once(child, 'exit');
  const result = new Promise<Result>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Result));
    child.once('error', reject);
    void exited.then(([code, signal]) => reject(new Error(`${program} ended without a result: ${signal ?? code}`)));
  });
  // Whoever awaits the result gets the rejection; before that it must not count as unhandled.
  result.catch(() => undefined);
  child.send({ run } as object);
  return {
    pid: child.pid as number,
    result,
    stop() {
      if (child.connected) child.send({ stop: true });
      return result;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The other end: does the work once it knows what it is. `stop` is aborted when it shall finish. */
export function reportTo<Run, Result>(work: (run: Run, stop: AbortSignal) => Promise<Result>): void {
  const stop = new AbortController();
  process.on('message', (message: { run?: Run; stop?: true }) => {
    if (message.stop) stop.abort();
    else
      void work(message.run as Run, stop.signal).then((result) =>
        process.send?.(result as object, () => process.disconnect()),
      );
  });
  process.on('disconnect', () => process.exit());
}
