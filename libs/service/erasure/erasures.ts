import { type NewEvent, type UserSnapshot, userCopiesErased, userErased } from '@app/contracts';
import { type Broker, on, toCloudEvents } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { createPoller, type Lease, newLease } from '@app/work-queue';
import type { Connection } from 'mongoose';
import { createErasureStore, type Erasure } from './erasure-store.ts';

/**
 * Replaces what the service keeps of a person, on the page after `after`; `user` has the neutral values. It may be
 * repeated.
 * @param signal aborted if the process stops: a long page then throws, and is repeated later
 * @returns the position after which the next page begins; null if there is none
 */
export type ErasePage = (user: UserSnapshot, after: string | null, signal: AbortSignal) => Promise<string | null>;

export type Erasures = ReturnType<typeof createErasures>;

type Deps = {
  connection: Connection;
  service: string;
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  now: () => Date;
  erasePage: ErasePage;
  settleMs?: number | undefined;
};

const pollMs = 5_000;
/** Longer than the longest page: the messages to one webhook endpoint. */
const leaseMs = 10 * 60_000;
/**
 * The pause before the last pass. An internal token is valid for 6 minutes (libs/http/callers/internal-token.ts), so a
 * request that was admitted before the erasure may write the old name until then.
 */
const defaultSettleMs = 10 * 60_000;

/** Erases persons from one service, a page at a time, on any of its replicas; then publishes that it is done. */
export function createErasures({ connection, service, broker, logger, now, ...deps }: Deps) {
  const { erasePage, settleMs = defaultSettleMs } = deps;
  const store = createErasureStore(connection);
  const stopping = new AbortController();
  const inFuture = (ms: number) => new Date(now().getTime() + ms);

  /** Works on a page of one job; false if no job is due. */
  async function work(): Promise<boolean> {
    const lease = newLease(now(), leaseMs);
    const claimed = await store.claim(lease);
    if (claimed === null) return false;
    await workOn(claimed, lease).catch(async (error) => {
      const { user, pass, after } = claimed;
      await store.save(user.id, lease, { pass, after, dueAt: inFuture(pollMs) });
      throw error;
    });
    return true;
  }

  async function workOn({ user, pass, after }: Erasure, lease: Lease): Promise<void> {
    const next = await erasePage(user, after, stopping.signal);
    if (next !== null) return store.save(user.id, lease, { pass, after: next, dueAt: now() });
    if (pass === 'first') return store.save(user.id, lease, { pass: 'last', after: null, dueAt: inFuture(settleMs) });
    // Published before it is recorded: after a crash in between it is published twice.
    await broker.publish(toCloudEvents(service, [userCopiesErased({ user_id: user.id, service }, now(), user.id)]));
    await store.finish(user.id, lease);
    logger.info('person erased', { userId: user.id });
  }

  const poller = createPoller({
    run: work,
    everyMs: pollMs,
    immediate: true,
    onError: (error) => logger.warn('an erasure failed and will be repeated', { error }),
  });

  const begin = on(userErased, async ({ data }) => {
    await store.begin(data, now());
    poller.notify();
  });

  return {
    /** The queue `erasures` of a service that keeps names of users. */
    subscription: { queue: 'erasures', table: [begin] },
    start: poller.start,
    async stop(): Promise<void> {
      stopping.abort();
      await poller.stop();
    },
    /** Those of the ids that belong to erased users. */
    erasedAmong: (userIds: string[]): Promise<Set<string>> => store.erasedAmong(userIds),
    /** A task after a restore of identity: publishes all erasures again for it, a page at a time. */
    async publishAgain(after: string | null): Promise<{ events: NewEvent[]; next: string | null }> {
      const { erased, next } = await store.page(after);
      return { events: erased.map((one) => userErased(one, now(), one.user.id)), next };
    },
  };
}
