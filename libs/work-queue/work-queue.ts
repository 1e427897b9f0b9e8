import { randomUUID } from 'node:crypto';
import {
  createTaskTracker,
  currentContext,
  type LogContext,
  type Logger,
  type TaskTracker,
  waitAtMost,
} from '@app/runtime';
import { detached, inSpan, type SpanOptions } from '@app/runtime/tracing';
import { FairScheduler, type WorkQueueLimits } from './fair-scheduler.ts';
import { createPoller, type Poller } from './poller.ts';

/**
 * The right to work on a job from `from` until `until`. It is stored with the job; a result is recorded only under the lease that the
 * job still has, so that of two processes one alone records.
 */
export type Lease = { id: string; from: Date; until: Date };

/** A lease with a new id, from `from` for `leaseMs`. It counts once it is stored with a job. */
export function newLease(from: Date, leaseMs: number): Lease {
  return { id: randomUUID(), from, until: after(from, leaseMs) };
}

/** The reason of `Turn.signal` if the process stops: the job did not fail. */
export class QueueStopped extends Error {
  override readonly message = 'the process was stopped';
}

/** What a running job gets from the queue. */
export type Turn = {
  key: string;
  /** Aborted with a `QueueStopped` if the process stops and the job takes too long. */
  signal: AbortSignal;
  /**
   * Another job of the key may start although this one has not ended: it has only its result left to store. Otherwise
   * the turn ends with the job.
   */
  end(): void;
};

export type WorkQueueOptions<Job> = {
  /** Up to `limit` keys after `after`, in order, that have something due at `at`. */
  dueKeys(after: string, limit: number, at: Date): Promise<string[]>;
  /** Those of the keys that may be worked on now; all of them by default. */
  eligibleKeys?(keys: string[]): Promise<string[]>;
  /**
   * Claims up to `limit` jobs of a key that are due when the lease begins. If there are as many as `limit`, or `notify` is called for
   * the key meanwhile, the queue claims again.
   */
  claim(key: string, limit: number, lease: Lease): Promise<Job[]>;
  /** Makes claimed jobs due again at once: nobody worked on them. */
  release(jobs: Job[]): Promise<void>;
  /** Extends the leases of jobs in memory, every third of `leaseMs`. Without it a lease is as long as it was made. */
  renew?(jobs: Job[], until: Date): Promise<void>;
  /** Works on one job and records the result. If it rejects, the job is left to the end of its lease. */
  run(job: Job, turn: Turn): Promise<void>;
  /** Groups (companies) take turns, and the keys of each group among themselves. By default a key is its own group. */
  groupOf?(job: Job): string;
  /** The log context of a job; empty by default. */
  contextOf?(job: Job): LogContext;
  /** The span in which a job is worked on. */
  spanOf(job: Job): SpanOptions;
  limits: WorkQueueLimits;
  leaseMs: number;
  /** The clock that all replicas share: leases and due times are by it. */
  now(): Date;
  /** On stop, running jobs are aborted after this time and abandoned after twice of it; by default they run to their end. */
  abortAfterMs?: number;
  logger: Logger;
};

/** Half of the second in which a due job must start; the other half is left for the queries. */
const pollEveryMs = 500;
const keysPerPage = 1_000;
/** A key that used up its last claim within this time gets twice as many with the next. */
const quickMs = 1_000;
const maxClaim = 256;

/** Claims what is due in a collection under leases, and runs it in fair turns between keys. */
export class WorkQueue<Job> {
  readonly #options: WorkQueueOptions<Job>;
  readonly #scheduler: FairScheduler<Job>;
  /** Keys that may have more due in the database than is held in memory, the longest waiting first. */
  readonly #backlog = new Set<string>();
  readonly #claiming = new Set<string>();
  /** Size and time of the last claim, of keys that had yet more due. */
  readonly #lastClaims = new Map<string, { at: number; size: number }>();
  readonly #inMemory = new Set<Job>();
  readonly #tasks: TaskTracker;
  readonly #abort = new AbortController();
  readonly #duePoller: Poller;
  readonly #renewer: Poller;
  #stopped = false;

