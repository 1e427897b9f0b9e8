import { createTaskTracker, type LogContext, type Logger, type TaskTracker } from '@app/runtime';
import type { SpanOptions } from '@app/tracing';
import { duePages, type Lease, type Turn, WorkQueue } from '@app/work-queue';
import type { Attempt } from '../attempt.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { DeliveryStore } from '../deliveries/delivery-store.ts';
import type { CachedEndpoint, EndpointCache } from '../endpoints/endpoint-cache-store.ts';
import type { Job, ResultRecorder } from './result-recorder.ts';
import type { WebhookSender } from './webhook-sender.ts';

export type DispatcherSettings = {
  timeoutMs: number;
  endpointConcurrency: number;
  totalConcurrency: number;
  /**
   * How many deliveries for one endpoint may be in memory, 256 by default; others wait in the
   * database.
   */
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
/** An attempt that starts this long after its event has a trace of its own. */
const lateMs = 60_000;
/** The latest date that a Date can hold. */
const endOfTime = new Date(8_640_000_000_000_000);

/**
 * Delivers new and due deliveries, in four steps: store → schedule → attempt → record. The work queue schedules, in fair
 * turns between companies and between their endpoints.
 */
export class Dispatcher {
  readonly #deps: Deps;
  readonly #leaseMs: number;
  readonly #queue: WorkQueue<Job>;
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
      ...{ logger, now },
    });
  }

  /**
   * Stores new deliveries; resolves when all are stored, so that their message may be acknowledged. What a message that comes twice
   * brings again is stored already, and left to whoever stored it.
   */
  async enqueue(entries: Entry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#enqueueOne(entry)));
  }

  async #enqueueOne(entry: Entry): Promise<void> {
    const { delivery, endpoint } = entry;
    const { recorder } = this.#deps;
    if (!endpoint.active) {
      await recorder.insert({ delivery, lease: null });
      return;
    }
    await this.#queue.enqueue(endpoint.id, async (lease) => {
      const isNew = await recorder.insert({ delivery, lease });
      return isNew && lease ? { ...entry, lease } : null;
    });
  }

  /** Schedules due deliveries, for the work queue. */
  async #claim(endpointId: string, limit: number, lease: Lease): Promise<Job[]> {
    const current = await this.#readActive(endpointId);
    if (current === null) return [];
    const claimed = await this.#deps.deliveries.claim(endpointId, limit, lease);
    return claimed.map((delivery) => ({ ...current, delivery, lease }));
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
        await this.#deps.deliveries.cancel(job.delivery.id, job.lease);
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

  /** The endpoint was deactivated or deleted: none of its deliveries in memory starts any more. The caller cancels what is stored. */
  evict(endpointId: string): void {
    this.#deps.endpoints.evict(endpointId);
    this.#queue.evict(endpointId);
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

  /** Makes jobs due again at once. */
  async #release(jobs: Job[]): Promise<void> {
    const leased = jobs.map(({ delivery, lease }) => ({ id: delivery.id, lease }));
    await this.#deps.deliveries.release(leased, this.#deps.now());
    for (const { endpoint } of jobs) this.#queue.notify(endpoint.id);
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

function contextOf({ origin }: Delivery): LogContext {
  if (!origin) return {};
  const { eventId: messageId, requestId } = origin;
  return { messageId, ...(requestId === undefined ? {} : { requestId }) };
}

/** A first attempt is part of the trace of its event. A retry, or what waited for long, has a trace of its own. */
function spanOf({ delivery, endpoint }: Job, at: Date): SpanOptions {
  const { id, event, tries, origin } = delivery;
  const attributes = {
    ...{ 'app.delivery_id': id, 'app.event': event, 'app.attempt': tries + 1 },
    ...{ 'app.endpoint_id': endpoint.id, 'app.company_id': endpoint.companyId },
  };
  const isLate = tries > 0 || (origin !== undefined && at.getTime() - origin.eventTime.getTime() > lateMs);
  return { name: 'deliver webhook', attributes, [isLate ? 'follows' : 'parent']: origin?.traceparent };
}
