import { randomUUID } from 'node:crypto';
import type { Logger } from '@app/runtime';
import type { Deliverer, Job } from './deliver.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { DeliveryStore, Lease } from './delivery-store.ts';
import type { EndpointStore, Target } from './endpoint-store.ts';
import { createTurns } from './turns.ts';

export type Sender = {
  /** Stores new deliveries and starts at once those that have a place; resolves when all are stored. */
  accept(entries: { delivery: Delivery; target: Target }[]): Promise<void>;
  /** Something of this endpoint has become due in the database. */
  wake(endpointId: string): void;
  /** Starts nothing more of what is held for an endpoint that was disabled or deleted. */
  forget(endpointId: string): void;
  start(): void;
  /** Takes up nothing more, lets running attempts end and gives the rest back. */
  stop(): Promise<void>;
};

export type SenderSettings = {
  timeoutMs: number;
  endpointConcurrency: number;
  totalConcurrency: number;
};

type Deps = {
  endpoints: Pick<EndpointStore, 'target'>;
  deliveries: DeliveryStore;
  deliverer: Deliverer;
  settings: SenderSettings;
  logger: Logger;
};

/** Retries start within a second of their time (design section 11); half of it is left for the query and the claim. */
const sweepEveryMs = 500;
const sweptAtOnce = 1_000;
/** What recording a result may take, within the lease. */
const marginMs = 5_000;

/** Claims every delivery that is due and has it delivered, in fair turns between endpoints. */
export function createSender({ endpoints, deliveries, deliverer, settings, logger }: Deps): Sender {
  const { timeoutMs, endpointConcurrency } = settings;
  const turns = createTurns<Job>({ perEndpoint: endpointConcurrency, inAll: settings.totalConcurrency });
  /** Endpoints with more due in the database than is held here. */
  const backlog = new Set<string>();
  const claiming = new Set<string>();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Longer than a job may wait for its turn and be attempted: one round before it, and its own. */
  function newLease(): Lease {
    return { id: randomUUID(), until: new Date(Date.now() + 2 * (timeoutMs + marginMs)) };
  }

  function run(): void {
    for (let turn = stopped ? null : turns.next(); turn !== null; turn = turns.next())
      track(work(turn.endpointId, turn.job));
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error) => logger.error('delivery left to its lease', { error }))
      .finally(() => running.delete(tracked));
    running.add(tracked);
  }

  async function work(endpointId: string, job: Job): Promise<void> {
    try {
      const attempt = await inItsTurn(endpointId, job);
      if (!attempt) await giveBack([job]);
      else if (await deliverer.record(job, attempt)) forget(endpointId);
    } finally {
      turns.release(endpointId);
      if (backlog.has(endpointId)) refill(endpointId);
    }
  }

  /** Null where too little of the lease is left: another worker might start before this attempt has ended. */
  async function inItsTurn(endpointId: string, { delivery, target, lease }: Job): Promise<Attempt | null> {
    try {
      const late = lease.until.getTime() - Date.now() < timeoutMs + marginMs / 2;
      return late ? null : await deliverer.send(delivery, target);
    } finally {
      turns.ended(endpointId);
      run();
    }
  }

  async function giveBack(jobs: Job[]): Promise<void> {
    const leased = jobs.map(({ delivery, lease }) => ({ id: delivery.id, lease }));
    await deliveries.giveBack(leased, new Date());
    for (const { target } of jobs) backlog.add(target.id);
  }

  function forget(endpointId: string): void {
    turns.drain(endpointId);
    backlog.delete(endpointId);
  }

  /** Claims in batches, once half of the places are free: one round trip for many jobs. */
  function refill(endpointId: string): void {
    backlog.add(endpointId);
    if (stopped || claiming.has(endpointId)) return;
    const places = turns.reserve(endpointId, 2 * endpointConcurrency, endpointConcurrency);
    if (places === 0) return;
    claiming.add(endpointId);
    backlog.delete(endpointId);
    track(
      claim(endpointId, places).finally(() => {
        claiming.delete(endpointId);
        if (backlog.has(endpointId)) refill(endpointId);
      }),
    );
  }

  async function claim(endpointId: string, places: number): Promise<void> {
    let filled = 0;
    const at = new Date();
    try {
      const target = await endpoints.target(endpointId);
      if (!target?.active) {
        await deliveries.cancelWaiting(endpointId, at);
        return;
      }
      const lease = newLease();
      const claimed = await deliveries.claim(endpointId, places, lease);
      for (const delivery of claimed) turns.put(endpointId, { delivery, target, lease });
      filled = claimed.length;
      if (filled === places) backlog.add(endpointId);
      run();
    } finally {
      for (let place = filled; place < places; place++) turns.release(endpointId);
    }
  }

  async function sweep(): Promise<void> {
    let after = '';
    do {
      const due = await deliveries.dueEndpoints(after, sweptAtOnce, new Date());
      for (const endpointId of due) refill(endpointId);
      after = due.length === sweptAtOnce ? (due.at(-1) ?? '') : '';
    } while (after !== '' && !stopped);
  }

  function sweepLater(delayMs: number): void {
    timer = setTimeout(() => {
      sweep()
        .catch((error) => logger.warn('cannot look for due deliveries', { error }))
        .finally(() => !stopped && sweepLater(sweepEveryMs));
    }, delayMs);
  }

  return {
    async accept(entries) {
      const placed = entries.map(({ delivery, target }) => {
        const place = target.active && !stopped && !backlog.has(target.id) && turns.reserve(target.id, 1) === 1;
        return { delivery, target, lease: place ? newLease() : null };
      });
      let added = new Set<string>();
      try {
        added = await deliveries.add(placed);
      } finally {
        for (const { delivery, target, lease } of placed) {
          if (!lease) continue;
          if (added.has(delivery.id)) turns.put(target.id, { delivery, target, lease });
          else turns.release(target.id);
        }
      }
      for (const { target, lease } of placed) if (!lease && target.active) refill(target.id);
      run();
    },
    wake: refill,
    forget,
    start: () => sweepLater(0),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await giveBack(turns.drain());
      await Promise.all(running);
      // What a claim brought meanwhile.
      await giveBack(turns.drain());
    },
  };
}
