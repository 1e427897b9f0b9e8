import { currentContext, type Logger } from '@app/runtime';
import type { Job } from './deliver.ts';
import type { DeliveryStore, Lease } from './delivery-store.ts';
import { storedBefore } from './storing.ts';
import type { TargetStore } from './target-store.ts';
import type { Turns } from './turns.ts';

/** What is due in the database, and is claimed as far as there are places for it. */
export type DueWork = {
  /** Something of this endpoint has become due. */
  wake(endpointId: string): void;
  /** A place of this endpoint has become free. */
  placeFree(endpointId: string): void;
  /** More is due for this endpoint than is held here. */
  behind(endpointId: string): void;
  /** True where what is new has to wait in the database behind what is older. */
  isBehind(endpointId: string): boolean;
  forget(endpointId: string): void;
  start(): void;
  stop(): void;
};

type Deps = {
  targets: Pick<TargetStore, 'read'>;
  deliveries: Pick<DeliveryStore, 'claim' | 'dueEndpoints' | 'cancelWaiting'>;
  turns: Turns<Job>;
  endpointConcurrency: number;
  newLease: () => Lease;
  /** Starts what may start. */
  run: () => void;
  track: (work: Promise<void>) => void;
  /** A place of the endpoint may be free for something new. */
  freed: (endpointId: string) => void;
  logger: Logger;
};

/** Retries start within a second of their time (design section 11); half of it is left for the query and the claim. */
const sweepEveryMs = 500;
const sweptAtOnce = 1_000;
/** As late as a Date may be. */
const ever = new Date(8_640_000_000_000_000);
/** An endpoint that has used up what was claimed within that time is given more the next time. */
const quickMs = 1_000;
const mostClaimed = 256;

/** Looks for what is due and claims it, in batches: one round trip for many. */
export function createDueWork(deps: Deps): DueWork {
  const { targets, deliveries, turns, logger } = deps;
  const leastClaimed = 2 * deps.endpointConcurrency;
  /** Endpoints with more due in the database than is held here. */
  const backlog = new Set<string>();
  const claiming = new Set<string>();
  /** How many could be held when more were claimed last, and when that was, of those that have yet more. */
  const claims = new Map<string, { at: number; size: number }>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let cleared = false;

  /** Once half of what it may hold at its pace is free. */
  function wake(endpointId: string): void {
    backlog.add(endpointId);
    if (stopped || claiming.has(endpointId)) return;
    const size = nextSize(endpointId);
    const wanted = size - turns.held(endpointId);
    const places = wanted < size / 2 ? 0 : turns.reserve(endpointId, wanted, size / 2);
    if (places === 0) return;
    claiming.add(endpointId);
    backlog.delete(endpointId);
    const claimed = async () => {
      await claim(endpointId, places, size).finally(() => {
        claiming.delete(endpointId);
        if (backlog.has(endpointId)) wake(endpointId);
      });
    };
    // In no context: what is claimed has nothing to do with whatever has just ended.
    currentContext.run({}, () => deps.track(claimed()));
  }

  function nextSize(endpointId: string): number {
    const last = claims.get(endpointId);
    const isQuick = last !== undefined && Date.now() - last.at < quickMs;
    return isQuick ? Math.max(leastClaimed, Math.min(mostClaimed, 2 * last.size)) : leastClaimed;
  }

  async function claim(endpointId: string, places: number, size: number): Promise<void> {
    let filled = 0;
    const at = new Date();
    try {
      const target = await targets.read(endpointId);
      if (!target?.active) {
        await deliveries.cancelWaiting(endpointId, target);
        return;
      }
      const lease = deps.newLease();
      const claimed = await deliveries.claim(endpointId, places, lease);
      for (const delivery of claimed) {
        const job = { delivery, target, readAt: at.getTime(), lease, storing: storedBefore };
        turns.put(endpointId, job, target.companyId);
      }
      filled = claimed.length;
      if (filled === places) {
        backlog.add(endpointId);
        claims.set(endpointId, { at: at.getTime(), size });
      }
      deps.run();
    } finally {
      if (filled < places) claims.delete(endpointId);
      for (let place = filled; place < places; place++) {
        turns.release(endpointId);
        deps.freed(endpointId);
      }
    }
  }

  async function sweep(): Promise<void> {
    if (!cleared) await forEachDue(ever, cancelLeft);
    cleared = true;
    await forEachDue(new Date(), (endpointId) => wake(endpointId));
  }

  async function forEachDue(until: Date, work: (endpointId: string) => unknown): Promise<void> {
    let after = '';
    do {
      const due = await deliveries.dueEndpoints(after, sweptAtOnce, until);
      await Promise.all(due.map(work));
      after = due.length === sweptAtOnce ? (due.at(-1) ?? '') : '';
    } while (after !== '' && !stopped);
  }

  /** Whoever stopped the endpoint may have died before this: its retries would wait for their time, for hours perhaps. */
  async function cancelLeft(endpointId: string): Promise<void> {
    const target = await targets.read(endpointId);
    if (!target?.active) await deliveries.cancelWaiting(endpointId, target);
  }

  function sweepLater(delayMs: number): void {
    timer = setTimeout(() => {
      sweep()
        .catch((error) => logger.warn('cannot look for due deliveries', { error }))
        .finally(() => !stopped && sweepLater(sweepEveryMs));
    }, delayMs);
  }

  return {
    wake,
    placeFree(endpointId) {
      if (backlog.has(endpointId)) wake(endpointId);
    },
    behind: (endpointId) => void backlog.add(endpointId),
    isBehind: (endpointId) => backlog.has(endpointId),
    forget(endpointId) {
      backlog.delete(endpointId);
      claims.delete(endpointId);
    },
    start: () => sweepLater(0),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
