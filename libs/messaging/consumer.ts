import { currentContext } from '@app/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acknowledge, createAcknowledge } from './acknowledge.ts';
import type { Inbox } from './inbox.ts';
import { createSettle } from './settle.ts';
import { readEvent, type Subscription } from './subscription.ts';

export type ConsumerOptions = {
  /** The purpose, unique within the service: the queue's name. */
  queue: string;
  table: Subscription[];
  /** Messages handled at once. */
  prefetch?: number;
  /** Skips what was handled before; without it the handlers themselves must be idempotent. */
  inbox?: Inbox;
};

type Deps = Parameters<typeof createSettle>[0] & { options: ConsumerOptions };

export type Consumer = {
  start(channel: Channel): Promise<void>;
  /** Takes no more messages and waits for those being handled. */
  stop(): Promise<void>;
};

/**
 * A consumer as a table: decides in one place whether a message is done, tried again later, or put aside with the
 * reason. What is put aside waits in the dead-letter queue for `npm run replay`.
 */
export function createConsumer({ options, queue, send, logger }: Deps): Consumer {
  const table = new Map(options.table.map((subscription) => [subscription.eventType.type, subscription]));
  const settle = createSettle({ queue, send, logger });
  const running = new Set<Promise<void>>();
  let current: { channel: Channel; acknowledge: Acknowledge } | null = null;
  let cancel: () => Promise<unknown> = async () => undefined;

  async function process(
    { channel, acknowledge }: NonNullable<typeof current>,
    message: ConsumeMessage,
  ): Promise<void> {
    acknowledge.took(message);
    try {
      await handle(message, table, options);
    } catch (error) {
      await settle({ message, error, isHeld: () => channel === current?.channel });
    }
    acknowledge.done(message);
  }

  return {
    async start(channel) {
      const own = { channel, acknowledge: createAcknowledge(channel) };
      current = own;
      channel.once('close', () => {
        if (current === own) current = null;
      });
      await channel.prefetch(options.prefetch ?? 16);
      const { consumerTag } = await channel.consume(queue.main, (message) => {
        // Null: the broker canceled the consumer (its queue was deleted). Ending the channel has everything set up anew.
        if (!message) return channel.emit('error', new Error(`consumer of ${queue.main} was canceled by the broker`));
        const work = process(own, message)
          .catch((error) => logger.warn('message left to the broker', { queue: queue.main, error }))
          .finally(() => running.delete(work));
        running.add(work);
        return undefined;
      });
      cancel = () => channel.cancel(consumerTag);
    },
    async stop() {
      // A channel that is gone has no consumer any more.
      await cancel().catch(() => undefined);
      await Promise.all(running);
      current?.acknowledge.flush();
      // The end of the connection may overtake acknowledgements on their way; that of their own channel does not.
      await current?.channel.close().catch(() => undefined);
    },
  };
}

async function handle(
  message: ConsumeMessage,
  table: Map<string, Subscription>,
  { queue, inbox }: ConsumerOptions,
): Promise<void> {
  const { event, subscription } = readEvent(message.content, table);
  const context = {
    messageId: event.id,
    ...(event.requestid ? { requestId: event.requestid } : {}),
    ...(event.traceparent ? { traceparent: event.traceparent } : {}),
  };
  await currentContext.run(context, async () => {
    const info = { again: message.fields.redelivered || hasFailed(message) };
    if (!inbox) return subscription.handle(event as never, null, info);
    return inbox.once(`${queue}:${event.id}`, (session) => subscription.handle(event as never, session, info));
  });
}

function hasFailed({ properties }: ConsumeMessage): boolean {
  return properties.headers?.['x-attempts'] !== undefined;
}
