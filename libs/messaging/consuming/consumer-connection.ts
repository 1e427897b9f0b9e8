// Why it is so: docs/decisions/broker-connections.md
import type { QueueTable } from '@app/contracts';
import { type Logger, waitAtMost } from '@app/runtime';
import { createPoller, type Poller } from '@app/work-queue';
import type { Channel, ChannelModel, RecoveringChannelModel } from 'amqplib';
import { type BrokerUrl, closeConnectionOnError, connectWithRecovery, disconnect } from '../connection.ts';
import { unavailable } from '../publisher.ts';
import { type QueueDepthWatch, watchQueueDepth } from '../queues/queue-depth.ts';
import { assertPlatform, assertQueues, type Delays, type Names, type QueueNames } from '../queues/topology.ts';
import { Consumer, type ConsumerOptions } from './consumer.ts';
import type { Send } from './requeue.ts';

type Options = {
  url: BrokerUrl;
  name: string;
  namespace: string;
  names: Names;
  platform: QueueTable;
  delays: Delays;
  depthEveryMs: number;
  renewEveryMs: number;
  logger: Logger;
};

type Entry = {
  queue: QueueNames;
  types: string[];
  consumer: Consumer;
  /** The connection by which it consumes; null until it has begun. */
  model: ChannelModel | null;
  /** Messages of the former channel are still being handled, or wait to be requeued: for hours, if the broker takes nothing. */
  isLeaving: boolean;
};

const handlersTimeoutMs = 10_000;

/**
 * The connection by which a service consumes; nothing is published on it. On every new connection the topology and all consumers
 * are set up again.
 */
