import { type ChildProcess, fork } from 'node:child_process';
import { createSemaphore } from '@app/runtime';

/** What a worker answers to a task; before the first one it says anything, once it has started. */
export type TaskResult<Result> = { result: Result; cpuMs: number };

/** The worker was ended before the task was done. */
export class WorkerEnded extends Error {
  override readonly cause: 'time' | 'memory';

  constructor(cause: 'time' | 'memory') {
    super(`a task was ended: it took too much ${cause}`);
    this.cause = cause;
  }
}

export type WorkerPool<Task, Result> = {
  /**
   * Has a worker do the task; waits for a free one, in the order of asking.
   * @throws WorkerEnded where it took too much time or memory
   */
  run(task: Task): Promise<TaskResult<Result>>;
  close(): Promise<void>;
};

type Options = {
  /** The file that the workers run. */
  program: string;
  size: number;
  /** For a task, from when a worker has it. */
  timeoutMs: number;
  /** Of JavaScript objects, per worker. */
  memoryMb: number;
  /** A worker whose task took more processor time is not used again, nor is one that had nothing to do for so long. */
  keptBelowMs: number;
  idleMs: number;
};

const passedOn = /^(NODE_COMPILE_CACHE|MALLOC_)/;

/**
 * Worker processes for tasks of which nobody knows the cost. No threads: V8 ends the whole process where one allocation of a
 * thread passes its limit. They are started when they are needed, and used again.
 */
export function createWorkerPool<Task extends object | string, Result>(options: Options): WorkerPool<Task, Result> {
  const { program, size, timeoutMs, memoryMb, keptBelowMs, idleMs } = options;
  const room = createSemaphore(size);
  /** Each with the timer of its end. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const all = new Set<ChildProcess>();
  let closed = false;

  async function start(): Promise<ChildProcess> {
    const worker = fork(program, [], {
      execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=16'],
      // Without the keys that a service finds in its environment.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      clearTimeout(idle.get(worker));
      idle.delete(worker);
    });
    await messageOf(worker);
    return worker;
  }

  function take(): ChildProcess | undefined {
    const [found] = idle;
    if (found === undefined) return undefined;
    const [worker, timer] = found;
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    worker.channel?.ref();
    return worker;
  }

  /** Idle, it does not keep this process alive. */
  function keep(worker: ChildProcess): void {
    worker.unref();
    worker.channel?.unref();
    idle.set(worker, setTimeout(() => void end(worker), idleMs).unref());
  }

  return {
    async run(task) {
      await room.acquire();
      let worker: ChildProcess | undefined;
      try {
        if (closed) throw new Error('the pool of workers is closed');
        worker = take() ?? (await start());
        const answered = messageOf(worker, timeoutMs);
        // What fails here has the worker end, which is the failure.
        worker.send(task, () => undefined);
        const answer = (await answered) as TaskResult<Result>;
        if (answer.cpuMs < keptBelowMs) keep(worker);
        else await end(worker);
        return answer;
      } catch (error) {
        // The next one is started when this one is gone, with its memory.
        if (worker) await end(worker);
        throw error;
      } finally {
        room.release();
      }
    },
    async close() {
      closed = true;
      await Promise.all([...all].map(end));
    },
  };
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.kill('SIGKILL');
  await gone;
}

/** @throws WorkerEnded; Error where the worker failed by itself */
function messageOf(worker: ChildProcess, withinMs?: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // A message that has come counts, also where this process was too busy to look in time.
    const late = () => setImmediate(() => settle(() => reject(new WorkerEnded('time'))));
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = (code: number | null, signal: string | null) => settle(() => reject(failureOf(code, signal)));
    function settle(act: () => void): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

/** V8 aborts where its heap is full. */
function failureOf(code: number | null, signal: string | null): Error {
  return signal === 'SIGABRT' ? new WorkerEnded('memory') : new Error(`a worker ended with ${signal ?? code}`);
}
