import { createRoom, currentContext } from '@app/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acknowledge, createAcknowledge } from './acknowledge.ts';
import { alone, hasComeBefore, isToBeTakenApart, takenFrom } from './carried.ts';
import type { Inbox } from './inbox.ts';
import { unpacked } from './parcel.ts';
import { putBack } from './put-back.ts';
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

export type Consumer = {
  start(channel: Channel): Promise<void>;
  /** Takes no more messages, begins no more events, and waits for those being handled. */
  stop(): Promise<void>;
};

/** What came by one channel: once that is gone the broker gives it to the next, so nothing of it is begun any more. */
type Session = { channel: Channel; acknowledge: Acknowledge };
type Came = { session: Session; message: ConsumeMessage };
type Failed = (message: ConsumeMessage, error: unknown) => Promise<void>;

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
  let current: Session | null = null;
  let stopping = false;
  let cancel: () => Promise<unknown> = async () => undefined;

  async function process({ session, message }: Came): Promise<void> {
    const isHeld = () => session === current;
    const failed: Failed = (one, error) => settle({ message: one, error, isHeld });
    session.acknowledge.took(message);
    const carried = await carriedBy(message, failed);
    if (carried.length > 1 && isToBeTakenApart(message)) await takeApart(message, carried, isHeld);
    else {
      const isWanted = () => isHeld() && !stopping;
      const begin = (one: unknown) => {
        if (!isWanted()) throw new Error('its channel is gone, or about to go');
        return handleOne({ message, carried, one, failed });
      };
      await all(carried.map((one) => room.within(async () => begin(one))));
    }
    session.acknowledge.done(message);
  }

  /** One that fails goes on alone, whatever it came with: the others of its message are done. */
  async function handleOne({ message, carried, one, failed }: Handling): Promise<void> {
    try {
      await handle(message, one, { table, options });
    } catch (error) {
      await failed(carried.length === 1 ? message : alone(message, one), error);
    }
  }

  /**
   * Each by itself from now on, so that one that ends its process takes none of the others along. They come back after a
   * while: the one that ends its process would otherwise do so before its message is acknowledged.
   */
  async function takeApart(message: ConsumeMessage, carried: unknown[], isHeld: () => boolean): Promise<void> {
    const { messageId } = message.properties;
    logger.warn('message taken apart, since it came again and again', { queue: queue.main, messageId });
    const parts = carried.map((one) => takenFrom(message, one));
    await all(parts.map((part) => putBack({ queue: queue.retry, message: part, isHeld, send, logger })));
  }

  function take(came: Came): void {
    const { session, message } = came;
    const work = process(came)
      .catch((error) => {
        logger.warn('message left to the broker', {
          queue: queue.main,
          messageId: message.properties.messageId,
          error,
        });
        // Its channel would hold it for good.
        if (session === current && !stopping) session.channel.emit('error', error);
      })
      .finally(() => running.delete(work));
    running.add(work);
  }

  return {
    async start(channel) {
      const session = { channel, acknowledge: createAcknowledge(channel) };
      current = session;
      channel.once('close', () => {
        if (current === session) current = null;
      });
      await channel.prefetch(prefetch);
      const { consumerTag } = await channel.consume(queue.main, (message) => {
        // Null: the broker canceled the consumer (its queue was deleted). Ending the channel has everything set up anew.
        if (message) take({ session, message });
        else channel.emit('error', new Error(`consumer of ${queue.main} was canceled by the broker`));
      });
      cancel = () => channel.cancel(consumerTag);
    },
    async stop() {
      stopping = true;
      // A channel that is gone has no consumer any more.
      await cancel().catch(() => undefined);
      await Promise.all(running);
      current?.acknowledge.flush();
      // The end of the connection may overtake acknowledgements on their way; that of their own channel does not.
      await current?.channel.close().catch(() => undefined);
    },
  };
}

type Handling = { message: ConsumeMessage; carried: unknown[]; one: unknown; failed: Failed };

/** What cannot be read is put aside whole, and carries nothing. */
async function carriedBy(message: ConsumeMessage, failed: Failed): Promise<unknown[]> {
  try {
    return unpacked(message.content);
  } catch (error) {
    await failed(message, error);
    return [];
  }
}

/** Every one of them ends before this does, also where one fails. */
async function all(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
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
