import type { DomainEvent } from '@app/contracts';
import { type Logger, metrics, readFew } from '@app/runtime';
import type { Model } from 'mongoose';
import { Gauge } from 'prom-client';
import type { Broker } from './broker.ts';
import type { WithOutbox } from './outbox.ts';

type OutboxModel = Model<WithOutbox & { _id: string }>;
type Entry = { model: OutboxModel; id: string; events: DomainEvent[] };

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
        .then(
          () => takeOutSoon(entries),
          (error) => {
            if (behind.size < pendingLimit) for (const entry of entries) behind.set(keyOf(entry), Date.now());
            logger.warn('events stay in the outbox for now', { documents: entries.length, error });
          },
        )
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

  /** Sends what has been waiting in the outboxes of a model, oldest first, batch after batch. */
  async function sweep(model: OutboxModel, before: Date): Promise<void> {
    for (let full = true; full && !stopped; ) {
      const left = await waiting(model, before);
      oldest.set({ model: model.modelName }, ageOf(left));
      const underWay = new Set([...pending, ...published, ...[...flights.values()].flat()].map(keyOf));
      const entries = left.filter((entry) => !underWay.has(keyOf(entry)));
      if (entries.length === 0) return;
      logger.info('sweeping up unsent events', { model: model.modelName, documents: entries.length });
      await publish(broker, entries);
      await takeOut(entries);
      full = left.length === batchSize;
    }
  }

  async function sweepAll(): Promise<void> {
    const before = Date.now() - sweptAfterMs;
    try {
      for (const model of models) await sweep(model, new Date(before));
      for (const [key, failedAt] of behind) if (failedAt < before) behind.delete(key);
    } catch (error) {
      logger.warn('sweep of the outboxes failed', { error });
    }
    if (!stopped) sweepLater();
  }

  function sweepLater(): void {
    timer = setTimeout(() => {
      sweeping = sweepAll();
    }, sweepEveryMs);
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
      await sweeping;
      takeOff();
      while (flights.size > 0 || published.length > 0) {
        await Promise.all(flights.keys());
        takeOutNow();
      }
    },
  };
}

/** In seconds, of the first event of the first. */
function ageOf([first]: Entry[]): number {
  const since = first?.events[0]?.time;
  return since === undefined ? 0 : (Date.now() - Date.parse(since)) / 1000;
}

const keyOf = ({ model, id }: Entry) => `${model.modelName}:${id}`;

/** Documents with events from before a time, with all that their outbox holds. By its index: the oldest come first. */
async function waiting(model: OutboxModel, before: Date): Promise<Entry[]> {
  const filter = { 'outbox.time': { $lt: before.toISOString() } };
  // Asked every second, and nearly always in vain: by the bare command, which takes a fraction of what a model does.
  const documents = await readFew<WithOutbox & { _id: string }>(model.collection, {
    ...{ filter, projection: { outbox: 1 }, hint: 'outbox', limit: batchSize },
  });
  return documents.map(({ _id, outbox = [] }) => ({ model, id: _id, events: outbox }));
}

async function publish(broker: Pick<Broker, 'publish'>, entries: Entry[]): Promise<void> {
  await broker.publish(entries.flatMap(({ events }) => events));
}

/**
 * One command for all documents of a model: ids of events are unique, so that each document loses its own alone. A write
 * for each would cost the database several times as much.
 */
async function takeOut(entries: Entry[]): Promise<void> {
  for (const [model, sent] of Map.groupBy(entries, (entry) => entry.model)) {
    const eventIds = sent.flatMap(({ events }) => events.map((event) => event.id));
    const documents = { _id: { $in: [...new Set(sent.map(({ id }) => id))] } };
    const update = { $pull: { outbox: { id: { $in: eventIds } } } };
    // Not worth a flush of the journal: what is lost of it is sent once more, and known by its id.
    await model.collection.updateMany(documents as never, update as never, { writeConcern: { w: 1 } });
  }
}
