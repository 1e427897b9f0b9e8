import { createRoom, currentContext } from '@app/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acknowledge, createAcknowledge } from './acknowledge.ts';
import type { Inbox } from './inbox.ts';
import { parcelOf, unpacked } from './parcel.ts';
import { createSettle } from './settle.ts';
import { readEvent, type Subscription } from './subscription.ts';

export type ConsumerOptions = {
  /** The purpose, unique within the service: the queue's name. */
  queue: string;
  table: Subscription[];
  /** Messages in hand, and events handled at once; with 1 they are handled one after the other, in their order. */
  prefetch?: number;
  /** Skips what was handled before; without it the handlers themselves must be idempotent. */
  inbox?: Inbox;
};

type Deps = Parameters<typeof createSettle>[0] & { options: ConsumerOptions };
type Settled = (message: ConsumeMessage, error: unknown) => Promise<void>;

export type Consumer = {
  start(channel: Channel): Promise<void>;
  /** Takes no more messages and waits for those being handled. */
  stop(): Promise<void>;
};

/** Of a message that was taken apart, since it had come before. */
const cameBefore = 'x-again';

/**
 * A consumer as a table: decides in one place whether an event is done, tried again later, or put aside with the
 * reason. What is put aside waits in the dead-letter queue for `npm run replay`.
 */
export function createConsumer({ options, queue, send, logger }: Deps): Consumer {
  const { prefetch = 16 } = options;
  const table = new Map(options.table.map((subscription) => [subscription.eventType.type, subscription]));
  const settle = createSettle({ queue, send, logger });
  const room = createRoom(prefetch);
  const running = new Set<Promise<void>>();
  let current: { channel: Channel; acknowledge: Acknowledge } | null = null;
  let cancel: () => Promise<unknown> = async () => undefined;

  async function process(
    { channel, acknowledge }: NonNullable<typeof current>,
    message: ConsumeMessage,
  ): Promise<void> {
    acknowledge.took(message);
    const settled: Settled = (failed, error) =>
      settle({ message: failed, error, isHeld: () => channel === current?.channel });
    const carried = await carriedBy(message, settled);
    if (carried.length > 1 && message.fields.redelivered) await takeApart(message, carried);
    else await all(carried.map((one) => room.within(() => handleOne({ message, carried, one, settled }))));
    acknowledge.done(message);
  }

  /** One that fails goes on alone, whatever it came with: the others of its message are done. */
  async function handleOne({ message, carried, one, settled }: Handling): Promise<void> {
    try {
      await handle(message, one, { table, options });
    } catch (error) {
      await settled(carried.length === 1 ? message : alone(message, one), error);
    }
  }

  /** What comes again may have killed its process: each by itself from now on, so that it takes none of the others along. */
  async function takeApart(message: ConsumeMessage, carried: unknown[]): Promise<void> {
    await Promise.all(carried.map((one) => send(queue.main, alone(message, one, { [cameBefore]: true }))));
  }

  return {
    async start(channel) {
      const own = { channel, acknowledge: createAcknowledge(channel) };
      current = own;
      channel.once('close', () => {
        if (current === own) current = null;
      });
      await channel.prefetch(prefetch);
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

type Handling = { message: ConsumeMessage; carried: unknown[]; one: unknown; settled: Settled };

/** What cannot be read is put aside whole, and carries nothing. */
async function carriedBy(message: ConsumeMessage, settled: Settled): Promise<unknown[]> {
  try {
    return unpacked(message.content);
  } catch (error) {
    await settled(message, error);
    return [];
  }
}

/** Every one of them ends before this does, also where one fails. */
async function all(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

/** One of several events that came as one message, as if it had come alone. */
function alone(message: ConsumeMessage, one: unknown, more: Record<string, unknown> = {}): ConsumeMessage {
  const { content, properties } = parcelOf(one);
  return {
    ...message,
    content,
    properties: { ...message.properties, ...properties, headers: { ...properties.headers, ...more } },
  };
}

type Reading = { table: Map<string, Subscription>; options: ConsumerOptions };

async function handle(message: ConsumeMessage, carried: unknown, { table, options }: Reading): Promise<void> {
  const { queue, inbox } = options;
  const { event, subscription } = readEvent(carried, table);
  const context = {
    messageId: event.id,
    ...(event.requestid ? { requestId: event.requestid } : {}),
    ...(event.traceparent ? { traceparent: event.traceparent } : {}),
  };
  await currentContext.run(context, async () => {
    const info = { again: hasComeBefore(message) };
    if (!inbox) return subscription.handle(event as never, null, info);
    return inbox.once(`${queue}:${event.id}`, (session) => subscription.handle(event as never, session, info));
  });
}

function hasComeBefore({ fields, properties }: ConsumeMessage): boolean {
  const { headers } = properties;
  return fields.redelivered || headers?.['x-attempts'] !== undefined || headers?.[cameBefore] !== undefined;
}