  constructor(options: WorkQueueOptions<Job>) {
    const { limits, leaseMs, logger } = options;
    this.#options = options;
    this.#scheduler = new FairScheduler(limits);
    this.#tasks = createTaskTracker((error) =>
      logger.error('job failed and is due again when its lease ends', { error }),
    );
    this.#duePoller = createPoller({
      run: () => this.#pollDueKeys(),
      everyMs: pollEveryMs,
      immediate: true,
      onError: (error) => logger.warn('due jobs could not be queried', { error }),
    });
    this.#renewer = createPoller({
      run: () => this.#renewLeases(),
      everyMs: leaseMs / 3,
      onError: (error) => logger.warn('leases could not be renewed', { error }),
    });
  }

  start(): void {
    this.#duePoller.start();
    if (this.#options.renew) this.#renewer.start();
  }

  /** Claims nothing more, releases what has not started and waits for the jobs that are running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#duePoller.stop();
    await this.#releaseUnstarted();
    await this.#waitForRunning();
    await this.#renewer.stop();
  }

  /** Something of this key is due: claims it as far as there are free slots. */
  notify(key: string): void {
    this.#backlog.add(key);
    this.#claimMore(key);
  }

  /**
   * Queues a job that was not claimed (a new one). False if it must go through the database: there is no free slot, older
   * jobs of the key wait there, or the queue is stopped.
   */
  tryEnqueue(key: string, job: Job): boolean {
    if (this.#stopped || this.#backlog.has(key) || this.#scheduler.reserve(key, 1) === 0) return false;
    this.#add(key, job);
    this.#startReady();
    return true;
  }

  running(key: string): number {
    return this.#scheduler.running(key);
  }

  /** Forgets the key and takes out its jobs that have not started; the caller releases or cancels them. */
  evict(key: string): Job[] {
    this.#backlog.delete(key);
    this.#lastClaims.delete(key);
    return this.#drainUnstarted(key);
  }

  async #pollDueKeys(): Promise<void> {
    const { dueKeys, eligibleKeys, now } = this.#options;
    for await (const keys of duePages(dueKeys, now())) {
      for (const key of await (eligibleKeys?.(keys) ?? keys)) this.notify(key);
      if (this.#stopped) return;
    }
  }

  async #renewLeases(): Promise<void> {
    const { renew, leaseMs, now } = this.#options;
    if (this.#inMemory.size > 0) await renew?.([...this.#inMemory], after(now(), leaseMs));
  }

  /** Claims once half of what the key may hold at its pace is free: a claim for each job would cost more than the jobs. */
  #claimMore(key: string): void {
    if (this.#stopped || this.#claiming.has(key) || !this.#backlog.has(key)) return;
    const size = this.#nextClaimSize(key);
    const wanted = size - this.#scheduler.slots(key);
    const reserved = wanted < size / 2 ? 0 : this.#scheduler.reserve(key, wanted, size / 2);
    if (reserved === 0) return;
    this.#claiming.add(key);
    // Before the claim: a `notify` meanwhile puts the key in again.
    this.#backlog.delete(key);
    // Without context: the claim has nothing to do with the event or job that led to it.
    detached(() => currentContext.run({}, () => void this.#tasks.track(this.#claim(key, reserved, size))));
  }

  #nextClaimSize(key: string): number {
    const { perKey, inMemoryPerKey = 2 * perKey } = this.#options.limits;
    const min = 2 * perKey;
    const last = this.#lastClaims.get(key);
    const isQuick = last !== undefined && performance.now() - last.at < quickMs;
    return isQuick ? Math.max(min, Math.min(2 * last.size, maxClaim, inMemoryPerKey)) : min;
  }

  async #claim(key: string, reserved: number, size: number): Promise<void> {
    const { claim, leaseMs, logger, now } = this.#options;
    const at = performance.now();
    let claimed: Job[] = [];
    try {
      claimed = await claim(key, reserved, newLease(now(), leaseMs));
    } catch (error) {
      logger.warn('due jobs could not be claimed', { key, error });
    }
    for (const job of claimed) this.#add(key, job);
    if (claimed.length < reserved) this.#lastClaims.delete(key);
    else {
      this.#backlog.add(key);
      this.#lastClaims.set(key, { at, size });
    }
    this.#claiming.delete(key);
    this.#startReady();
    for (let unused = claimed.length; unused < reserved; unused++) this.#releaseSlot(key);
    this.#claimMore(key);
    if (this.#stopped) await this.#releaseUnstarted();
  }

  #add(key: string, job: Job): void {
    this.#inMemory.add(job);
    this.#scheduler.add(key, job, this.#options.groupOf?.(job));
  }

  #startReady(): void {
    while (!this.#stopped) {
      const next = this.#scheduler.next();
      if (next === null) return;
      const context = this.#options.contextOf?.(next.job) ?? {};
      detached(() => currentContext.run(context, () => void this.#tasks.track(this.#run(next.key, next.job))));
    }
  }

  async #run(key: string, job: Job): Promise<void> {
    let isRunning = true;
    const end = () => {
      if (!isRunning) return;
      isRunning = false;
      this.#scheduler.turnEnded(key);
      this.#startReady();
    };
    try {
      const turn = { key, signal: this.#abort.signal, end };
      await inSpan(this.#options.spanOf(job), () => this.#options.run(job, turn));
    } finally {
      end();
      this.#inMemory.delete(job);
      this.#releaseSlot(key);
    }
  }

  #releaseSlot(key: string): void {
    this.#scheduler.release(key);
    this.#claimMore(key);
    const [longestWaiting] = this.#backlog;
    if (longestWaiting !== undefined) this.#claimMore(longestWaiting);
  }

  #drainUnstarted(key?: string): Job[] {
    const jobs = this.#scheduler.drain(key);
    for (const job of jobs) this.#inMemory.delete(job);
    return jobs;
  }

  async #releaseUnstarted(): Promise<void> {
    const jobs = this.#drainUnstarted();
    if (jobs.length > 0) await this.#options.release(jobs);
  }

  async #waitForRunning(): Promise<void> {
    const { abortAfterMs } = this.#options;
    if (abortAfterMs === undefined) return this.#tasks.drain();
    const timer = setTimeout(() => this.#abort.abort(new QueueStopped()), abortAfterMs);
    // A job that ignores the signal is left to the end of its lease.
    await waitAtMost(this.#tasks.drain(), 2 * abortAfterMs);
    clearTimeout(timer);
    return undefined;
  }
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

/** All keys with something due until `until`, page by page. */
export async function* duePages(
  dueKeys: WorkQueueOptions<never>['dueKeys'],
  until: Date,
): AsyncGenerator<string[], void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const keys: string[] = await dueKeys(after, keysPerPage, until);
    if (keys.length > 0) yield keys;
    after = keys.length === keysPerPage ? keys.at(-1) : undefined;
  }
}
