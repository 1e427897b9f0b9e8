import {
  createSemaphore,
  currentContext,
  durationHistogram,
  type Logger,
  type Semaphore,
  waitAtMost,
} from '@app/runtime';
import { inSpan, type SpanOptions } from '@app/runtime/tracing';
import type { Channel, ConsumeMessage } from 'amqplib';
import { decodeContent } from '../message.ts';
import { closeChannel, type QueueNames } from '../queues/topology.ts';
import { createFailureHandler } from './failed-message.ts';
import type { Send } from './requeue.ts';
import { readEvent, type Subscription } from './subscription.ts';

export type ConsumerOptions = {
  /** The purpose, unique within the service: the queue's name. */
  queue: string;
  table: Subscription[];
  /** How many messages are handled at once, 16. With 1 they are handled one after the other, in order. */
  prefetch?: number;
};

type Deps = { options: ConsumerOptions; queue: QueueNames; send: Send; logger: Logger };

/** One channel's messages. Once it is closed, the broker redelivers them to the next channel, so no more of them are started. */
type ChannelSession = { channel: Channel; isolation: Semaphore; isOpen: boolean };
type Delivery = { session: ChannelSession; message: ConsumeMessage };

const handled = durationHistogram({
  name: 'message_handling_duration_seconds',
  help: 'Time to handle an event, by queue; `result` is handled or failed',
  labelNames: ['queue', 'result'],
});

/** How long a redelivered message is handled alone, at most: one that crashes its process does so soon. */
const isolatedForMs = 2_000;
/** How long redelivered messages are looked for before new ones are consumed, at most. */
const redeliveryPhaseMs = 30_000;

/**
 * Consumes one queue and decides what becomes of each message: acknowledged, retried later, or
 * dead-lettered with the reason. Dead letters wait for `npm run ops -- dead-letters`.
 *
 * A message that was being handled when its process or connection ended may be the cause, and the
 * broker counts the redelivery against every unacknowledged message. So redelivered messages are
 * isolated: handled one at a time, and before new ones are consumed.
 */
export class Consumer {
  readonly #table: Map<string, Subscription>;
  readonly #queue: QueueNames;
  readonly #logger: Logger;
  readonly #onFailure: ReturnType<typeof createFailureHandler>;
  readonly #prefetch: number;
  /** Beside the channel's own prefetch: messages of a closed channel may still be running when those of the next one come. */
  readonly #concurrency: Semaphore;
  readonly #running = new Set<Promise<void>>();
  #session: ChannelSession | null = null;
  #stopping = false;
  #cancel: () => Promise<unknown> = async () => undefined;

  constructor({ options, queue, send, logger }: Deps) {
    this.#table = new Map(options.table.map((subscription) => [subscription.eventType.type, subscription]));
    this.#queue = queue;
    this.#logger = logger;
    this.#onFailure = createFailureHandler({ queue, send, logger });
    this.#prefetch = options.prefetch ?? 16;
    this.#concurrency = createSemaphore(this.#prefetch);
  }

