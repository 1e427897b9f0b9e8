import { randomUUID } from 'node:crypto';
import { createSemaphore, createTaskTracker, currentContext, type LogContext, type Logger } from '@app/runtime';
import { createDueWork } from './claim.ts';
import type { Deliverer, Job, Recorded } from './deliver.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { DeliveryStore, Lease } from './delivery-store.ts';
import type { Target } from './endpoint-store.ts';
import { createPace } from './pace.ts';
import { createRecent } from './recent.ts';
import { createLateStoring, createStoring } from './storing.ts';
import type { KnownTarget, TargetStore } from './target-store.ts';
import { createTurns } from './turns.ts';

export type Sender = {
  /**
   * Starts at once those new deliveries that have a place; resolves when all are stored. Of a message that has come before
   * (`again`) they may be there already, so that they are stored first and started only if they were not.
   */
  accept(entries: { delivery: Delivery; target: Target }[], again?: boolean): Promise<void>;
  /** Something of this endpoint has become due in the database. */
  wake(endpointId: string): void;
  /** Starts nothing more of what is held for an endpoint that was disabled or deleted. */
  forget(endpointId: string): void;
  /** Starts what is held for an endpoint that was changed as the endpoint is by now. */
  takeAnew(endpointId: string): void;
  start(): void;
  /** Takes up nothing more, lets running attempts end and gives the rest back. */
  stop(): Promise<void>;
};

export type SenderSettings = {
  timeoutMs: number;
  endpointConcurrency: number;
  totalConcurrency: number;
  /** Deliveries held in memory for one endpoint, 256; what is beyond waits in the database. */
  endpointHeld?: number;
};

type Deps = {
  targets: TargetStore;
  deliveries: DeliveryStore;
  deliverer: Deliverer;
  settings: SenderSettings;
  logger: Logger;
};

/** What recording a result may take, within the lease. */
const marginMs = 5_000;
/**
 * New deliveries that are not stored yet, at most: few enough for a busy process to attempt them within that time, and be
 * done with one write for each; many enough to go on at 2,000/s where every one takes longer.
 */
const unstored = 512;
const remembered = 10_000;

