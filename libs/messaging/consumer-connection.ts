import type { QueueTable } from '@app/contracts';
import type { Logger } from '@app/runtime';
import type { Channel, ChannelModel, RecoveringChannelModel } from 'amqplib';
import { closeConnectionOnError, connectWithRecovery, disconnect } from './connection.ts';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer.ts';
import { type Publisher, unavailable } from './publisher.ts';
import { type QueueDepthWatch, watchQueueDepth } from './queue-depth.ts';
import { assertPlatform, assertQueues, type Delays, type Names, type QueueNames } from './topology.ts';

export type ConsumerConnection = {
  subscribe(options: ConsumerOptions, send: Publisher['send']): Promise<void>;
  /** Makes the queues that are missing, as far as there is a connection; it never rejects. */
  assertAgain(): Promise<void>;
  /** @throws AppError unavailable `broker_unavailable` where there is no connection */
  check(): void;
  /** Takes no more messages and waits for those being handled, 10 s at most. */
  stop(): Promise<void>;
  /** Stops, then disconnects. */
  close(): Promise<void>;
};

type Options = {
  url: string;
  name: string;
  namespace: string;
  named: Names;
  platform: QueueTable;
  delays: Delays;
  depthEveryMs: number;
  logger: Logger;
};

type Begin = () => Promise<void>;
type Entry = { queue: QueueNames; types: string[]; consumer: Consumer };

const handlersEndWithinMs = 10_000;

/** Consumes by a connection of its own, on which nothing is published; on every new connection all is set up anew. */
export async function connectConsumers(options: Options): Promise<ConsumerConnection> {
  const { url, name, namespace, named, platform, delays, depthEveryMs, logger } = options;
  const entries: Entry[] = [];
  let connected: ChannelModel | undefined;
  let depth: QueueDepthWatch | undefined;
  /** Consumers begin one after the other, each once what it had in hand before is dealt with. */
  let begun: Promise<void> = Promise.resolve();
  let asserting: Promise<void> | undefined;
  let closing = false;

  async function setUp(model: ChannelModel): Promise<void> {
    await assertOthers(model);
    begun = Promise.resolve();
    const beginnings = await Promise.all((closing ? [] : entries).map((entry) => prepare(model, entry)));
    for (const begin of beginnings) chain(begin);
    const watched = () => entries.flatMap(({ queue }) => Object.values(queue));
    depth = watchQueueDepth(model, watched, depthEveryMs);
    connected = model;
  }

  /** Other services will run with what the broker has: that it differs is theirs to say. */
  async function assertOthers(model: ChannelModel): Promise<void> {
    try {
      await assertPlatform(model, namespace, platform);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      logger.error('queues of other services cannot be made', { error });
    }
  }

  /** The queue of a consumer and the channel by which it will take messages; gives what has it begin. */
  async function prepare(model: ChannelModel, entry: Entry): Promise<Begin> {
    await assertOwn(model, entry);
    const channel = closeConnectionOnError<Channel>(await model.createChannel(), model, (error) => {
      if (!closing) logger.warn('broker channel failed', { error });
    });
    const begin = await entry.consumer.prepare(channel);
    return () => begin().catch((error) => logger.warn('consumer did not begin', { queue: entry.queue.main, error }));
  }

  /** Where the connection breaks meanwhile, all is set up anew on the next one. */
  function chain(begin: Begin): void {
    begun = begun.then(begin);
  }

  function assertOwn(model: ChannelModel, { queue, types }: Entry): Promise<void> {
    return assertQueues(model, { exchange: named.exchange, queue, types, delays });
  }

  const connection: RecoveringChannelModel = await connectWithRecovery({ url, name, setUp, logger });
  connection.on('disconnect', () => {
    connected = undefined;
    depth?.stop();
  });
  await connection.waitForConnect();

  const nextConnection = () => new Promise<void>((resolve) => connection.once('connect', () => resolve()));

  /** With the next connection where there is none, or where this one breaks meanwhile. */
  async function prepareNowOrNext(entry: Entry): Promise<void> {
    if (!connected) return nextConnection();
    try {
      chain(await prepare(connected, entry));
    } catch (error) {
      if (isRefusal(error)) throw error;
      await nextConnection();
    }
    return undefined;
  }

  async function assertAll(model: ChannelModel): Promise<void> {
    await assertOthers(model);
    await Promise.all(entries.map((entry) => assertOwn(model, entry)));
  }

  async function stop(): Promise<void> {
    if (closing) return;
    closing = true;
    depth?.stop();
    await Promise.race([
      Promise.all(entries.map(({ consumer }) => consumer.stop())),
      new Promise((resolve) => setTimeout(resolve, handlersEndWithinMs).unref()),
    ]);
  }

  return {
    async subscribe(subscribed, send) {
      const queue = named.queue(subscribed.queue);
      const types = subscribed.table.map(({ eventType }) => eventType.type);
      const consumer = createConsumer({ options: subscribed, queue, send, logger });
      const entry = { queue, types, consumer };
      entries.push(entry);
      await prepareNowOrNext(entry);
    },
    assertAgain() {
      const model = connected;
      if (!model) return Promise.resolve();
      asserting ??= assertAll(model)
        .catch((error) => logger.warn('queues cannot be made again', { error }))
        .finally(() => {
          asserting = undefined;
        });
      return asserting;
    },
    check() {
      if (!connected) throw unavailable();
    },
    stop,
    async close() {
      await stop();
      await disconnect(connection);
      connected = undefined;
    },
  };
}

/** The broker refused (a queue of that name with other properties, no permission): trying again would not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
