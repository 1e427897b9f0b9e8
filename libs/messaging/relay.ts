import { setTimeout as later } from 'node:timers/promises';
import type { DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { findManyRaw, type Logger, majorityRead, metrics } from '@app/runtime';
import type { Model } from 'mongoose';
import { Gauge } from 'prom-client';
import type { Broker } from './broker.ts';
import type { WithOutbox } from './outbox.ts';
import { MessageRefused } from './publisher.ts';

type OutboxModel = Model<WithOutbox & { _id: string }>;
type Entry = { model: OutboxModel; id: string; events: DomainEvent[] };
type Kept = { entry: Entry; error: unknown };

export type Relay = {
  /** Has the documents of this model swept for events that a crash or an outage left unsent. */
  watch(model: unknown): void;
  /** Tells, after the commit, what was filed: published at once. Losing this call loses nothing, the sweep comes by. */
  committed(model: unknown, id: string, events: DomainEvent[]): void;
  start(): void;
  /** Sends what it was told of and stops. */
  stop(): Promise<void>;
};

type RelayOptions = {
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  sweepEveryMs?: number;
  /** Younger events are likely on their way already. */
  sweptAfterMs?: number;
};

const oldest = new Gauge({
  name: 'outbox_oldest_seconds',
  help: 'Age of the oldest event that is not with the broker yet, as the sweep sees it; 0: none is late',
  labelNames: ['model'] as const,
  registers: [metrics],
});

const batchSize = 200;
/** What was published is taken out of the outboxes together with what else was published by then. */
const takenOutAfterMs = 100;
const batchesInFlight = 4;
const pendingLimit = 10_000;
/** A broker that takes nothing may do so for hours: what is left is swept up at the next start. */
const stoppedWithinMs = 10_000;
/** Documents that a sweep passes by, since their events can't be sent. */
const passedByLimit = 2_000;

/** Publishes outboxes with confirms and only then takes the events out of them (design section 2). */
export function createRelay(options: RelayOptions): Relay {
  const { broker, logger, sweepEveryMs = 1_000, sweptAfterMs = 3_000 } = options;
  const models = new Set<OutboxModel>();
  const pending: Entry[] = [];
  const flights = new Map<Promise<void>, Entry[]>();
  /** Published, and still in the outbox: at most for `takenOutAfterMs`. */
  let published: Entry[] = [];
  let takingOut: NodeJS.Timeout | undefined;
  /** Documents with events that could not be sent, and when: later ones wait for the sweep too, which keeps the order of a type. */
  const behind = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopped = false;

  function takeOff(): void {
    while (pending.length > 0 && flights.size < batchesInFlight) {
      const entries = pending.splice(0, batchSize);
      const flight = publish(broker, entries)
        .then(({ sent, kept }) => {
          if (sent.length > 0) takeOutSoon(sent);
          if (kept.length === 0) return;
          if (behind.size < pendingLimit) for (const { entry } of kept) behind.set(keyOf(entry), Date.now());
          tellKept(kept);
        })
        .finally(() => {
          flights.delete(flight);
          takeOff();
        });
      flights.set(flight, entries);
    }
  }

  /** A crash before it is done has them published once more, and known by their ids: so it may wait for company. */
  function takeOutSoon(entries: Entry[]): void {
    published.push(...entries);
    takingOut ??= setTimeout(takeOutNow, takenOutAfterMs);
  }

  function takeOutNow(): void {
    clearTimeout(takingOut);
    takingOut = undefined;
    const entries = published;
    published = [];
    if (entries.length === 0) return;
    const flight = takeOut(entries)
      .catch((error) => logger.warn('published events stay in the outbox for now', { error }))
      .finally(() => flights.delete(flight));
    flights.set(flight, entries);
  }

  function tellKept(kept: Kept[]): void {
    const [first] = kept;
    const { entry, error } = first as Kept;
    logger.warn('events stay in the outbox for now', { documents: kept.length, first: keyOf(entry), error });
  }

  /**
   * Sends what has been waiting in the outboxes of a model, oldest first, batch after batch. A document whose events can't be
   * sent keeps none of those behind it, unless nothing can be.
   */
  async function sweep(model: OutboxModel, before: Date): Promise<void> {
    const passedBy = new Set<string>();
    for (let full = true; full && !stopped && passedBy.size < passedByLimit; ) {
      const left = await waiting(model, before, [...passedBy]);
      if (passedBy.size === 0) oldest.set({ model: model.modelName }, ageOf(left));
      const underWay = new Set([...pending, ...published, ...[...flights.values()].flat()].map(keyOf));
      const entries = left.filter((entry) => !underWay.has(keyOf(entry)));
      if (entries.length === 0) return;
      logger.info('sweeping up unsent events', { model: model.modelName, documents: entries.length });
      const { sent, kept } = await publish(broker, entries);
      // By a majority: what is read next is what a majority has.
      if (sent.length > 0) await takeOut(sent, 'majority');
      if (kept.length > 0) tellKept(kept);
      if (kept.some(({ error }) => isOutage(error))) return;
      for (const { entry } of kept) passedBy.add(entry.id);
      full = left.length === batchSize;
    }
  }

  /** Each model by itself: one that fails keeps no other from being swept. */
  async function sweepAll(): Promise<void> {
    const before = Date.now() - sweptAfterMs;
    const swept = [...models].map(async (model) => {
      try {
        await sweep(model, new Date(before));
        return true;
      } catch (error) {
        logger.warn('sweep of the outboxes failed', { model: model.modelName, error });
        return false;
      }
    });
    if ((await Promise.all(swept)).every(Boolean))
      for (const [key, failedAt] of behind) if (failedAt < before) behind.delete(key);
    if (!stopped) sweepLater();
  }

  function sweepLater(): void {
    timer = setTimeout(() => {
      sweeping = sweepAll();
    }, sweepEveryMs);
  }

  async function ended(): Promise<void> {
    await sweeping;
    takeOff();
    while (flights.size > 0 || published.length > 0) {
      await Promise.all(flights.keys());
      takeOutNow();
    }
  }

  return {
    watch: (model) => void models.add(model as OutboxModel),
    committed(model, id, events) {
      const entry = { model: model as OutboxModel, id, events };
      if (events.length === 0 || pending.length >= pendingLimit || behind.has(keyOf(entry))) return;
      pending.push(entry);
      // Those of the same turn make one batch.
      if (pending.length === 1) setImmediate(takeOff);
    },
    start: sweepLater,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([ended(), later(stoppedWithinMs, undefined, { ref: false })]);
    },
  };
}

