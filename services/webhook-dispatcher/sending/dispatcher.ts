import {
  createSemaphore,
  createTaskTracker,
  type LogContext,
  type Logger,
  remembered,
  type TaskTracker,
} from '@app/runtime';
import type { SpanOptions } from '@app/runtime/tracing';
import { duePages, type Lease, newLease, type Turn, WorkQueue } from '@app/work-queue';
import { LRUCache } from 'lru-cache';
import type { Attempt } from '../attempt.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { DeliveryStore, NewDelivery } from '../deliveries/delivery-store.ts';
import type { CachedEndpoint, EndpointCache } from '../endpoints/endpoint-cache-store.ts';
import { alreadyStored, createPendingInsert, insertIfSlow } from './deferred-insert.ts';
import type { Job, ResultRecorder } from './result-recorder.ts';
import type { WebhookSender } from './webhook-sender.ts';

export type DispatcherSettings = {
  timeoutMs: number;
  endpointConcurrency: number;
  totalConcurrency: number;
  /** How many deliveries for one endpoint may be in memory, 256 by default; others wait in the database. */
  inMemoryPerEndpoint?: number;
};

type Deps = {
  endpoints: EndpointCache;
  deliveries: DeliveryStore;
  sender: WebhookSender;
  recorder: ResultRecorder;
  settings: DispatcherSettings;
  logger: Logger;
  now: () => Date;
};

/** A new delivery, with its endpoint as it was read. */
export type Entry = CachedEndpoint & { delivery: Delivery };

/** The time that recording a result may take, within the lease. */
const marginMs = 5_000;
/**
 * New deliveries that are not stored yet: few enough for a busy process to attempt them within the time after which they
 * are stored without a result; enough for 2,000/s if each takes that long.
 */
const maxUnstored = 512;
/** Deliveries that a message brought lately: the same message may come twice. */
const maxRemembered = 20_000;
/** An attempt that starts this long after its event has a trace of its own. */
const lateMs = 60_000;
/** The latest date that a Date can hold. */
const endOfTime = new Date(8_640_000_000_000_000);

/**
 * Delivers new and due deliveries, in four steps: enqueue → schedule → attempt → record. The work queue schedules, in fair
 * turns between companies and between their endpoints.
 */
export class Dispatcher {
  readonly #deps: Deps;
  readonly #leaseMs: number;
  readonly #queue: WorkQueue<Job>;
  readonly #enqueued = new LRUCache<string, Promise<void>>({ max: maxRemembered });
  readonly #unstored = createSemaphore(maxUnstored);
  readonly #background: TaskTracker;
  #leftoversCanceled = false;
  #stopped = false;

