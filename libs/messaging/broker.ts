import type { DomainEvent } from '@app/contracts';
import type { Logger } from '@app/runtime';
import { type Channel, type ChannelModel, type ConfirmChannel, connect, type RecoveringChannelModel } from 'amqplib';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer.ts';
import { messageOf } from './message.ts';
import { openPublisher, publishMessage, sendToQueue, unavailable } from './publish.ts';
import { assertQueues, names } from './topology.ts';

export type Broker = {
  /** Publishes each as a message of its own, in their order, and waits until the broker has every one safe. @throws AppError unavailable `broker_unavailable` */
  publish(events: DomainEvent[]): Promise<void>;
  /** Resolves when the consumer has started; it goes on after every reconnection. */
  subscribe(options: ConsumerOptions): Promise<void>;
  /** Rejects while there is no connection: what `/readyz` asks. */
  ready(): Promise<void>;
  /** Takes no more messages, lets running handlers end (10 s at most), disconnects. */
  close(): Promise<void>;
};

type BrokerOptions = {
  url: string;
  namespace: string;
  service: string;
  logger: Logger;
  /** How long a message that failed waits before it is tried again, 5 s. It is fixed when its queue is first made. */
  retryDelayMs?: number;
};

type Entry = { options: ConsumerOptions; consumer: Consumer };

const handlersEndWithinMs = 10_000;

/**
 * Connects to RabbitMQ and stays connected: after a lost connection, a channel that the broker closed or a canceled
 * consumer, everything (topology, publisher, consumers) is set up anew.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, namespace, service, logger, retryDelayMs = 5_000 } = options;
  const named = names(namespace, service);
  const entries: Entry[] = [];
  let connected: ChannelModel | undefined;
  /** There before the consumers: what comes again may have to be put back at once. */
  let publisher: ConfirmChannel | undefined;
  let closing = false;

  async function setUp(model: ChannelModel): Promise<void> {
    // The library listens only once this is done; until then an error without a listener would end the process.
    model.on('error', () => undefined);
    publisher = guard(await openPublisher(model, named.exchange), model);
    for (const entry of closing ? [] : entries) await startConsumer(model, entry);
    connected = model;
  }

  async function startConsumer(model: ChannelModel, { options: { queue, table }, consumer }: Entry): Promise<void> {
    const channel = guard(await model.createChannel(), model);
    const types = table.map(({ eventType }) => eventType.type);
    await assertQueues(channel, { exchange: named.exchange, queue: named.queue(queue), types, retryDelayMs });
    await consumer.start(channel);
  }

  /** A broken channel takes the connection with it, so that there is one way back and not one per channel. */
  function guard<C extends Channel>(channel: C, model: ChannelModel): C {
    channel.on('error', (error) => {
      if (!closing) logger.warn('broker channel failed', { error });
      model.close().catch(() => undefined);
    });
    return channel;
  }

  const connection = await connectAgainAndAgain(url, `${namespace}${service}`, setUp);
  connection.on('disconnect', () => {
    connected = undefined;
    publisher = undefined;
  });
  tell(connection, logger);
  await connection.waitForConnect();

  const nextConnection = () => new Promise<void>((resolve) => connection.once('connect', () => resolve()));

  /** With the next connection where there is none, or where this one breaks meanwhile. */
  async function startNowOrNext(entry: Entry): Promise<void> {
    if (!connected) return nextConnection();
    try {
      return await startConsumer(connected, entry);
    } catch (error) {
      if (isRefusal(error)) throw error;
      return nextConnection();
    }
  }

  return {
    async publish(events) {
      await Promise.all(events.map((event) => publishMessage(publisher, named.exchange, messageOf(event))));
    },
    async subscribe(subscribed) {
      const consumer = createConsumer({
        options: subscribed,
        queue: named.queue(subscribed.queue),
        send: (queue, message) => sendToQueue(publisher, queue, message),
        logger,
      });
      const entry = { options: subscribed, consumer };
      entries.push(entry);
      await startNowOrNext(entry);
    },
    async ready() {
      if (!connected) throw unavailable();
    },
    async close() {
      closing = true;
      await Promise.race([
        Promise.all(entries.map(({ consumer }) => consumer.stop())),
        new Promise((resolve) => setTimeout(resolve, handlersEndWithinMs).unref()),
      ]);
      await connection.close();
      connected = undefined;
      publisher = undefined;
    },
  };
}

function connectAgainAndAgain(url: string, name: string, setup: (model: ChannelModel) => Promise<void>) {
  return connect(withHeartbeat(url), {
    // Nagle meeting delayed acknowledgements costs 20 ms a message.
    noDelay: true,
    keepAlive: true,
    // Of the handshake alone.
    timeout: 10_000,
    clientProperties: { connection_name: name },
    recovery: { initialDelay: 100, maxDelay: 5_000, initialMaxRetries: 20, setup, waitForConnect: false },
  });
}

/** A silent broker is noticed within half a minute, not the two that its own default of 60 s takes. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', '15');
  return address.href;
}

/** The broker refused (a queue of that name with other properties, no permission): trying again would not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function tell(connection: RecoveringChannelModel, logger: Logger): void {
  connection.on('connect', () => logger.info('broker connected'));
  connection.on('connect-failed', (error) => logger.warn('broker cannot be reached', { error }));
  connection.on('disconnect', (error) => logger.warn('broker connection lost', { error }));
  connection.on('error', (error) => logger.warn('broker connection failed', { error }));
}
