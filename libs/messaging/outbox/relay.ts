import type { DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { collectionOf, createLeases, type Leases, type Logger, localRead, waitAtMost } from '@app/runtime';
import { detached } from '@app/runtime/tracing';
import { createPoller, type Poller } from '@app/work-queue';
import type { Model } from 'mongoose';
import type { Broker } from '../broker.ts';
import { MessageRefused } from '../publisher.ts';
import { measureUnsent } from './measure-unsent.ts';
import type { WithOutbox } from './outbox.ts';

type OutboxModel = Model<WithOutbox & { _id: string }>;
type Entry = { model: OutboxModel; id: string; events: DomainEvent[] };
type Failure = { entry: Entry; error: unknown };

export type Relay = Pick<OutboxRelay, keyof OutboxRelay>;

type RelayOptions = {
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  /** The clock by which events get their time: the database's, so that every replica takes the same ones for late. */
  now?: () => Date;
  /** 1 s. */
  sweepEveryMs?: number;
  /** How long a replica that dies in a sweep keeps the others from it, 30 s: longer than the broker has to confirm a batch. */
  leaseMs?: number;
  /** Younger events are left to `committed`, 3 s. */
  sweptAfterMs?: number;
};

const batchSize = 200;
const maxBatchesInFlight = 4;
const maxPending = 10_000;
/** How long published events may stay in the outbox, so that one command clears many. */
const clearAfterMs = 100;
/** A broker may be away for hours: the sweep of the next start sends the rest. */
const stopTimeoutMs = 10_000;
/** How many documents with unsendable events one sweep passes over. */
const maxSkipped = 2_000;

/**
 * Publishes the events in outboxes, and removes them from there once the broker has confirmed them. By the driver, like all of the
 * outbox: a hot path over collections whose documents it does not know.
 */
export function createRelay(options: RelayOptions): Relay {
  return new OutboxRelay(options);
}

class OutboxRelay {
  readonly #broker: Pick<Broker, 'publish'>;
  readonly #logger: Logger;
  readonly #now: () => Date;
  readonly #sweptAfterMs: number;
  readonly #leases: Leases;
  readonly #poller: Poller;
  readonly #models = new Set<OutboxModel>();
  readonly #pending: Entry[] = [];
  readonly #inFlight = new Map<Promise<void>, Entry[]>();
  /** Published, and still in the outbox. */
  #published: Entry[] = [];
  #clearTimer: NodeJS.Timeout | undefined;
  /** Documents with events that failed, and when. Their later events are left to the sweep too, which keeps them in order. */
  readonly #failedKeys = new Map<string, number>();
  #stopped = false;

  constructor({ broker, logger, now = () => new Date(), ...times }: RelayOptions) {
    const { sweepEveryMs = 1_000, sweptAfterMs = 3_000, leaseMs = 30_000 } = times;
    this.#broker = broker;
    this.#logger = logger;
    this.#now = now;
    this.#sweptAfterMs = sweptAfterMs;
    this.#leases = createLeases(leaseMs);
    this.#poller = createPoller({
      run: () => this.#sweepAll(),
      everyMs: sweepEveryMs,
      jittered: true,
      onError: (error) => logger.warn('sweep of the outboxes failed', { error }),
    });
  }

  /** Includes the documents of this model in the sweep for unsent events. */
  watch(model: unknown): void {
    this.#models.add(model as OutboxModel);
  }

  /** To be called after the commit with the saved events, which are then published at once. If the call is lost, the sweep finds them. */
  committed(model: unknown, id: string, events: DomainEvent[]): void {
    const entry = { model: model as OutboxModel, id, events };
    if (events.length === 0 || this.#pending.length >= maxPending || this.#failedKeys.has(keyOf(entry))) return;
    this.#pending.push(entry);
    // After this turn of the event loop, so that all its commits make one batch.
    if (this.#pending.length === 1) detached(() => setImmediate(() => this.#publishPending()));
  }

  start(): void {
    this.#poller.start();
  }

  /** Publishes what is pending, for 10 s at most, and stops. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await waitAtMost(this.#drain(), stopTimeoutMs);
  }

  async #drain(): Promise<void> {
    await this.#poller.stop();
    this.#publishPending();
    while (this.#inFlight.size > 0 || this.#published.length > 0) {
      await Promise.all(this.#inFlight.keys());
      this.#clearPublished();
    }
  }

  #publishPending(): void {
    while (this.#pending.length > 0 && this.#inFlight.size < maxBatchesInFlight) {
      const entries = this.#pending.splice(0, batchSize);
      const batch = this.#publishBatch(entries).finally(() => {
        this.#inFlight.delete(batch);
        this.#publishPending();
      });
      this.#inFlight.set(batch, entries);
    }
  }

  async #publishBatch(entries: Entry[]): Promise<void> {
    const { sent, failed } = await publish(this.#broker, entries);
    if (sent.length > 0) this.#scheduleClear(sent);
    if (failed.length === 0) return;
    if (this.#failedKeys.size < maxPending) {
      for (const { entry } of failed) this.#failedKeys.set(keyOf(entry), this.#now().getTime());
    }
    this.#logFailures(failed);
  }

  /** Delayed: after a crash before it, the events are published once more, and consumers know them by their ids. */
  #scheduleClear(entries: Entry[]): void {
    this.#published.push(...entries);
    this.#clearTimer ??= setTimeout(() => this.#clearPublished(), clearAfterMs);
  }

  #clearPublished(): void {
    clearTimeout(this.#clearTimer);
    this.#clearTimer = undefined;
    const entries = this.#published;
    this.#published = [];
    if (entries.length === 0) return;
    const clearing = clearOutboxes(entries)
      .catch((error) => this.#logger.warn('published events could not be removed from the outbox', { error }))
      .finally(() => this.#inFlight.delete(clearing));
    this.#inFlight.set(clearing, entries);
  }

  #logFailures(failed: Failure[]): void {
    const [{ entry, error }] = failed as [Failure];
    this.#logger.warn('events could not be published and stay in the outbox', {
      documents: failed.length,
      first: keyOf(entry),
      error,
    });
  }

  /** Each model by itself, so that one that fails does not keep the others from being swept. */
  async #sweepAll(): Promise<void> {
    const before = this.#now().getTime() - this.#sweptAfterMs;
    const swept = [...this.#models].map(async (model) => {
      try {
        await this.#sweep(model, new Date(before));
        return true;
      } catch (error) {
        this.#logger.warn('sweep of the outboxes failed', { model: model.modelName, error });
        return false;
      }
    });
    if (!(await Promise.all(swept)).every(Boolean)) return;
    for (const [key, failedAt] of this.#failedKeys) if (failedAt < before) this.#failedKeys.delete(key);
  }

  /** One replica at a time sends what waits in a model's outboxes: after an outage every one would send the whole backlog. */
  async #sweep(model: OutboxModel, before: Date): Promise<void> {
    if (
      (await this.#findWaiting(model, before, [])).length === 0 ||
      !(await this.#leases.take(model.db, leaseOf(model)))
    )
      return;
    try {
      await this.#sendWaiting(model, before);
    } finally {
      await this.#leases.release(model.db, leaseOf(model));
    }
  }

  /**
   * Publishes what has been waiting in a model's outboxes, oldest first, in batches. A document whose events cannot be sent is
   * skipped and does not block those behind it; during an outage it ends.
   */
  async #sendWaiting(model: OutboxModel, before: Date): Promise<void> {
    const skipped = new Set<string>();
    for (let isMore = true; isMore && !this.#stopped && skipped.size < maxSkipped; ) {
      const entries = await this.#findWaiting(model, before, [...skipped]);
      if (entries.length === 0) return;
      this.#logger.info('publishing unsent events from the outbox', {
        model: model.modelName,
        documents: entries.length,
      });
      const { sent, failed } = await publish(this.#broker, entries);
      if (sent.length > 0) await clearOutboxes(sent);
      if (failed.length > 0) this.#logFailures(failed);
      if (failed.some(({ error }) => isOutage(error))) return;
      for (const { entry } of failed) skipped.add(entry.id);
      isMore = await this.#leases.take(model.db, leaseOf(model));
    }
  }

  /** The oldest of what waits, without what this process is sending. */
  async #findWaiting(model: OutboxModel, before: Date, skipped: string[]): Promise<Entry[]> {
    const unsent = await findUnsent(model, before, skipped);
    if (skipped.length === 0) await measureUnsent(model, unsent, { before, now: this.#now(), batchSize });
    const lasting = await onlyLasting(model, unsent);
    const held = [this.#pending, this.#published, ...this.#inFlight.values()];
    const active = new Set(held.flat().map(keyOf));
    return lasting.filter((entry) => !active.has(keyOf(entry)));
  }
}

const leaseOf = ({ modelName }: OutboxModel) => `outbox ${modelName}`;
const keyOf = ({ model, id }: Entry) => `${model.modelName}:${id}`;

/**
 * Documents with events from before a time, with all that their outbox holds, oldest first. Read locally: what was sent is removed
 * without waiting for a majority, and is not to be found again while replication lags.
 */
async function findUnsent(model: OutboxModel, before: Date, except: string[]): Promise<Entry[]> {
  const documents = await collectionOf(model)
    .find(
      { 'outbox.time': { $lt: before.toISOString() }, ...(except.length > 0 ? { _id: { $nin: except } } : {}) },
      { projection: { outbox: 1 }, hint: 'outbox', limit: batchSize, ...localRead },
    )
    .toArray();
  return documents.map(({ _id, outbox = [] }) => ({ model, id: _id, events: outbox }));
}

/** The entries with those of their events alone that no election can roll back: no others may be published. */
async function onlyLasting(model: OutboxModel, entries: Entry[]): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const documents = await collectionOf(model)
    .find({ _id: { $in: entries.map(({ id }) => id) } }, { projection: { 'outbox.id': 1 } })
    .toArray();
  const lasting = new Set(documents.flatMap(({ outbox = [] }) => outbox.map(({ id }) => id)));
  return entries
    .map((entry) => ({ ...entry, events: entry.events.filter(({ id }) => lasting.has(id)) }))
    .filter(({ events }) => events.length > 0);
}

