import { randomUUID } from 'node:crypto';
import { type ProviderClient, ProviderError } from '@app/providers';
import type { Logger } from '@app/runtime';
import type { AccountStore } from '../connections/account-store.ts';
import type { Account } from '../connections/connection.ts';
import type { FailureStore } from '../jobs/failure-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { ProviderClients } from '../provider-client.ts';
import type { PollLease, PollStore } from './poll-store.ts';
import { fetchedSince, nextPollAt, pollSince } from './poll-window.ts';

export type Poller = {
  /** A connection was made, switched on or given another key. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
};

type Deps = {
  polls: PollStore;
  accounts: AccountStore;
  jobs: Pick<JobStore, 'want'>;
  failures: Pick<FailureStore, 'wantAgain'>;
  clients: ProviderClients;
  /** Told where there is something to fetch. */
  wakeWorker: (connectionId: string) => void;
  settings: { intervalMs: number; leaseMs: number; probeAfterMs: number };
  logger: Logger;
  now: () => Date;
};

const sweepEveryMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const pollsAtOnce = 8;
/** Polls that fail one after the other before the connection is called unhealthy. */
const failuresBorne = 5;
/** A list that does not end by then does not end. */
const mostPages = 10_000;

/** Polls every active connection in its turn, each by one process at a time. */
export function createPoller({
  polls,
  accounts,
  jobs,
  failures,
  clients,
  wakeWorker,
  settings,
  logger,
  now,
}: Deps): Poller {
  const running = new Set<Promise<void>>();
  const cut = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function sweep(): void {
    if (stopped || running.size >= pollsAtOnce) return;
    const polling = pollNext()
      .then((found) => found && setImmediate(sweep))
      .catch((error) => logger.warn('a poll was interrupted', { error }))
      .then(() => void running.delete(polling));
    running.add(polling);
  }

  // The end of a pause that a provider asked for is a day away at most.
  const farthestMs = Math.max(dayMs, settings.probeAfterMs, settings.leaseMs, 2 * settings.intervalMs) + hourMs;
  const newLease = () => ({ id: randomUUID(), until: new Date(now().getTime() + settings.leaseMs) });

  async function pollNext(): Promise<boolean> {
    const lease = newLease();
    const at = now();
    const account = await polls.claim(lease, { now: at, latest: new Date(at.getTime() + farthestMs) });
    if (!account) return false;
    // The next in line need not wait for this one.
    setImmediate(sweep);
    await poll(account, lease);
    return true;
  }

  async function poll(account: Account, lease: PollLease): Promise<void> {
    const { heldUntil, id } = account;
    if (heldUntil && heldUntil > now()) return void (await polls.end(id, lease, { next: heldUntil, failed: false }));
    try {
      const { client, known } = clients.of(account);
      if (!known.provider.capabilities.poll) return await polls.never(id, lease);
      const listed = await readPages(account, lease, client);
      if (listed === null) return;
      await polls.end(id, lease, { next: nextPollAt(now(), settings.intervalMs), failed: false });
      if (account.health === 'unhealthy') await accounts.recovered(account);
      if ((await failures.wantAgain(id, now())) > 0) wakeWorker(id);
      logger.debug('polled', { connectionId: id, listed });
    } catch (error) {
      await failed(account, lease, error);
    }
  }

  /** Every page of what changed, each stored as jobs before it counts as seen; null where the lease was lost. */
  async function readPages(account: Account, lease: PollLease, client: ProviderClient): Promise<number | null> {
    const { id } = account;
    const startedAt = now();
    const since = pollSince(account, startedAt);
    let cursor: string | null = null;
    let listed = 0;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = await client.listChanged(since, cursor, cut.signal);
      const externalIds = page.changes.map(({ externalId }) => externalId);
      await jobs.want({ connectionId: id, externalIds, unlessFetchedSince: fetchedSince(page), at: now() });
      if (externalIds.length > 0) wakeWorker(id);
      listed += externalIds.length;
      const renewed = { ...lease, until: newLease().until };
      const isLast = page.cursor === null;
      const seen = { seenUntil: page.watermark, lastPolledAt: isLast ? startedAt : null };
      if (!(await polls.advance(id, renewed, seen))) return null;
      if (isLast) return listed;
      if (page.cursor === cursor) break;
      cursor = page.cursor;
    }
    throw new ProviderError('transient', "the provider's list of changes does not end");
  }

  async function failed(account: Account, lease: PollLease, error: unknown): Promise<void> {
    const { id } = account;
    const at = now();
    if (stopped) return void (await polls.end(id, lease, { next: at, failed: false }));
    const fault = error instanceof ProviderError ? error : null;
    logger.warn('poll failed', { connectionId: id, ...(fault ? { reason: fault.message } : { error }) });
    const next = nextPollAt(at, settings.intervalMs);
    if (fault?.kind === 'unauthorized') {
      const probe = new Date(at.getTime() + settings.probeAfterMs);
      await accounts.refused(account, probe, at);
      await polls.end(id, lease, { next: probe, failed: true });
    } else if (fault?.retryAfterMs) {
      const until = new Date(at.getTime() + fault.retryAfterMs);
      await accounts.hold(id, until);
      await polls.end(id, lease, { next: until, failed: false });
    } else if ((await polls.end(id, lease, { next, failed: true })) >= failuresBorne) {
      await accounts.failing(id, 'polls_failing', at);
    }
  }

  return {
    wake: sweep,
    start() {
      timer = setInterval(sweep, sweepEveryMs);
      sweep();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      cut.abort(new Error('the process was stopped'));
      while (running.size > 0) await Promise.all(running);
    },
  };
}
