import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createTaskTracker, currentContext, type LogContext, type Logger } from '@app/runtime';
import { createFairScheduler, type WorkQueueLimits } from './fair-scheduler.ts';
import { createPoller } from './poller.ts';

export type { WorkQueueLimits } from './fair-scheduler.ts';

/**
 * The right to work on a job until `until`. It is stored with the job; a result is recorded only under the lease that the
 * job still has, so that of two processes one alone records.
 */
export type Lease = { id: string; until: Date };

export function newLease(leaseMs: number): Lease {
  return { id: randomUUID(), until: new Date(Date.now() + leaseMs) };
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
   * Takes up to `limit` due jobs of a key under the lease. As many as `limit` mean that more may be due; a `notify` for
   * the key meanwhile has it claim again.
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
  /** A slot of the key may be free for `tryEnqueue`. */
  onSlotFreed?(key: string): void;
  limits: WorkQueueLimits;
  leaseMs: number;
  /** On stop, running jobs are aborted after this time and abandoned after twice of it; by default they run to their end. */
  abortAfterMs?: number;
  logger: Logger;
};

export type WorkQueue<Job> = {
  /** Something of this key is due: claims it as far as there are free slots. */
  notify(key: string): void;
  /**
   * Queues a job that was not claimed (a new one). False if it must go through the database: there is no free slot, older
   * jobs of the key wait there, or the queue is stopped.
   */
  tryEnqueue(key: string, job: Job): boolean;
  /** True if the database has more due for this key than is held in memory. */
  hasBacklog(key: string): boolean;
  /** Forgets the key and takes out its jobs that have not started; the caller releases or cancels them. */
  evict(key: string): Job[];
  /** Jobs of the key that are running. */
  running(key: string): number;
  start(): void;
  /** Claims nothing more, releases what has not started and waits for the jobs that are running. */
  stop(): Promise<void>;
};

/** Half of the second in which a due job must start; the other half is left for the queries. */
const pollEveryMs = 500;
const keysPerPage = 1_000;
/** A key that used up its last claim within this time gets twice as many with the next. */
const quickMs = 1_000;
const maxClaim = 256;