  constructor(deps: Deps) {
    const { settings, logger, now } = deps;
    const { timeoutMs, endpointConcurrency: perKey, totalConcurrency: total, inMemoryPerEndpoint = 256 } = settings;
    this.#deps = deps;
    // A job may wait for one round of attempts before its own.
    this.#leaseMs = 2 * (timeoutMs + marginMs);
    this.#background = createTaskTracker((error) => logger.warn('background task failed', { error }));
    this.#queue = new WorkQueue<Job>({
      dueKeys: (after, limit, at) => this.#dueEndpoints(after, limit, at),
      claim: (endpointId, limit, lease) => this.#claim(endpointId, limit, lease),
      release: (jobs) => this.#release(jobs),
      run: (job, turn) => this.#deliver(job, turn),
      groupOf: ({ endpoint }) => endpoint.companyId,
      contextOf: ({ delivery }) => contextOf(delivery),
      spanOf: (job) => spanOf(job, now()),
      limits: { perKey, total, inMemoryPerKey: Math.max(inMemoryPerEndpoint, 2 * perKey), inMemoryTotal: 4 * total },
      leaseMs: this.#leaseMs,
      logger,
      now,
    });
  }

  /**
   * Enqueues new deliveries; resolves when all are stored, so that their message may be acknowledged. Those of a
   * redelivered message may be stored already: they are stored first, and attempted only if they were not there.
   */
  async enqueue(entries: Entry[], isRedelivered = false): Promise<void> {
    const stored = entries.map((entry) =>
      remembered(this.#enqueued, entry.delivery.id, () =>
        this.#unstored.run(() => this.#enqueueOne(entry, isRedelivered)),
      ),
    );
    const results = await Promise.allSettled(stored);
    const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
  }

  async #enqueueOne(entry: Entry, isRedelivered: boolean): Promise<void> {
    const { delivery, endpoint } = entry;
    const insert = createPendingInsert((one: NewDelivery) => this.#deps.recorder.insert(one));
    const job = { ...entry, lease: newLease(this.#deps.now(), this.#leaseMs), insert };
    // Else it must wait in the database, behind older ones or for a slot.
    if (endpoint.active && !isRedelivered && this.#queue.tryEnqueue(endpoint.id, job)) {
      insertIfSlow(job);
      await insert.done;
      return;
    }
    await this.#deps.recorder.insert({ delivery, lease: null });
    if (endpoint.active) this.#queue.notify(endpoint.id);
  }

  /** Schedules due deliveries, for the work queue. */
  async #claim(endpointId: string, limit: number, lease: Lease): Promise<Job[]> {
    const current = await this.#readActive(endpointId);
    if (current === null) return [];
    const claimed = await this.#deps.deliveries.claim(endpointId, limit, lease);
    return claimed.map((delivery) => ({ ...current, delivery, lease, insert: alreadyStored }));
  }

  async #deliver(job: Job, turn: Turn): Promise<void> {
    const attempted = await this.#attempt(job, turn);
    if (attempted === null) return this.#release([job]);
    const { disabled, followUp } = await this.#deps.recorder.record(attempted.job, attempted.attempt);
    if (disabled) this.evict(turn.key);
    if (followUp) void this.#background.track(followUp().then(() => undefined));
    return undefined;
  }

  /**
   * Null if it must not be attempted: the endpoint was stopped or may not receive it any more, or too little of the lease is left, so
   * that another process might start before this attempt has ended.
   */
  async #attempt(job: Job, turn: Turn): Promise<{ job: Job; attempt: Attempt } | null> {
    const { endpoints, sender, settings, now } = this.#deps;
    try {
      const current = await endpoints.getFresh(job);
      if (!current?.endpoint.active) {
        await this.#releaseEndpoint(turn.key);
        return null;
      }
      // Its URL may be another than that for which this was stored.
      if (job.delivery.isForManagers && !current.endpoint.managerNotes) {
        await this.#cancel(job);
        return null;
      }
      const leftMs = job.lease.until.getTime() - now().getTime();
      if (leftMs < settings.timeoutMs + marginMs / 2) return null;
      return { job: { ...job, ...current }, attempt: await sender.send(job.delivery, current.endpoint) };
    } finally {
      turn.end();
    }
  }

  start(): void {
    this.#queue.start();
  }

  /** Starts no more attempts, lets running ones end and releases the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#queue.stop();
    await this.#background.drain();
  }

  /** A delivery of this endpoint has become due in the database. */
  notifyDue(endpointId: string): void {
    this.#queue.notify(endpointId);
  }

  /** The endpoint was deactivated or deleted: none of its deliveries in memory starts any more. */
  evict(endpointId: string): void {
    this.#deps.endpoints.evict(endpointId);
    for (const { delivery, insert } of this.#queue.evict(endpointId)) {
      if (insert.isStarted()) continue;
      // `enqueue` waits for the insert, and reports its failure.
      insert.write({ delivery: canceledOf(delivery), lease: null }).catch(() => undefined);
    }
  }

  /** The endpoint was changed: its deliveries in memory are sent to the endpoint as it is now. */
  reload(endpointId: string): void {
    void this.#background.track(this.#releaseEndpoint(endpointId));
  }

  /** Releases the deliveries in memory of an endpoint: they are claimed again with the endpoint as it is then, or canceled. */
  async #releaseEndpoint(endpointId: string): Promise<void> {
    this.#deps.endpoints.evict(endpointId);
    await this.#release(this.#queue.evict(endpointId));
    this.#queue.notify(endpointId);
  }

  async #cancel({ delivery, lease, insert }: Job): Promise<void> {
    await insert.write({ delivery: canceledOf(delivery), lease: null });
    // If it was stored before, with its lease.
    await this.#deps.deliveries.cancel(delivery.id, lease);
  }

  /** Makes jobs due again at once, and stores those that are not stored yet. */
  async #release(jobs: Job[]): Promise<void> {
    const stored = jobs.filter(({ insert }) => insert.isStarted());
    const unstored = jobs.filter(({ insert }) => !insert.isStarted());
    const inserts = unstored.map(({ insert, delivery }) => insert.write({ delivery, lease: null }));
    await Promise.all([this.#releaseStored(stored), ...inserts]);
    for (const { endpoint } of jobs) this.#queue.notify(endpoint.id);
  }

  async #releaseStored(jobs: Job[]): Promise<void> {
    // Waits for inserts that are under way: they would write the lease after its release. If one
    // fails, there is nothing to release.
    await Promise.allSettled(jobs.map(({ insert }) => insert.done));
    const leased = jobs.map(({ delivery, lease }) => ({ id: delivery.id, lease }));
    await this.#deps.deliveries.release(leased, this.#deps.now());
  }

  async #dueEndpoints(after: string, limit: number, at: Date): Promise<string[]> {
    await this.#cancelLeftovers();
    return this.#deps.deliveries.dueEndpoints(after, limit, at);
  }

  /**
   * Once, before anything is claimed: cancels deliveries that still wait because the process that
   * stopped their endpoint died before it canceled them. They would otherwise wait for their retry,
   * perhaps for hours.
   */
  async #cancelLeftovers(): Promise<void> {
    if (this.#leftoversCanceled) return;
    for await (const endpointIds of duePages(this.#deps.deliveries.dueEndpoints, endOfTime)) {
      await Promise.all(endpointIds.map((endpointId) => this.#readActive(endpointId)));
      if (this.#stopped) return;
    }
    this.#leftoversCanceled = true;
  }

  /** The endpoint as it is now; null if it is inactive or deleted, with what waits for it canceled. */
  async #readActive(endpointId: string): Promise<CachedEndpoint | null> {
    const { endpoints, deliveries } = this.#deps;
    const current = await endpoints.read(endpointId);
    if (current?.endpoint.active) return current;
    await deliveries.cancelWaiting(endpointId, current?.endpoint ?? null);
    return null;
  }
}

function canceledOf(delivery: Delivery): Delivery {
  return { ...delivery, status: 'canceled', nextAttemptAt: null };
}

function contextOf({ origin }: Delivery): LogContext {
  if (!origin) return {};
  const { eventId: messageId, requestId } = origin;
  return { messageId, ...(requestId === undefined ? {} : { requestId }) };
}

/** A first attempt is part of the trace of its event. A retry, or what waited for long, has a trace of its own. */
function spanOf({ delivery, endpoint }: Job, at: Date): SpanOptions {
  const { id, event, tries, origin } = delivery;
  const attributes = {
    'app.delivery_id': id,
    'app.event': event,
    'app.attempt': tries + 1,
    'app.endpoint_id': endpoint.id,
    'app.company_id': endpoint.companyId,
  };
  const isLate = tries > 0 || (origin !== undefined && at.getTime() - origin.eventTime.getTime() > lateMs);
  return { name: 'deliver webhook', attributes, [isLate ? 'follows' : 'parent']: origin?.traceparent };
}