  /** Makes this channel the one to consume by. The function that it resolves to starts consuming. */
  async prepare(channel: Channel): Promise<() => Promise<void>> {
    const session = { channel, isolation: createSemaphore(1), isOpen: true };
    this.#session = session;
    channel.once('close', () => {
      session.isOpen = false;
    });
    await channel.prefetch(this.#prefetch);
    return () => this.#consume(session);
  }

  /** Stops consuming and waits for the messages being handled. Prefetched messages go back to the broker. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.leave();
  }

  /**
   * Stops consuming on this channel, waits for the messages being handled, and closes it. `prepare` opens the next one, also while
   * this one still waits: until it is closed, no failure is counted against its messages.
   */
  async leave(): Promise<void> {
    const session = this.#session;
    // Rejects if the channel is closed already; then there is no consumer left.
    await this.#cancel().catch(() => undefined);
    await Promise.all(this.#running);
    // Closed here, since closing the connection could overtake acknowledgements that are on their way.
    if (session?.isOpen) await closeChannel(session.channel);
  }

  async #consume(session: ChannelSession): Promise<void> {
    await this.#handleRedelivered(session);
    if (!session.isOpen || this.#stopping) return;
    const { channel } = session;
    const { consumerTag } = await channel.consume(this.#queue.main, (message) => {
      // Null: the broker canceled the consumer because its queue was deleted. The error makes everything be set up again.
      if (message) void this.#deliver({ session, message });
      else channel.emit('error', new Error(`consumer of ${this.#queue.main} was canceled by the broker`));
    });
    this.#cancel = () => channel.cancel(consumerTag);
    // Stopped while `consume` was under way, when there was nothing to cancel yet.
    if (this.#stopping) await this.#cancel();
  }

  /**
   * Redelivered messages are at the head of the queue. They are fetched one at a time, so that the
   * broker counts a crash against that message alone.
   */
  async #handleRedelivered(session: ChannelSession): Promise<void> {
    const until = performance.now() + redeliveryPhaseMs;
    while (session.isOpen && !this.#stopping && performance.now() < until) {
      const message = await session.channel.get(this.#queue.main);
      if (!message) return;
      const delivered = this.#deliver({ session, message: message as unknown as ConsumeMessage });
      if (!message.fields.redelivered) return;
      await waitAtMost(delivered, isolatedForMs);
    }
  }

  /** Resolves once the message is dealt with, whatever became of it. */
  #deliver(delivery: Delivery): Promise<void> {
    const { session, message } = delivery;
    const process = message.fields.redelivered ? this.#processIsolated(delivery) : this.#process(delivery);
    const delivered = process
      .catch((error) => {
        const { messageId } = message.properties;
        this.#logger.warn('message not acknowledged: the broker will redeliver it', {
          queue: this.#queue.main,
          messageId,
          error,
        });
        // An open channel would keep the message unacknowledged for good.
        if (session.isOpen && !this.#stopping) session.channel.emit('error', error);
      })
      .finally(() => this.#running.delete(delivered));
    this.#running.add(delivered);
    return delivered;
  }

  /** The next isolated message starts once the acknowledgement of this one is sent. */
  async #processIsolated(delivery: Delivery): Promise<void> {
    const { isolation } = delivery.session;
    await isolation.acquire();
    const processed = this.#process(delivery);
    const settled = processed.catch(() => undefined);
    void waitAtMost(settled, isolatedForMs).then(isolation.release);
    await processed;
  }

  async #process({ session, message }: Delivery): Promise<void> {
    const channelIsOpen = () => session.isOpen;
    await this.#concurrency.run(async () => {
      if (!channelIsOpen() || this.#stopping) throw new Error('its channel is gone, or about to go');
      try {
        await inSpan(spanOf(message, this.#queue.main), () => this.#measured(() => this.#handle(message)));
      } catch (error) {
        await this.#onFailure({ message, error, channelIsOpen });
      }
    });
    // On a closed channel nothing is sent: the message is redelivered, and recognised by its id.
    if (session.isOpen) session.channel.ack(message);
  }

  async #measured(handle: () => Promise<void>): Promise<void> {
    const started = performance.now();
    const ended = (result: string) =>
      handled.observe({ queue: this.#queue.main, result }, (performance.now() - started) / 1000);
    try {
      await handle();
      ended('handled');
    } catch (error) {
      ended('failed');
      throw error;
    }
  }

  async #handle(message: ConsumeMessage): Promise<void> {
    const { event, subscription } = readEvent(decodeContent(message.content), this.#table);
    const context = { messageId: event.id, ...(event.requestid ? { requestId: event.requestid } : {}) };
    await currentContext.run(context, () => subscription.handle(event, { redelivered: isRedelivery(message) }));
  }
}

/** The span belongs to the trace of the publisher. A retry may come an hour later, so it has a trace of its own. */
function spanOf({ fields, properties }: ConsumeMessage, queue: string): SpanOptions {
  const { traceparent, 'x-attempts': attempts } = properties.headers ?? {};
  const origin = typeof traceparent === 'string' ? traceparent : undefined;
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': properties.messageId,
    'messaging.rabbitmq.destination.routing_key': properties.type ?? fields.routingKey,
  };
  return { name: `process ${queue}`, kind: 'consumer', attributes, [attempts ? 'follows' : 'parent']: origin };
}

/** Whether the message was given to a consumer before. */
function isRedelivery({ fields, properties }: ConsumeMessage): boolean {
  return fields.redelivered || properties.headers?.['x-attempts'] !== undefined;
}
