import { testEvent } from '@app/contracts';
import { type Batcher, createBatcher, type Logger } from '@app/runtime';
import type { Lease } from '@app/work-queue';
import { type Attempt, isFaultOfOurs } from '../attempt.ts';
import { type Delivery, type Outcome, outcomeOf, suggestsFailing } from '../deliveries/delivery.ts';
import type { DeliveryLogStore, DuplicateAttempt } from '../deliveries/delivery-log-store.ts';
import type { AttemptResult, DeliveryStore, NewDelivery } from '../deliveries/delivery-store.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { CachedEndpoint } from '../endpoints/endpoint-cache-store.ts';
import type { EndpointHealthStore } from '../endpoints/endpoint-health-store.ts';
import type { Session } from '../endpoints/endpoint-store.ts';
import type { SendingObserver } from '../metrics.ts';
import type { PendingInsert } from './deferred-insert.ts';
import type { EndpointFailure, FailingEndpoints } from './failing-endpoints-store.ts';
import { FailureStreaks } from './failure-streak.ts';

/** A delivery to be attempted under its lease, new or claimed, with its endpoint as it was read. */
export type Job = CachedEndpoint & { delivery: Delivery; lease: Lease; insert: PendingInsert<NewDelivery> };

type Recorded = {
  /** The result disabled the endpoint. */
  disabled: boolean;
  /** What remains to be done; no other delivery needs to wait for it. */
  followUp?: () => Promise<unknown>;
};

type RecorderDeps = {
  deliveries: DeliveryStore;
  log: Pick<DeliveryLogStore, 'appendAttempts'>;
  health: EndpointHealthStore;
  failing: Pick<FailingEndpoints, 'mark'>;
  transaction: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  retryDelaysMs: readonly number[];
  observer: SendingObserver;
  logger: Logger;
  now: () => Date;
};

const maxBatch = 500;
/**
 * New deliveries wait this long to share a write, which is most of the cost of an event: at 100
 * events a second, four share one. Receivers do not wait for it.
 */
const insertLingerMs = 40;
/**
 * If the endpoint was read less than this ago, a success trusts that copy and skips the reset when
 * the copy shows no failures. If another replica counts a failure meanwhile, the failure stays
 * counted, as if it came after the success.
 */
const healthTrustedMs = 250;

/** Stores new deliveries and the results of attempts, many by one write, and keeps the health of their endpoints. */
export class ResultRecorder {
  readonly #deps: RecorderDeps;
  readonly #inserts: Batcher<NewDelivery, boolean>;
  readonly #results: Batcher<AttemptResult, undefined>;
  readonly #duplicates: Batcher<DuplicateAttempt, undefined>;
  readonly #failing: Batcher<EndpointFailure, undefined>;
  readonly #healthy: Batcher<string, undefined>;
  readonly #streaks: FailureStreaks;