export class ConsumerConnection {
  readonly #options: Options;
  readonly #entries: Entry[] = [];
  #connection: RecoveringChannelModel | undefined;
  /** Undefined while there is no connection. */
  #model: ChannelModel | undefined;
  #depthWatch: QueueDepthWatch | undefined;
  #renewal: Poller | undefined;
  /** Consumers start one after the other, each once it has handled what was redelivered to it. */
  #started: Promise<void> = Promise.resolve();
  #asserting: Promise<void> | undefined;
  #closing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Resolves when there is a first connection. To be called once. */
  async connect(): Promise<void> {
    const { url, name, logger } = this.#options;
    this.#connection = await connectWithRecovery({
      url,
      name,
      logger,
      setUp: (model, isLost) => this.#setUp(model, isLost),
      onLost: () => {
        this.#model = undefined;
        this.#depthWatch?.stop();
        void this.#renewal?.stop();
      },
    });
    await this.#connection.waitForConnect();
  }

  /** Creates the queue and starts its consumer. `send` requeues messages whose handler failed. */
  async subscribe(options: ConsumerOptions, send: Send): Promise<void> {
    const queue = this.#options.names.queue(options.queue);
    const types = options.table.map(({ eventType }) => eventType.type);
    const consumer = new Consumer({ options, queue, send, logger: this.#options.logger });
    const entry: Entry = { queue, types, consumer, model: null, isLeaving: false };
    this.#entries.push(entry);
    await this.#startNowOrOnReconnect(entry);
  }

  /** Creates queues that are missing, if there is a connection; never rejects. */
  assertAgain(): Promise<void> {
    if (!this.#model) return Promise.resolve();
    this.#asserting ??= this.#assertAll(this.#model)
      .catch((error) => this.#options.logger.warn('missing queues could not be declared', { error }))
      .finally(() => {
        this.#asserting = undefined;
      });
    return this.#asserting;
  }

  get isConnected(): boolean {
    return this.#model !== undefined;
  }

  /** @throws AppError unavailable `broker_unavailable` if there is no connection */
  check(): void {
    if (!this.#model) throw unavailable();
  }

  /** Consumes no more messages and waits for those being handled, 10 s at most. */
  async stop(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#depthWatch?.stop();
    void this.#renewal?.stop();
    await waitAtMost(Promise.all(this.#entries.map(({ consumer }) => consumer.stop())), handlersTimeoutMs);
  }

  /** Stops, then disconnects. */
  async close(): Promise<void> {
    await this.stop();
    if (this.#connection) await disconnect(this.#connection);
    this.#model = undefined;
  }

  async #setUp(model: ChannelModel, isLost: () => boolean): Promise<void> {
    await this.#assertPlatform(model);
    this.#started = Promise.resolve();
    const starts: (() => Promise<void>)[] = [];
    // More may be added meanwhile.
    while (!this.#closing && starts.length < this.#entries.length) {
      const added = this.#entries.slice(starts.length);
      starts.push(...(await Promise.all(added.map((entry) => this.#prepare(model, entry)))));
    }
    if (isLost()) return;
    this.#model = model;
    // Stopped meanwhile, or before this connection was made.
    if (this.#closing) return;
    for (const start of starts) this.#enqueueStart(start);
    const queues = () => this.#entries.flatMap(({ queue }) => Object.values(queue));
    this.#depthWatch = watchQueueDepth(model, queues, this.#options.depthEveryMs);
    this.#renewal = this.#startRenewal(model);
  }

  /**
   * Replaces the channels of consumers regularly. After the death of a node, the broker may count messages as
   * delivered that no consumer got; it requeues them once their channel is closed.
   */
  #startRenewal(model: ChannelModel): Poller {
    const renewal = createPoller({
      run: () => {
        const consuming = this.#entries.filter((entry) => entry.model === model && !entry.isLeaving);
        return Promise.all(consuming.map((entry) => this.#renew(model, entry)));
      },
      everyMs: this.#options.renewEveryMs,
      onError: (error) => {
        if (this.#model !== model || this.#closing) return;
        this.#options.logger.warn('consumers could not move to new channels', { error });
        // The next connection sets up every consumer.
        model.close().catch(() => undefined);
      },
    });
    renewal.start();
    return renewal;
  }

  async #renew(model: ChannelModel, entry: Entry): Promise<void> {
    entry.model = null;
    entry.isLeaving = true;
    const left = entry.consumer.leave().finally(() => {
      entry.isLeaving = false;
    });
    await waitAtMost(left, handlersTimeoutMs);
    if (this.#model === model && !this.#closing) this.#enqueueStart(await this.#prepare(model, entry));
  }

  /** Queues of other services that the broker refuses are for them to report: this service runs without. */
  async #assertPlatform(model: ChannelModel): Promise<void> {
    const { namespace, platform, logger } = this.#options;
    try {
      // Each service reports its own queues.
      await assertPlatform(model, namespace, platform);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      logger.error('queues of other services could not be declared', { error });
    }
  }

  async #assertOwn(model: ChannelModel, { queue, types }: Entry): Promise<void> {
    const { names, delays, logger } = this.#options;
    const different = await assertQueues(model, { names, queue, types, delays });
    if (different.length > 0)
      logger.warn('queues have the arguments of another version: npm run ops -- migrate replaces them', {
        queues: different,
      });
  }

  async #assertAll(model: ChannelModel): Promise<void> {
    await this.#assertPlatform(model);
    await Promise.all(this.#entries.map((entry) => this.#assertOwn(model, entry)));
  }

  /** Creates the consumer's queue and channel; resolves to the function that starts it. */
  async #prepare(model: ChannelModel, entry: Entry): Promise<() => Promise<void>> {
    const { logger } = this.#options;
    await this.#assertOwn(model, entry);
    const channel = closeConnectionOnError<Channel>(await model.createChannel(), model, (error) => {
      if (!this.#closing) logger.warn('broker channel failed', { error });
    });
    const start = await entry.consumer.prepare(channel);
    return async () => {
      try {
        await start();
        entry.model = model;
      } catch (error) {
        logger.warn('consumer could not start', { queue: entry.queue.main, error });
      }
    };
  }

  #enqueueStart(start: () => Promise<void>): void {
    this.#started = this.#started.then(start);
  }

  async #startNowOrOnReconnect(entry: Entry): Promise<void> {
    if (!this.#model) return this.#reconnected();
    try {
      this.#enqueueStart(await this.#prepare(this.#model, entry));
    } catch (error) {
      if (isRefusal(error)) throw error;
      // The connection broke meanwhile: the next one sets up every consumer, this one included.
      await this.#reconnected();
    }
    return undefined;
  }

  #reconnected(): Promise<void> {
    return new Promise((resolve) => this.#connection?.once('connect', () => resolve()));
  }
}

/** Whether the broker refused: there is no permission. Retrying would not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
