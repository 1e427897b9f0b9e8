import type { DomainEvent, QueueTable } from '@app/contracts';
import { gaugeOnScrape, type Logger } from '@app/runtime';
import type { BrokerUrl } from './connection.ts';
import type { ConsumerOptions } from './consuming/consumer.ts';
import { ConsumerConnection } from './consuming/consumer-connection.ts';
import { encodeMessage } from './message.ts';
import { Publisher } from './publisher.ts';
import { defaultDelays, names as namesOf } from './queues/topology.ts';

export type Broker = Awaited<ReturnType<typeof connectBroker>>;

type BrokerOptions = {
  url: BrokerUrl;
  namespace: string;
  service: string;
  logger: Logger;
  /** The queues of all services, which are created whoever consumes them. By default only those subscribed to here. */
  platform?: QueueTable;
  /** The types that this service publishes, as its user may in production; others are refused. By default all. */
  published?: ReadonlySet<string>;
  /** How long a failed message waits before it is retried, 5 s. A queue that exists keeps its own until it is replaced. */
  retryDelayMs?: number;
  /** The same for a message of a type or version that is unknown here, a minute. */
  unknownDelayMs?: number;
  /** How often the depth of the queues is read, every 15 s. */
  depthEveryMs?: number;
  /** How often consumers replace their channels; default: every minute. */
  renewEveryMs?: number;
};

/**
 * Connects to RabbitMQ, once to publish and once to consume. After a lost connection, a channel that the broker closed or a
 * canceled consumer, topology, publisher and consumers are set up again.
 */
export async function connectBroker(options: BrokerOptions) {
  const { url, namespace, service, logger, platform = {}, published } = options;
  const { retryDelayMs, unknownDelayMs } = { ...defaultDelays, ...options };
  const { depthEveryMs = 15_000, renewEveryMs = 60_000 } = options;
  const names = namesOf(namespace, service);
  const name = `${namespace}${service}`;
  const consumedTypes = new Set(typesOf(platform));

  const consumers = new ConsumerConnection({
    url,
    name,
    namespace,
    names,
    platform,
    logger,
    depthEveryMs,
    renewEveryMs,
    delays: { retryDelayMs, unknownDelayMs },
  });
  const publisher = new Publisher({
    url,
    name: `${name} publisher`,
    exchange: names.exchange,
    requeueExchange: names.requeue,
    logger,
    isConsumed: (type) => consumedTypes.has(type),
    assertQueues: () => consumers.assertAgain(),
  });
  gaugeOnScrape({
    name: 'broker_connected',
    help: '1 while this service is connected to RabbitMQ, 0 otherwise: then events wait in the outboxes and in queues',
    read: async () => [{ value: consumers.isConnected && publisher.isConnected ? 1 : 0 }],
  });
  await consumers.connect();
  await publisher.connect();

  return {
    /**
     * Publishes each event as a message of its own, in order; resolves once the broker has confirmed all of them.
     * @throws AppError unavailable `broker_unavailable`
     */
    async publish(events: DomainEvent[]): Promise<void> {
      for (const { type } of events)
        if (published && !published.has(type))
          throw new Error(`${service} is no publisher of ${type}: see platformPublishers`);
      await Promise.all(events.map((event) => publisher.publish(encodeMessage(event))));
    },
    /** Creates the queue and starts its consumer, which continues after every reconnection. */
    subscribe: (subscribed: ConsumerOptions): Promise<void> =>
      consumers.subscribe(subscribed, (queue, message) => publisher.send(queue, message)),
    /** Rejects while there is no connection or the broker takes no messages. */
    async ready(): Promise<void> {
      consumers.check();
      publisher.check();
    },
    /** Consumes no more messages and waits for running handlers, 10 s at most. Publishing goes on. */
    stopConsuming: (): Promise<void> => consumers.stop(),
    /** Stops consuming, then disconnects. */
    async close(): Promise<void> {
      await consumers.close();
      await publisher.close();
    },
  };
}

function typesOf(table: QueueTable): string[] {
  return Object.values(table).flatMap((queues) =>
    Object.values(queues).flatMap((types) => types.map(({ type }) => type)),
  );
}
