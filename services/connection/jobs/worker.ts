import type { Logger } from '@app/runtime';
import { createWorkQueue, type Turn } from '@app/work-queue';
import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../connections/account-store.ts';
import { type Account, isCallable } from '../connections/connection.ts';
import type { Job, Lease } from './job.ts';
import type { JobStore } from './job-store.ts';
import type { JobResult } from './run-job.ts';

export type Worker = {
  /** A job of this connection is due. */
  notify(connectionId: string): void;
  /** The connection was changed or deleted: its jobs that have not started are released. */
  connectionChanged(connectionId: string): Promise<void>;
  start(): void;
  /** Claims nothing more, lets running jobs end for a while, then aborts them. */
  stop(): Promise<void>;
};

export type WorkerSettings = {
  /** Concurrent calls per connection, and in total. */
  concurrency: number;
  totalConcurrency: number;
  /** A job whose process says nothing for this long is taken over. */
  leaseMs: number;
};

type Deps = {
  jobs: JobStore;
  accounts: AccountStore;
  runner: {
    run(job: Job, account: Account, signal: AbortSignal): Promise<JobResult>;
    cancel(jobs: Job[]): Promise<void>;
  };
  settings: WorkerSettings;
  logger: Logger;
  now: () => Date;
};

/** How long a job may start with a cached account: another replica may have changed the connection since. */
const accountCacheMs = 1_000;
const maxCachedAccounts = 1_000;
const cancelBatch = 500;
const abortAfterMs = 5_000;

/** Claims due jobs and runs them, in fair turns between connections. */
export function createWorker({ jobs, accounts, runner, settings, logger, now }: Deps): Worker {
  const { concurrency, totalConcurrency, leaseMs } = settings;
  const cachedAccounts = new LRUCache<string, Account>({ max: maxCachedAccounts, ttl: accountCacheMs });
  const queue = createWorkQueue<Job>({
    ...{ claim, run, leaseMs, abortAfterMs, logger },
    limits: { perKey: concurrency, total: totalConcurrency },
    dueKeys: jobs.dueConnections,
    async eligibleKeys(ids) {
      const found = await accounts.load(ids);
      return ids.filter((id) => isWorkable(found.get(id), now()));
    },
    release: (unstarted) => jobs.release(unstarted, now()),
    renew: jobs.renew,
  });

  /** The account is loaded again after the claim, so that jobs added while the connection was deleted are cancelled too. */
  async function claim(id: string, limit: number, lease: Lease): Promise<Job[]> {
    const before = await loadAccount(id);
    if (before?.state === 'deleted') {
      await cancelAll(id, lease);
      return [];
    }
    // A rejected key is probed with one call at a time.
    if (before?.credentialsRejected && queue.running(id) > 0) return [];
    const claimed = await jobs.claim(id, before?.credentialsRejected ? 1 : limit, lease);
    if (claimed.length === 0) return [];
    cachedAccounts.delete(id);
    const account = await loadAccount(id);
    if (account?.state === 'deleted') {
      await runner.cancel(claimed);
      return [];
    }
    if (isCallable(account, now())) return claimed;
    await jobs.release(claimed, now());
    return [];
  }

  async function cancelAll(id: string, lease: Lease): Promise<void> {
    let claimed: Job[];
    do {
      claimed = await jobs.claim(id, cancelBatch, lease);
      await runner.cancel(claimed);
    } while (claimed.length === cancelBatch);
  }

  async function run(job: Job, { key: id, signal }: Turn): Promise<void> {
    const account = await loadAccount(id);
    if (!isCallable(account, now())) return jobs.release([job, ...queue.evict(id)], now());
    const result = await runner.run(job, account, signal);
    if (result === 'paused') await releaseUnstarted(id);
    // After a probe that succeeded the others are due as well.
    else if (result === 'requeued' || account.credentialsRejected) queue.notify(id);
  }

  async function loadAccount(id: string): Promise<Account | undefined> {
    const cached = cachedAccounts.get(id);
    if (cached) return cached;
    const account = await accounts.find(id);
    if (account) cachedAccounts.set(id, account);
    return account;
  }

  async function releaseUnstarted(id: string): Promise<void> {
    cachedAccounts.delete(id);
    await jobs.release(queue.evict(id), now());
  }

  return {
    notify: queue.notify,
    connectionChanged: releaseUnstarted,
    start: queue.start,
    stop: queue.stop,
  };
}

/** Callable, or deleted: then its jobs are cancelled. */
function isWorkable(account: Account | undefined, at: Date): boolean {
  return account?.state === 'deleted' || isCallable(account, at);
}