/** Has every new delivery, and every one that is due, delivered, in fair turns between companies and endpoints. */
export function createSender({ targets, deliveries, deliverer, settings, logger }: Deps): Sender {
  const { timeoutMs, endpointConcurrency, totalConcurrency, endpointHeld = 256 } = settings;
  const turns = createTurns<Job>({
    perEndpoint: endpointConcurrency,
    inAll: totalConcurrency,
    held: Math.max(endpointHeld, 2 * endpointConcurrency),
    heldInAll: 4 * totalConcurrency,
  });
  const recent = createRecent(remembered);
  const room = createSemaphore(unstored);
  const late = createLateStoring();
  const pace = createPace();
  const underWay = createTaskTracker((error) => logger.error('delivery left to its lease', { error }));
  let stopped = false;
  const { freed } = pace;
  const due = createDueWork({ targets, deliveries, turns, endpointConcurrency, newLease, run, track, freed, logger });

  /** Longer than a job may wait for its turn and be attempted: one round before it, and its own. */
  function newLease(): Lease {
    return { id: randomUUID(), until: new Date(Date.now() + 2 * (timeoutMs + marginMs)) };
  }

  function run(): void {
    for (let turn = stopped ? null : turns.next(); turn !== null; turn = turns.next()) start(turn.endpointId, turn.job);
  }

  /** In the context of its own event: this is called by whatever has ended before. */
  function start(endpointId: string, job: Job): void {
    currentContext.run(contextOf(job.delivery), () => track(work(endpointId, job)));
  }

  function track(work: Promise<void>): void {
    void underWay.track(work);
  }

  async function work(endpointId: string, job: Job): Promise<void> {
    const recorded = await attempted(endpointId, job).finally(() => {
      turns.release(endpointId);
      due.placeFree(endpointId);
      pace.freed(endpointId);
    });
    await recorded?.followUp?.();
  }

  async function attempted(endpointId: string, job: Job): Promise<Recorded | null> {
    const sent = await inItsTurn(endpointId, job);
    if (sent === null) await giveBack([job]);
    const recorded = sent && (await deliverer.record(sent.job, sent.attempt));
    if (recorded?.disabled) forget(endpointId);
    return recorded;
  }

  /**
   * Null where it must not be attempted: its endpoint was stopped while it waited, or too little of the lease is left, and
   * another worker might start before this attempt has ended.
   */
  async function inItsTurn(endpointId: string, job: Job): Promise<{ job: Job; attempt: Attempt } | null> {
    try {
      const target = await targets.current(job);
      if (!target?.active) await giveBackHeld(endpointId);
      const isLate = job.lease.until.getTime() - Date.now() < timeoutMs + marginMs / 2;
      if (!target?.active || isLate) return null;
      return { job: { ...job, target }, attempt: await deliverer.send(job.delivery, target) };
    } finally {
      late.ended();
      pace.ended(endpointId);
      turns.ended(endpointId);
      run();
    }
  }

  async function giveBack(jobs: Job[]): Promise<void> {
    const stored = jobs.filter(({ storing }) => storing.begun());
    const unstored = jobs.filter(({ storing }) => !storing.begun());
    const writing = unstored.map(({ storing, delivery }) => storing.write({ delivery, lease: null }));
    const leased = stored.map(({ delivery, lease }) => ({ id: delivery.id, lease }));
    await Promise.all([deliveries.giveBack(leased, new Date()), ...writing]);
    for (const { target } of jobs) due.behind(target.id);
  }

  /** What was claimed of it is taken up as it is then, or canceled. */
  async function giveBackHeld(endpointId: string): Promise<void> {
    targets.forget(endpointId);
    await giveBack(turns.drain(endpointId));
    due.wake(endpointId);
  }

  function forget(endpointId: string): void {
    targets.forget(endpointId);
    due.forget(endpointId);
    pace.forget(endpointId);
    for (const { delivery, storing } of turns.drain(endpointId)) {
      if (storing.begun()) continue;
      const canceled = { ...delivery, status: 'canceled' as const, nextAttemptAt: null };
      // Whoever waits for it learns of a failure.
      storing.write({ delivery: canceled, lease: null }).catch(() => undefined);
    }
  }

  /** A place for a new delivery, unless older ones of the endpoint have to go first. */
  function placeFor(endpointId: string): Promise<boolean> {
    const isBehind = () => stopped || due.isBehind(endpointId);
    return pace.place(endpointId, () => !isBehind() && turns.reserve(endpointId, 1) === 1, isBehind);
  }

  /** Stores a new delivery, after its attempt if that is quick. */
  async function take(delivery: Delivery, { target, readAt }: KnownTarget, again: boolean): Promise<void> {
    const isNow = target.active && !again && (await placeFor(target.id));
    if (!isNow) {
      await deliverer.add({ delivery, lease: null });
      if (target.active) due.wake(target.id);
    } else {
      const storing = createStoring(deliverer.add);
      const job = { delivery, target, readAt, lease: newLease(), storing };
      turns.put(target.id, job, target.companyId);
      run();
      late.storeUnlessSoon(job);
      await storing.ended;
    }
  }

  return {
    async accept(entries, again = false) {
      // An event that has come again waits for what is under way: neither message is acknowledged before all is stored.
      const readAt = Date.now();
      const started = entries.map(({ delivery, target }) =>
        recent.once(delivery.id, () => room.run(() => take(delivery, { target, readAt }, again))),
      );
      const taken = await Promise.allSettled(started);
      const failed = taken.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    wake: due.wake,
    forget,
    takeAnew: (endpointId) => track(giveBackHeld(endpointId)),
    start: due.start,
    async stop() {
      stopped = true;
      due.stop();
      pace.stop();
      await giveBack(turns.drain());
      await underWay.drain();
      // What a claim brought meanwhile.
      await giveBack(turns.drain());
    },
  };
}

function contextOf({ origin }: Delivery): LogContext {
  if (!origin) return {};
  const { eventId: messageId, eventTime: _eventTime, ...request } = origin;
  return { messageId, ...request };
}
