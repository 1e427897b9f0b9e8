import { randomUUID } from 'node:crypto';
import { type ProviderClient, ProviderError } from '@app/providers';
import { createTaskTracker, type Logger } from '@app/runtime';
import { inSpan } from '@app/runtime/tracing';
import { createPoller, type Poller } from '@app/work-queue';
import type { ProviderAccount } from '../connections/connection.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { ProviderClients } from '../connections/provider-clients.ts';
import type { FetchFailureStore } from '../jobs/fetch-failure-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { countPoll, observeClock } from '../metrics.ts';
import type { PollLease, PollStore } from './poll-store.ts';
import { listedInvoices, nextPollAt, pollSince } from './poll-window.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { SubscriptionsAtProvider } from './subscriptions-at-provider.ts';

type Deps = {
  polls: PollStore;
  accounts: ProviderAccountStore;
  jobs: Pick<JobStore, 'enqueueListed'>;
  failures: Pick<FetchFailureStore, 'requeueExhausted'>;
  clients: ProviderClients;
  atProvider: SubscriptionsAtProvider;
  subscriptions: Pick<SubscriptionStore, 'forget'>;
  notifyWorker: (connectionId: string) => void;
  settings: { intervalMs: number; leaseMs: number; probeAfterMs: number; retryDelaysMs: readonly number[] };
  logger: Logger;
  now: () => Date;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const pollEveryMs = 1_000;
/** Of each provider: one that hangs does not keep the others from being polled. How many there are is a setting. */
const maxConcurrentPolls = 8;
/** Consecutive failures after which a connection is unhealthy. */
const maxConsecutiveFailures = 5;
/** Bounds a poll: a provider may give a list that never ends. */
const maxPages = 10_000;

/** Polls each active connection when it is due, in one process at a time. */
export class ProviderPoller {
  readonly #deps: Deps;
  readonly #interval: Poller;
  readonly #abort = new AbortController();
  readonly #tasks;
  /** Polls under way, by provider. */
  readonly #running = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const onError = (error: unknown) => deps.logger.warn('poll of a provider was aborted by an error', { error });
    this.#tasks = createTaskTracker(onError);
    this.#interval = createPoller({
      run: () => this.#startDue(),
      everyMs: pollEveryMs,
      immediate: true,
      onError,
    });
  }

  start(): void {
    this.#interval.start();
  }

  /** Tells the poller that a connection was created, switched on or given another key. */
  notify(): void {
    this.#interval.notify();
  }

  /** Aborts the polls in progress, which are due again at once. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the process was stopped'));
    await this.#interval.stop();
    await this.#tasks.drain();
  }

  async #startDue(): Promise<void> {
    const { polls, settings, now } = this.#deps;
    // A pause that a provider asked for is a day at most: a due time beyond was set by a clock that was ahead.
    const ownDelaysMs = [settings.probeAfterMs, settings.leaseMs, 2 * settings.intervalMs, ...settings.retryDelaysMs];
    const maxDelayMs = Math.max(dayMs, ...ownDelaysMs) + hourMs;
    while (!this.#abort.signal.aborted) {
      const at = now();
      const lease = { id: randomUUID(), until: this.#leaseEnd() };
      const except = [...this.#running].flatMap(([provider, polling]) =>
        polling < maxConcurrentPolls ? [] : [provider],
      );
      const account = await polls.claim(lease, { now: at, latest: new Date(at.getTime() + maxDelayMs), except });
      if (!account) return;
      const { id, provider } = account;
      this.#count(provider, 1);
      const attributes = { 'app.connection_id': id, 'app.provider': provider };
      const polling = inSpan({ name: 'poll provider', attributes }, () => this.#poll(account, lease)).finally(() => {
        this.#count(provider, -1);
        this.#interval.notify();
      });
      void this.#tasks.track(polling);
    }
  }

  #count(provider: string, change: 1 | -1): void {
    this.#running.set(provider, (this.#running.get(provider) ?? 0) + change);
  }

  async #poll(account: ProviderAccount, lease: PollLease): Promise<void> {
    const { polls, clients, accounts, failures, atProvider, settings, notifyWorker, logger, now } = this.#deps;
    const { pausedUntil, id } = account;
    if (account.state === 'inactive' || account.state === 'deleted') return this.#endSubscription(account, lease);
    if (pausedUntil && pausedUntil > now()) {
      await polls.end(id, lease, { next: pausedUntil, failed: false });
      return;
    }
    try {
      const { client, configured } = clients.of(account);
      if (!configured.provider.capabilities.poll) return await polls.disable(id, lease);
      const changes = await this.#readPages(account, lease, client);
      if (changes === null) return;
      await atProvider.ensure({ account, lease, client, signal: this.#abort.signal });
      if ((await failures.requeueExhausted(id, now())) > 0) notifyWorker(id);
      await polls.end(id, lease, { next: nextPollAt(now(), settings.intervalMs), failed: false });
      countPoll(account.provider, 'done');
      if (account.health === 'unhealthy') await accounts.markHealthy(account);
      logger.debug('provider polled', { connectionId: id, changes });
    } catch (error) {
      await this.#recordFailure(account, lease, error);
    }
  }

  /** The connection is off or deleted. If its provider does not answer for long, the subscription stays there. */
  async #endSubscription(account: ProviderAccount, lease: PollLease): Promise<void> {
    const { polls, clients, atProvider, subscriptions, settings, logger, now } = this.#deps;
    const { id, pollFailures } = account;
    try {
      await atProvider.end({ account, lease, client: clients.of(account).client, signal: this.#abort.signal });
    } catch (error) {
      const delayMs = settings.retryDelaysMs[pollFailures];
      const fields = { connectionId: id, reason: String(error) };
      if (delayMs === undefined) {
        logger.warn('a subscription stays at its provider', fields);
        await subscriptions.forget(id, lease);
        return;
      }
      logger.info('a subscription could not be ended yet', fields);
      await polls.end(id, lease, { next: new Date(now().getTime() + delayMs), failed: true });
    }
  }

  /** Stores each page as jobs before it counts as seen. Returns the number of changes; null if the lease was lost. */
  async #readPages(account: ProviderAccount, lease: PollLease, client: ProviderClient): Promise<number | null> {
    const { polls, jobs, notifyWorker, now } = this.#deps;
    const { id } = account;
    const startedAt = now();
    const since = pollSince(account, startedAt);
    let cursor: string | null = null;
    let changes = 0;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const page = await client.listChanged(since, cursor, this.#abort.signal);
      if (page.answeredAt) observeClock(account.provider, { ours: now(), theirs: page.answeredAt });
      const listed = listedInvoices(page);
      await jobs.enqueueListed(listed, { connectionId: id, at: now() });
      if (listed.length > 0) notifyWorker(id);
      changes += listed.length;
      const isLast = page.cursor === null;
      const extended = { ...lease, until: this.#leaseEnd() };
      const progress = { seenUntil: page.watermark, lastPolledAt: isLast ? startedAt : null };
      if (!(await polls.advance(id, extended, progress))) return null;
      if (isLast) return changes;
      if (page.cursor === cursor) break;
      cursor = page.cursor;
    }
    throw new ProviderError('transient', "the provider's list of changes does not end");
  }

  /** By the clock that `claim` compares the end with. */
  #leaseEnd(): Date {
    const { now, settings } = this.#deps;
    return new Date(now().getTime() + settings.leaseMs);
  }

  async #recordFailure(account: ProviderAccount, lease: PollLease, error: unknown): Promise<void> {
    const { polls, accounts, settings, logger, now } = this.#deps;
    const { id } = account;
    const at = now();
    const after = (ms: number) => new Date(at.getTime() + ms);
    if (this.#abort.signal.aborted) {
      await polls.end(id, lease, { next: at, failed: false });
      return;
    }
    const providerError = error instanceof ProviderError ? error : null;
    countPoll(account.provider, 'failed');
    logger.warn('poll failed', {
      connectionId: id,
      ...(providerError ? { reason: providerError.message } : { error }),
    });
    if (providerError?.kind === 'unauthorized') {
      const probeAt = after(settings.probeAfterMs);
      await accounts.credentialsRefused(account, probeAt, at);
      await polls.end(id, lease, { next: probeAt, failed: true });
    } else if (providerError?.retryAfterMs) {
      const until = after(providerError.retryAfterMs);
      await accounts.pauseUntil(id, until);
      await polls.end(id, lease, { next: until, failed: false });
    } else {
      const failures = await polls.end(id, lease, { next: nextPollAt(at, settings.intervalMs), failed: true });
      if (failures >= maxConsecutiveFailures) await accounts.markUnhealthy(id, 'polls_failing', at);
    }
  }
}
