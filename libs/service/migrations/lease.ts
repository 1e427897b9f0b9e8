import { setTimeout as delay } from 'node:timers/promises';
import { createLeases, type Logger } from '@app/runtime';
import type { mongo } from 'mongoose';

export type LeaseTimes = {
  /** How long a lease lasts without renewal, 30 s; it is renewed every third of that. */
  leaseMs: number;
  /** How often a lease that another process holds is asked for, every 500 ms. */
  askEveryMs: number;
};

type LeaseOptions = LeaseTimes & { database: mongo.Db; name: string; logger: Logger };

/**
 * Runs `work` under a lease of the database: one process at a time, the others wait. A process that dies keeps it for `leaseMs`
 * at most. Times are compared and set by the server's clock. `signal` is aborted once the lease may have passed to another.
 */
export async function withLease<T>(options: LeaseOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { database, name, leaseMs, askEveryMs, logger } = options;
  const leases = createLeases(leaseMs);
  for (let asked = 0; !(await leases.take(database, name)); asked++) {
    if (asked === 0) logger.info('waiting for a lease that another process holds', { lease: name });
    await delay(askEveryMs);
  }
  const lost = new AbortController();
  const renew = async () => {
    if (!(await leases.take(database, name))) lost.abort(new LeaseLost(name));
  };
  const stop = startRenewal({ leaseMs, renew, onMissed: () => lost.abort(new LeaseLost(name)) });
  try {
    return await work(lost.signal);
  } finally {
    stop();
    // If this fails, the lease ends by itself.
    await leases.release(database, name).catch(() => undefined);
  }
}

/** The lease may have passed to another process, which may be at work. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(name: string) {
    super(`the lease "${name}" was lost: the database did not answer in time, or this process stood still`);
  }
}

type Renewal = { leaseMs: number; renew: () => Promise<void>; onMissed: () => void };

/** Renews three times within each lease. A renewal counts from when it was sent. */
function startRenewal({ leaseMs, renew, onMissed }: Renewal): () => void {
  let renewedAt = performance.now();
  const timer = setInterval(() => {
    const sentAt = performance.now();
    if (sentAt - renewedAt > leaseMs) onMissed();
    renew().then(
      () => {
        renewedAt = sentAt;
      },
      // An outage: the next one may succeed in time.
      () => undefined,
    );
  }, leaseMs / 3);
  return () => clearInterval(timer);
}