/** In seconds, of the first event of the first. */
function ageOf([first]: Entry[]): number {
  const since = first?.events[0]?.time;
  return since === undefined ? 0 : (Date.now() - Date.parse(since)) / 1000;
}

const keyOf = ({ model, id }: Entry) => `${model.modelName}:${id}`;

/**
 * Documents with events from before a time, with all that their outbox holds. By its index: the oldest come first. At majority:
 * what an election takes back must never have been told.
 */
async function waiting(model: OutboxModel, before: Date, except: string[]): Promise<Entry[]> {
  const others = except.length > 0 ? { _id: { $nin: except } } : {};
  const filter = { 'outbox.time': { $lt: before.toISOString() }, ...others };
  // Asked every second, and nearly always in vain: by the bare command, which takes a fraction of what a model does.
  const documents = await findManyRaw<WithOutbox & { _id: string }>(model.collection, {
    ...{ filter, projection: { outbox: 1 }, hint: 'outbox', limit: batchSize, ...majorityRead },
  });
  return documents.map(({ _id, outbox = [] }) => ({ model, id: _id, events: outbox }));
}

/** All at once, in their order; each document's events stand or fall for themselves. */
async function publish(broker: Pick<Broker, 'publish'>, entries: Entry[]): Promise<{ sent: Entry[]; kept: Kept[] }> {
  const results = await Promise.allSettled(entries.map(({ events }) => broker.publish(events)));
  const sent = entries.filter((_entry, index) => results[index]?.status === 'fulfilled');
  const kept = entries.flatMap((entry, index) => {
    const result = results[index];
    return result?.status === 'rejected' ? [{ entry, error: result.reason as unknown }] : [];
  });
  return { sent, kept };
}

/** Nothing can be sent, whatever it is. */
function isOutage(error: unknown): boolean {
  return error instanceof AppError && !(error instanceof MessageRefused);
}

/**
 * One command for all documents of a model: ids of events are unique, so that each document loses its own alone. A write
 * for each would cost the database several times as much.
 */
async function takeOut(entries: Entry[], w: 1 | 'majority' = 1): Promise<void> {
  for (const [model, sent] of Map.groupBy(entries, (entry) => entry.model)) {
    const eventIds = sent.flatMap(({ events }) => events.map((event) => event.id));
    const documents = { _id: { $in: [...new Set(sent.map(({ id }) => id))] } };
    const update = { $pull: { outbox: { id: { $in: eventIds } } } };
    // As a rule not worth a flush of the journal: what is lost of it is sent once more, and known by its id.
    await model.collection.updateMany(documents as never, update as never, { writeConcern: { w } });
  }
}