/** Claims what is due in a collection under leases, and runs it in fair turns between keys. */
export function createWorkQueue<Job>(options: WorkQueueOptions<Job>): WorkQueue<Job> {
  const { limits, leaseMs, abortAfterMs, logger } = options;
  const scheduler = createFairScheduler<Job>(limits);
  const minClaim = 2 * limits.perKey;
  /** Keys that may have more due in the database than is held in memory, the longest waiting first. */
  const backlog = new Set<string>();
  const claiming = new Set<string>();
  /** Size and time of the last claim, of keys that had yet more due. */
  const lastClaims = new Map<string, { at: number; size: number }>();
  const held = new Set<Job>();
  const tasks = createTaskTracker((error) => logger.error('job left to the end of its lease', { error }));
  const abort = new AbortController();
  let stopped = false;

  const duePoller = createPoller({
    run: pollDueKeys,
    everyMs: pollEveryMs,
    immediate: true,
    onError: (error) => logger.warn('cannot look for due jobs', { error }),
  });
  const renewer = createPoller({
    run: renewLeases,
    everyMs: leaseMs / 3,
    onError: (error) => logger.warn('cannot renew leases', { error }),
  });

  async function pollDueKeys(): Promise<void> {
    for await (const keys of duePages(options.dueKeys, new Date())) {
      for (const key of await (options.eligibleKeys?.(keys) ?? keys)) notify(key);
      if (stopped) return;
    }
  }

  async function renewLeases(): Promise<void> {
    if (held.size > 0) await options.renew?.([...held], new Date(Date.now() + leaseMs));
  }

  function notify(key: string): void {
    backlog.add(key);
    claimMore(key);
  }

  /** Claims once half of what the key may hold at its pace is free: a claim for each job would cost more than the jobs. */
  function claimMore(key: string): void {
    if (stopped || claiming.has(key) || !backlog.has(key)) return;
    const size = nextClaimSize(key);
    const wanted = size - scheduler.slots(key);
    const reserved = wanted < size / 2 ? 0 : scheduler.reserve(key, wanted, size / 2);
    if (reserved === 0) return;
    claiming.add(key);
    // Before the claim: a `notify` meanwhile puts the key in again.
    backlog.delete(key);
    // Without context: the claim has nothing to do with the event or job that led to it.
    currentContext.run({}, () => void tasks.track(claim(key, reserved, size)));
  }

  function nextClaimSize(key: string): number {
    const last = lastClaims.get(key);
    const isQuick = last !== undefined && Date.now() - last.at < quickMs;
    const most = Math.max(minClaim, Math.min(maxClaim, limits.heldPerKey ?? minClaim));
    return isQuick ? Math.min(most, Math.max(minClaim, 2 * last.size)) : minClaim;
  }

  async function claim(key: string, reserved: number, size: number): Promise<void> {
    const at = Date.now();
    let claimed: Job[] = [];
    try {
      claimed = await options.claim(key, reserved, newLease(leaseMs));
      for (const job of claimed) add(key, job);
    } catch (error) {
      logger.warn('cannot claim due jobs', { key, error });
    } finally {
      if (claimed.length < reserved) lastClaims.delete(key);
      else {
        backlog.add(key);
        lastClaims.set(key, { at, size });
      }
      claiming.delete(key);
      startReady();
      for (let unused = claimed.length; unused < reserved; unused++) releaseSlot(key);
      claimMore(key);
    }
    if (stopped) await releaseUnstarted();
  }

  function add(key: string, job: Job): void {
    held.add(job);
    scheduler.add(key, job, options.groupOf?.(job));
  }

  function startReady(): void {
    for (let next = stopped ? null : scheduler.next(); next !== null; next = scheduler.next()) {
      const { key, job } = next;
      currentContext.run(options.contextOf?.(job) ?? {}, () => void tasks.track(runJob(key, job)));
    }
  }

  async function runJob(key: string, job: Job): Promise<void> {
    let isRunning = true;
    const end = () => {
      if (!isRunning) return;
      isRunning = false;
      scheduler.turnEnded(key);
      startReady();
    };
    try {
      await options.run(job, { key, signal: abort.signal, end });
    } finally {
      end();
      held.delete(job);
      releaseSlot(key);
    }
  }

  function releaseSlot(key: string): void {
    scheduler.release(key);
    claimMore(key);
    const [longestWaiting] = backlog;
    if (longestWaiting !== undefined) claimMore(longestWaiting);
    options.onSlotFreed?.(key);
  }

  function takeUnstarted(key?: string): Job[] {
    const jobs = scheduler.drain(key);
    for (const job of jobs) held.delete(job);
    return jobs;
  }

  async function releaseUnstarted(): Promise<void> {
    const jobs = takeUnstarted();
    if (jobs.length > 0) await options.release(jobs);
  }

  async function waitForRunning(): Promise<void> {
    if (abortAfterMs === undefined) return tasks.drain();
    const timer = setTimeout(() => abort.abort(new QueueStopped()), abortAfterMs);
    // A job that does not heed the signal is left to the end of its lease.
    await Promise.race([tasks.drain(), delay(2 * abortAfterMs, undefined, { ref: false })]);
    clearTimeout(timer);
    return undefined;
  }

  return {
    notify,
    tryEnqueue(key, job) {
      if (stopped || backlog.has(key) || scheduler.reserve(key, 1) === 0) return false;
      add(key, job);
      startReady();
      return true;
    },
    hasBacklog: (key) => backlog.has(key),
    evict(key) {
      backlog.delete(key);
      lastClaims.delete(key);
      return takeUnstarted(key);
    },
    running: scheduler.running,
    start() {
      duePoller.start();
      if (options.renew) renewer.start();
    },
    async stop() {
      stopped = true;
      await duePoller.stop();
      await releaseUnstarted();
      await waitForRunning();
      await renewer.stop();
    },
  };
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