  constructor(deps: RecorderDeps) {
    const { deliveries, log, health, failing } = deps;
    this.#deps = deps;
    this.#inserts = createBatcher({
      name: 'store deliveries',
      maxBatch,
      lingerMs: insertLingerMs,
      async run(entries: NewDelivery[]) {
        const inserted = await deliveries.insert(entries);
        return entries.map(({ delivery }) => inserted.has(delivery.id));
      },
    });
    this.#results = batched('record attempts', (results) => deliveries.recordAll(results), { once: true });
    this.#duplicates = batched('log duplicate attempts', (attempts) => log.appendAttempts(attempts), { once: true });
    this.#failing = batched('mark endpoints failing', (failures) => failing.mark(failures));
    this.#healthy = batched('mark endpoints healthy', (ids) => health.markHealthy(ids));
    const resets = batched('reset failure streaks', (ids: string[]) => health.resetStreaks(ids));
    this.#streaks = new FailureStreaks((endpointId) => resets.add(endpointId));
  }

  /** Stores a new delivery. False if it was stored before. */
  insert(entry: NewDelivery): Promise<boolean> {
    return this.#inserts.add(entry);
  }

  /** Stores the result of an attempt, together with a new delivery that is not stored yet. */
  async record(job: Job, attempt: Attempt): Promise<Recorded> {
    const outcome = outcomeOf(attempt, job.delivery.tries, this.#deps.retryDelaysMs);
    this.#logAttempt(job.delivery, attempt, outcome);
    this.#deps.observer.attempted(job.delivery, attempt, outcome);
    const recorded = await this.#recordOutcome(job, attempt, outcome);
    // Another process stored this delivery, because the message was delivered twice: it records its
    // own result, and this attempt is added to the log.
    if (!(await job.insert.done)) await this.#duplicates.add({ id: job.delivery.id, attempt });
    return recorded;
  }

  async #recordOutcome(job: Job, attempt: Attempt, outcome: Outcome): Promise<Recorded> {
    const { delivery, endpoint } = job;
    if (delivery.event === testEvent) {
      await this.#store(job, attempt, outcome);
      return { disabled: false };
    }
    if (outcome.status === 'succeeded') return this.#recordSuccess(job, attempt, outcome);
    if (outcome.status === 'exhausted' && !isFaultOfOurs(attempt.error)) {
      const stopped = await this.#recordExhausted(job, attempt, outcome);
      if (stopped) return { disabled: true, followUp: () => this.#deps.deliveries.cancelWaiting(endpoint.id, stopped) };
    } else await this.#store(job, attempt, outcome);
    const isFailing = endpoint.healthIssue === undefined && suggestsFailing(outcome, delivery.tries + 1);
    if (!isFailing) return { disabled: false };
    // After the result is stored, since `markFailing` reads what is stored.
    const failure = { endpointId: endpoint.id, createdAt: delivery.createdAt, attempt };
    const markFailing = () => this.#streaks.change(endpoint.id, () => this.#failing.add(failure));
    return { disabled: false, followUp: markFailing };
  }

  async #recordSuccess(job: Job, attempt: Attempt, outcome: Outcome): Promise<Recorded> {
    const { endpoint, readAt } = job;
    const isTrusted = performance.now() - readAt < healthTrustedMs && !this.#streaks.changedSince(endpoint.id, readAt);
    const hasStreak = !isTrusted || endpoint.consecutiveFailures > 0;
    const mayBeFailing = !isTrusted || endpoint.healthIssue?.status === 'failing';
    // The streak ends before the success is stored: after a crash in between, both are repeated.
    await this.#store(job, attempt, outcome, hasStreak ? this.#streaks.succeeded(endpoint.id) : undefined);
    // The failing period ends after that, since `markFailing` reads what is stored.
    if (!mayBeFailing) return { disabled: false };
    return { disabled: false, followUp: () => this.#healthy.add(endpoint.id) };
  }

  /** Counts the delivery if no other succeeds before its turn. Gives the endpoint if that disabled it. */
  #recordExhausted(job: Job, attempt: Attempt, outcome: Outcome): Promise<Endpoint | null> {
    const { delivery, endpoint, lease, insert } = job;
    const inserted = insert.write({ delivery, lease });
    const count = async () => {
      const isOurs = await inserted;
      return isOurs ? this.#countExhausted(endpoint, { id: delivery.id, lease, attempt, outcome }) : null;
    };
    const storeOnly = () => this.#store(job, attempt, outcome).then(() => null);
    return this.#streaks.exhausted(endpoint.id, count, storeOnly);
  }

  /** Delivery and endpoint in one transaction: a crash neither loses nor doubles a count. */
  async #countExhausted(endpoint: Endpoint, result: AttemptResult): Promise<Endpoint | null> {
    const { deliveries, health, transaction, logger, now } = this.#deps;
    const at = now();
    const disabled = await transaction(async (session) => {
      if (!(await deliveries.record(result, session))) return null;
      return health.recordExhausted(endpoint.id, { at, attempt: result.attempt }, session);
    });
    if (!disabled) return null;
    this.#deps.observer.endpointDisabled();
    logger.warn('webhook endpoint disabled', { endpointId: endpoint.id, companyId: endpoint.companyId });
    return disabled;
  }

  /** One write if the delivery is not stored yet: it is inserted with its result. */
  async #store(job: Job, attempt: Attempt, outcome: Outcome, after?: Promise<void>): Promise<void> {
    const { delivery, lease, insert } = job;
    if (!insert.isStarted()) {
      const attempted = { ...delivery, ...outcome, tries: delivery.tries + 1, attempts: [attempt] };
      await insert.write({ delivery: attempted, lease: null }, after);
      return;
    }
    const [isOurs] = await Promise.all([insert.done, after]);
    if (isOurs) await this.#results.add({ id: delivery.id, lease, attempt, outcome });
  }

  #logAttempt(delivery: Delivery, { statusCode, durationMs, error }: Attempt, outcome: Outcome): void {
    const { id: deliveryId, endpointId, event, origin } = delivery;
    const ids = { deliveryId, endpointId, event, eventId: origin?.eventId, eventTime: origin?.eventTime };
    const fields = { ...ids, attempt: delivery.tries + 1, statusCode, durationMs, failure: error, ...outcome };
    if (error === null) this.#deps.logger.debug('delivery attempted', fields);
    else this.#deps.logger.info('delivery attempt failed', fields);
  }
}

function batched<Item>(
  name: string,
  write: (items: Item[]) => Promise<void>,
  { once = false } = {},
): Batcher<Item, undefined> {
  return createBatcher({
    name,
    maxBatch,
    once,
    async run(items: Item[]) {
      await write(items);
      return items.map(() => undefined);
    },
  });
}
