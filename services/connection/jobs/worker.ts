import type { Logger } from '@app/runtime';
import { type Lease, type Turn, WorkQueue } from '@app/work-queue';
import { LRUCache } from 'lru-cache';
import { isCallable, type ProviderAccount } from '../connections/connection.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { Job } from './job.ts';
import type { JobStore } from './job-store.ts';
import type { JobRunner } from './run-job.ts';

type WorkerSettings = {
  /** Concurrent calls per connection, and in total. */
  concurrency: number;
  totalConcurrency: number;
  /** A job whose process has not renewed its lease for this long is taken over. */
  leaseMs: number;
};

type Deps = {
  jobs: JobStore;
  accounts: ProviderAccountStore;
  runner: JobRunner;
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
export class Worker {
  readonly #deps: Deps;
  readonly #queue: WorkQueue<Job>;
  readonly #accountCache = new LRUCache<string, ProviderAccount>({ max: maxCachedAccounts, ttl: accountCacheMs });

  constructor(deps: Deps) {
    const { jobs, accounts, settings, logger, now } = deps;
    const { concurrency, totalConcurrency, leaseMs } = settings;
    this.#deps = deps;
    this.#queue = new WorkQueue<Job>({
      dueKeys: (after, limit, at) => jobs.dueConnections(after, limit, at),
      async eligibleKeys(ids) {
        const found = await accounts.load(ids);
        return ids.filter((id) => isWorkable(found.get(id), now()));
      },
      claim: (id, limit, lease) => this.#claim(id, limit, lease),
      release: (unstarted) => jobs.release(unstarted, now()),
      renew: (leased, until) => jobs.renew(leased, until),
      run: (job, turn) => this.#run(job, turn),
      spanOf: ({ kind, connectionId }) => ({
        name: kind === 'fetch' ? 'fetch invoice' : 'send feedback',
        attributes: { 'app.connection_id': connectionId },
      }),
      limits: { perKey: concurrency, total: totalConcurrency },
      leaseMs,
      abortAfterMs,
      logger,
      now,
    });
  }

  start(): void {
    this.#queue.start();
  }

  /** Claims nothing more, lets running jobs end for a while, then aborts them. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** Tells the worker that a job of this connection is due. */
  notify(connectionId: string): void {
    this.#queue.notify(connectionId);
  }

  /** The connection was changed or deleted, or must not be called: releases its jobs that have not started. */
  async releaseUnstarted(connectionId: string): Promise<void> {
    this.#accountCache.delete(connectionId);
    await this.#deps.jobs.release(this.#queue.evict(connectionId), this.#deps.now());
  }

  /** The account is loaded again after the claim, so that jobs added while the connection was deleted are cancelled too. */
  async #claim(id: string, limit: number, lease: Lease): Promise<Job[]> {
    const { jobs, runner, now } = this.#deps;
    const before = await this.#loadAccount(id);
    if (before?.state === 'deleted') {
      await this.#cancelAll(id, lease);
      return [];
    }
    // A rejected key is probed with one call at a time.
    if (before?.credentialsRefused && this.#queue.running(id) > 0) return [];
    const claimed = await jobs.claim(id, before?.credentialsRefused ? 1 : limit, lease);
    if (claimed.length === 0) return [];
    this.#accountCache.delete(id);
    const account = await this.#loadAccount(id);
    if (account?.state === 'deleted') {
      await runner.cancel(claimed);
      return [];
    }
    if (isCallable(account, now())) return claimed;
    await jobs.release(claimed, now());
    return [];
  }

  async #cancelAll(id: string, lease: Lease): Promise<void> {
    const { jobs, runner } = this.#deps;
    let claimed: Job[];
    do {
      claimed = await jobs.claim(id, cancelBatch, lease);
      await runner.cancel(claimed);
    } while (claimed.length === cancelBatch);
  }

  async #run(job: Job, { key: id, signal }: Turn): Promise<void> {
    const { jobs, runner, now } = this.#deps;
    const account = await this.#loadAccount(id);
    if (!isCallable(account, now())) {
      await jobs.release([job], now());
      return this.releaseUnstarted(id);
    }
    const result = await runner.run(job, account, signal);
    if (result === 'paused') await this.releaseUnstarted(id);
    // After a successful probe the other jobs may start as well, and feedback may have waited for this one.
    else if (result === 'requeued' || account.credentialsRefused || job.kind === 'feedback') this.notify(id);
  }

  async #loadAccount(id: string): Promise<ProviderAccount | undefined> {
    const cached = this.#accountCache.get(id);
    if (cached) return cached;
    const account = await this.#deps.accounts.find(id);
    if (account) this.#accountCache.set(id, account);
    return account;
  }
}

/** Callable, or deleted: then its jobs are cancelled. */
function isWorkable(account: ProviderAccount | undefined, at: Date): boolean {
  return account?.state === 'deleted' || isCallable(account, at);
}
