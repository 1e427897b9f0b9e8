import type { DomainEvent, QueueTable } from '@app/contracts';
import type { Logger } from '@app/runtime';
import type { ConsumerOptions } from './consumer.ts';
import { connectConsumers } from './consumer-connection.ts';
import { encodeMessage } from './message.ts';
import { connectPublisher } from './publisher.ts';
import { names } from './topology.ts';

export type Broker = {
  /**
   * Publishes each as a message of its own, in their order, and waits until the broker has every one safe.
   * @throws AppError unavailable `broker_unavailable`
   */
  publish(events: DomainEvent[]): Promise<void>;
  /** Resolves when the queue is there and its consumer about to begin; it goes on after every reconnection. */
  subscribe(options: ConsumerOptions): Promise<void>;
  /** Rejects while there is no connection, or the broker takes no messages: what `/readyz` asks. */
  ready(): Promise<void>;
  /** Consumes no more messages and waits for running handlers, 10 s at most. Publishing goes on. */
  stopConsuming(): Promise<void>;
  /** Stops consuming, then disconnects. */
  close(): Promise<void>;
};

type BrokerOptions = {
  url: string;
  namespace: string;
  service: string;
  logger: Logger;
  /** Every queue there is to be, whoever consumes it; none: those that are subscribed to here. */
  platform?: QueueTable;
  /** How long a message that failed waits before it is tried again, 5 s. It is fixed when its queue is first made. */
  retryDelayMs?: number;
  /** The same of one that this version does not know, a minute. */
  unknownDelayMs?: number;
  /** How often the depth of the queues is asked, every 15 s. */
  depthEveryMs?: number;
};

/**
 * Connects to RabbitMQ, once to publish and once to consume, and stays connected: after a lost connection, a channel that the
 * broker closed or a canceled consumer, everything (topology, publisher, consumers) is set up anew.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, namespace, service, logger, platform = {} } = options;
  const { retryDelayMs = 5_000, unknownDelayMs = 60_000, depthEveryMs = 15_000 } = options;
  const named = names(namespace, service);
  const name = `${namespace}${service}`;
  const heard = new Set(typesOf(platform));

  const consuming = await connectConsumers({
    ...{ url, name, namespace, named, platform, logger, depthEveryMs },
    delays: { retryDelayMs, unknownDelayMs },
  });
  const publisher = await connectPublisher({
    ...{ url, name: `${name} publisher`, exchange: named.exchange, logger },
    isHeard: (type) => heard.has(type),
    assertQueues: () => consuming.assertAgain(),
  });

  return {
    async publish(events) {
      await Promise.all(events.map((event) => publisher.publish(encodeMessage(event))));
    },
    subscribe: (subscribed) => consuming.subscribe(subscribed, publisher.send),
    async ready() {
      consuming.check();
      publisher.check();
    },
    stopConsuming: () => consuming.stop(),
    async close() {
      await consuming.close();
      await publisher.close();
    },
  };
}

function typesOf(table: QueueTable): string[] {
  return Object.values(table).flatMap((queues) =>
    Object.values(queues).flatMap((types) => types.map(({ type }) => type)),
  );
}
