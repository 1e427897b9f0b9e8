import { type ChildProcess, fork } from 'node:child_process';
import { createSemaphore } from '../semaphore.ts';

/** What a worker sends for a task. Once started, before its first task, it sends any message. */
type TaskResult<Result> = { result: Result; cpuMs: number };

/** The worker was killed because its task took too much time or memory. */
export class WorkerKilled extends Error {
  override readonly cause: 'time' | 'memory';

  constructor(cause: 'time' | 'memory') {
    super(`a task was ended: it took too much ${cause}`);
    this.cause = cause;
  }
}

type Options = {
  /** The file that the workers run. */
  program: string;
  size: number;
  /** Of a task, from when a worker has it. */
  timeoutMs: number;
  /** Heap of JavaScript objects, per worker. */
  memoryMb: number;
  /** A worker whose task took more processor time is not used again, because its heap may have grown. */
  reuseBelowMs: number;
  /** A worker without a task for this long is ended. */
  idleMs: number;
};

/** Nothing else of the environment: it holds the service's keys. */
const inheritedVariables = /^(NODE_COMPILE_CACHE|MALLOC_)/;

/**
 * Worker processes for tasks of unknown cost, started on demand and used again. Processes, not threads: V8 ends the whole
 * process if a single allocation in a thread passes its limit.
 */
export class WorkerPool<Task extends object | string, Result> {
  readonly #options: Options;
  readonly #semaphore;
  /** With the timers that end them. */
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();
  readonly #all = new Set<ChildProcess>();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#semaphore = createSemaphore(options.size);
  }

  /**
   * Waits for a free worker, in the order of the calls.
   * @throws WorkerKilled if the task took too much time or memory
   */
  async run(task: Task): Promise<TaskResult<Result>> {
    await this.#semaphore.acquire();
    let worker: ChildProcess | undefined;
    try {
      if (this.#closed) throw new Error('the pool of workers is closed');
      worker = this.#popIdle() ?? (await this.#start());
      const message = nextMessage(worker, this.#options.timeoutMs);
      // A failure to send ends the worker, which rejects `message`.
      worker.send(task, () => undefined);
      const taskResult = (await message) as TaskResult<Result>;
      if (taskResult.cpuMs < this.#options.reuseBelowMs) this.#keepIdle(worker);
      else await kill(worker);
      return taskResult;
    } catch (error) {
      // Awaited: the next worker starts only once the memory of this one is free.
      if (worker) await kill(worker);
      throw error;
    } finally {
      this.#semaphore.release();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map(kill));
  }

  async #start(): Promise<ChildProcess> {
    const { program, memoryMb } = this.#options;
    const worker = fork(program, [], {
      execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=16'],
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedVariables.test(name))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#all.delete(worker);
      clearTimeout(this.#idle.get(worker));
      this.#idle.delete(worker);
    });
    await nextMessage(worker);
    return worker;
  }

  #popIdle(): ChildProcess | undefined {
    const [first] = this.#idle;
    if (first === undefined) return undefined;
    const [worker, timer] = first;
    clearTimeout(timer);
    this.#idle.delete(worker);
    worker.ref();
    worker.channel?.ref();
    return worker;
  }

  /** An idle worker does not keep this process alive. */
  #keepIdle(worker: ChildProcess): void {
    worker.unref();
    worker.channel?.unref();
    const end = () => {
      // Before its exit, which comes later: no task may take it meanwhile.
      this.#idle.delete(worker);
      void kill(worker);
    };
    this.#idle.set(worker, setTimeout(end, this.#options.idleMs).unref());
  }
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.kill('SIGKILL');
  await exited;
}

/** @throws WorkerKilled; Error if the worker ended by itself */
function nextMessage(worker: ChildProcess, timeoutMs?: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // One more turn of the event loop: a message that has arrived counts, even if this process was too busy to read it.
    const onTimeout = () => setImmediate(() => finish(() => reject(new WorkerKilled('time'))));
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
    const onMessage = (message: unknown) => finish(() => resolve(message));
    const onError = (error: Error) => finish(() => reject(error));
    const onExit = (code: number | null, signal: string | null) => finish(() => reject(exitError(code, signal)));
    function finish(act: () => void): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

/** V8 aborts if its heap is full. */
function exitError(code: number | null, signal: string | null): Error {
  return signal === 'SIGABRT' ? new WorkerKilled('memory') : new Error(`a worker ended with ${signal ?? code}`);
}
