import { createSemaphore, currentContext, type Semaphore } from '@app/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type AckBatcher, createAckBatcher } from './ack-batcher.ts';
import { createFailureHandler } from './failed-message.ts';
import type { Inbox } from './inbox.ts';
import { isLegacyBatch, splitLegacyBatch } from './legacy-batch.ts';
import { decodeContent } from './message.ts';
import { requeue } from './requeue.ts';
import { readEvent, type Subscription } from './subscription.ts';

export type ConsumerOptions = {
  /** The purpose, unique within the service: the queue's name. */
  queue: string;
  table: Subscription[];
  /** Messages in hand, and handled at once; with 1 they are handled one after the other, in their order. */
  prefetch?: number;
  /** Skips what was handled before; without it the handlers themselves must be idempotent. */
  inbox?: Inbox;
};

type Deps = Parameters<typeof createFailureHandler>[0] & { options: ConsumerOptions };

export type Consumer = {
  /** Makes ready to consume by this channel from now on; what it gives begins to. */
  prepare(channel: Channel): Promise<() => Promise<void>>;
  /** Takes no more messages, begins no more, and waits for those being handled. */
  stop(): Promise<void>;
};

/** What came by one channel: once that is gone the broker gives it to the next, so nothing of it is begun any more. */
type Session = { channel: Channel; acknowledge: AckBatcher; apart: Semaphore };
type Came = { session: Session; message: ConsumeMessage };

/** A message that ends its process does so soon: for so long at most it is handled with no other beside it. */
const apartForMs = 2_000;
/** Before a consumer takes new messages, at most. */
const apartAtFirstMs = 30_000;

/**
 * A consumer as a table: decides in one place whether an event is done, tried again later, or put aside with the
 * reason. What is put aside waits in the dead-letter queue for `npm run replay`.
 *
 * A message that was in hand when its process or connection ended may be what ended it, and the broker counts that for
 * every message in hand. So those are set apart: handled one at a time, and before anything else is taken.
 */
export function createConsumer({ options, queue, send, logger }: Deps): Consumer {
  const { prefetch = 16 } = options;
  const table = new Map(options.table.map((subscription) => [subscription.eventType.type, subscription]));
  const settle = createFailureHandler({ queue, send, logger });
  // Messages of a channel that is gone may still be handled while those of the next one come.
  const room = createSemaphore(prefetch);
  const running = new Set<Promise<void>>();
  let current: Session | null = null;
  let stopping = false;
  let cancel: () => Promise<unknown> = async () => undefined;

  async function process({ session, message }: Came): Promise<void> {
    const isHeld = () => session === current;
    await room.run(async () => {
      if (!isHeld() || stopping) throw new Error('its channel is gone, or about to go');
      try {
        const content = decodeContent(message.content);
        if (isLegacyBatch(content)) await takeApart(message, content, isHeld);
        else await handle(message, content, { table, options });
      } catch (error) {
        await settle({ message, error, isHeld });
      }
    });
    session.acknowledge.ack(message);
  }

  /** At the end of its own queue, in its order. */
  async function takeApart(message: ConsumeMessage, batch: unknown[], isHeld: () => boolean): Promise<void> {
    const parts = splitLegacyBatch(batch, message);
    await Promise.all(
      parts.map((part) => requeue({ queue: queue.main, message: part, channelIsOpen: isHeld, send, logger })),
    );
  }

  /** The next one begins when the broker has been told that this one is done. */
  async function processApart(came: Came): Promise<void> {
    const { acknowledge, apart } = came.session;
    await apart.acquire();
    const work = process(came).finally(() => acknowledge.flush());
    void endOf(work, apartForMs).then(apart.release);
    await work;
  }

  /** Resolves when it is dealt with, whatever came of it. */
  function take(came: Came): Promise<void> {
    const { session, message } = came;
    session.acknowledge.delivered(message);
    const work = (message.fields.redelivered ? processApart(came) : process(came))
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
    return work;
  }

  /** What came before stands first in its queue. Taken one by one, it has no neighbour that the broker would count. */
  async function takeWhatCameBefore(session: Session): Promise<void> {
    const until = performance.now() + apartAtFirstMs;
    while (session === current && !stopping && performance.now() < until) {
      const message = await session.channel.get(queue.main);
      if (!message) return;
      const work = take({ session, message: message as unknown as ConsumeMessage });
      if (!message.fields.redelivered) return;
      await endOf(work, apartForMs);
    }
  }

  async function begin(session: Session): Promise<void> {
    await takeWhatCameBefore(session);
    if (session !== current || stopping) return;
    const { channel } = session;
    const { consumerTag } = await channel.consume(queue.main, (message) => {
      // Null: the broker canceled the consumer (its queue was deleted). Ending the channel has everything set up anew.
      if (message) void take({ session, message });
      else channel.emit('error', new Error(`consumer of ${queue.main} was canceled by the broker`));
    });
    cancel = () => channel.cancel(consumerTag);
    // Stopped meanwhile, when there was nothing to cancel yet.
    if (stopping) await cancel();
  }

  return {
    async prepare(channel) {
      const session = { channel, acknowledge: createAckBatcher(channel), apart: createSemaphore(1) };
      current = session;
      channel.once('close', () => {
        if (current === session) current = null;
      });
      await channel.prefetch(prefetch);
      return () => begin(session);
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

/** Resolves when the work has ended, or after this time. */
function endOf(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const ended = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(ended, ended);
  });
}

type Reading = { table: Map<string, Subscription>; options: ConsumerOptions };

async function handle(message: ConsumeMessage, content: unknown, { table, options }: Reading): Promise<void> {
  const { queue, inbox } = options;
  const { event, subscription } = readEvent(content, table);
  const context = {
    messageId: event.id,
    ...(event.requestid ? { requestId: event.requestid } : {}),
    ...(event.traceparent ? { traceparent: event.traceparent } : {}),
  };
  await currentContext.run(context, async () => {
    const info = { redelivered: hasComeBefore(message) };
    if (!inbox) return subscription.handle(event as never, null, info);
    return inbox.once(`${queue}:${event.id}`, (session) => subscription.handle(event as never, session, info));
  });
}

/** Whether a consumer had it in hand before. */
function hasComeBefore({ fields, properties }: ConsumeMessage): boolean {
  return fields.redelivered || properties.headers?.['x-attempts'] !== undefined;
}