/** Publishes all entries at once, started in their order. Each entry fails by itself. */
async function publish(
  broker: Pick<Broker, 'publish'>,
  entries: Entry[],
): Promise<{ sent: Entry[]; failed: Failure[] }> {
  const results = await Promise.allSettled(entries.map(({ events }) => broker.publish(events)));
  const sent = entries.filter((_entry, index) => results[index]?.status === 'fulfilled');
  const failed = entries.flatMap((entry, index) => {
    const result = results[index];
    return result?.status === 'rejected' ? [{ entry, error: result.reason as unknown }] : [];
  });
  return { sent, failed };
}

/** Whether nothing can be published at all. */
function isOutage(error: unknown): boolean {
  return error instanceof AppError && !(error instanceof MessageRefused);
}

/**
 * One command for all documents of a model, at a fraction of the cost of a write for each: ids of events are unique, so each
 * document loses only its own events.
 */
async function clearOutboxes(entries: Entry[]): Promise<void> {
  for (const [model, sent] of Map.groupBy(entries, (entry) => entry.model)) {
    const eventIds = sent.flatMap(({ events }) => events.map((event) => event.id));
    // Not worth waiting for a majority or the journal: if it is lost, the events are published once more.
    await collectionOf(model).updateMany(
      { _id: { $in: [...new Set(sent.map(({ id }) => id))] } },
      { $pull: { outbox: { id: { $in: eventIds } } } },
      { writeConcern: { w: 1 } },
    );
  }
}
