import { type DomainEvent, defineEvent, type QueueTable } from '@app/contracts';
import { TcpProxy, testInfra, testLogger, testNamespace } from '@app/testing';
import { type Channel, type ChannelModel, connect, type GetMessage } from 'amqplib';
import Joi from 'joi';
import { type Broker, connectBroker } from '../broker.ts';
import type { ConsumerOptions } from '../consuming/consumer.ts';
import { toCloudEvents } from '../outbox/outbox.ts';
import { names } from '../queues/topology.ts';

export const thingHappened = defineEvent(
  'thing.happened.v1',
  Joi.object<{ n: number }, true>({ n: Joi.number().required() }),
);
export const otherHappened = defineEvent(
  'other.happened.v1',
  Joi.object<{ n: number }, true>({ n: Joi.number().required() }),
);

/** Events in their envelopes, numbered as given, in this order. */
export function things(...numbers: number[]): DomainEvent<{ n: number }>[] {
  const at = new Date();
  return toCloudEvents(
    'test',
    numbers.map((n) => thingHappened({ n }, at)),
  ) as DomainEvent<{ n: number }>[];
}

export type Rabbit = Awaited<ReturnType<typeof openRabbit>>;

/** The real RabbitMQ, in a namespace of its own. */
export async function openRabbit() {
  const namespace = testNamespace();
  const { amqpUrl } = testInfra();
  const plain: ChannelModel = await connect(amqpUrl, { noDelay: true });
  plain.on('error', () => undefined);
  const logger = testLogger();
  const brokers: Broker[] = [];
  const queues = new Set<string>();
  const requeues = new Set<string>();
  const { exchange } = names(namespace, '');

  async function using<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await plain.createChannel();
    // Checking a queue that is missing closes the channel; the rejection says so too.
    channel.on('error', () => undefined);
    try {
      return await work(channel);
    } finally {
      await channel.close().catch(() => undefined);
    }
  }

  return {
    namespace,
    exchange,
    logger,
    /**
     * A broker as a service has it; closed at the end. Retries come after 50 ms, messages of an
     * unknown type after 20.
     */
    async broker({
      service = 'test',
      url = amqpUrl,
      renewEveryMs = 60_000,
      platform = {},
    }: {
      service?: string;
      url?: string;
      renewEveryMs?: number;
      platform?: QueueTable;
    } = {}): Promise<Broker> {
      const broker = await connectBroker({
        url,
        namespace,
        service,
        logger,
        retryDelayMs: 50,
        unknownDelayMs: 20,
        depthEveryMs: 100,
        renewEveryMs,
        platform,
      });
      brokers.push(broker);
      requeues.add(names(namespace, service).requeue);
      return broker;
    },
    /** Subscribes, and has the consumer's queues removed at the end. */
    async subscribe(
      broker: Broker,
      options: ConsumerOptions,
      service: string = 'test',
    ): Promise<ReturnType<ReturnType<typeof names>['queue']>> {
      const queue = names(namespace, service).queue(options.queue);
      for (const name of Object.values(queue)) queues.add(name);
      await broker.subscribe(options);
      return queue;
    },
    /** How many messages wait there. */
    count: (queue: string): Promise<number> => using(async (channel) => (await channel.checkQueue(queue)).messageCount),
    /** Removes and returns what waits there, oldest first. */
    getAll: (queue: string): Promise<GetMessage[]> =>
      using(async (channel) => {
        const messages: GetMessage[] = [];
        for (;;) {
          const message = await channel.get(queue, { noAck: true });
          if (!message) return messages;
          messages.push(message);
        }
      }),
    /** Stops the consumers of every broker. */
    async stopConsuming(): Promise<void> {
      await Promise.all(brokers.map((broker) => broker.stopConsuming()));
    },
    /** A channel of the AMQP client itself, for what no service does. */
    async channel(): Promise<Channel> {
      const channel = await plain.createChannel();
      channel.on('error', () => undefined);
      return channel;
    },
    /** Removes all that was made on the broker. */
    async end(): Promise<void> {
      await Promise.all(brokers.map((broker) => broker.close()));
      await using(async (channel) => {
        for (const queue of queues) await channel.deleteQueue(queue);
        for (const requeue of requeues) await channel.deleteExchange(requeue);
        await channel.deleteExchange(exchange);
      });
      await plain.close();
    },
  };
}

/** `broker` connects through `proxy`, which tests cut; `steady` connects directly. */
export type CutRabbit = { rabbit: Rabbit; proxy: TcpProxy; broker: Broker; steady: Broker; end(): Promise<void> };

export async function openCutRabbit(): Promise<CutRabbit> {
  const rabbit = await openRabbit();
  const { amqpUrl } = testInfra();
  const proxy = await TcpProxy.start(amqpUrl);
  const broker = await rabbit.broker({ url: proxy.url(amqpUrl) });
  const steady = await rabbit.broker({ service: 'steady' });
  const end = async () => {
    await rabbit.end();
    await proxy.close();
  };
  return { rabbit, proxy, broker, steady, end };
}

/** A promise and its resolution, to hold a handler until the test lets go. */
export function gate(): { open: () => void; opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}
