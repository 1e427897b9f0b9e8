import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { inSpan, traceHeaders } from '@app/runtime/tracing';
import type {
  ChannelModel,
  ConfirmChannel,
  ConsumeMessage,
  Options as PublishOptions,
  RecoveringChannelModel,
} from 'amqplib';
import { Gauge } from 'prom-client';
import { type BrokerUrl, closeConnectionOnError, connectWithRecovery, disconnect } from './connection.ts';
import type { EncodedMessage } from './message.ts';
import { assertExchange } from './queues/topology.ts';

/** A message that goes back to a queue. */
type ResentMessage = { content: Buffer; properties: Partial<ConsumeMessage['properties']> };

type Options = {
  url: BrokerUrl;
  name: string;
  exchange: string;
  /** The exchange by which a message goes back to a queue of this service. */
  requeueExchange: string;
  logger: Logger;
  /** Whether events of this type must reach a queue; if so, one that reaches none is refused. */
  isConsumed: (type: string) => boolean;
  /** Creates missing queues: called on every connection after the first, and when a message reached no queue. */
  assertQueues: () => Promise<void>;
};

const confirmTimeoutMs = 10_000;

const blockedGauge = new Gauge({
  name: 'broker_publishing_blocked',
  help: '1 while the broker takes no messages of this service (memory or disk alarm), 0 otherwise',
});

export function unavailable(detail = 'there is no connection to it', cause?: unknown): AppError {
  return new AppError('unavailable', 'broker_unavailable', `the message broker is not available: ${detail}`, { cause });
}

/** The broker is there but refused this message; it may take others. */
export class MessageRefused extends AppError {
  constructor(detail: string, cause?: unknown) {
    super('unavailable', 'broker_unavailable', `the message broker does not take the message: ${detail}`, { cause });
  }
}

/**
 * Publishes with confirms, on a connection of its own: a broker that is short of memory or disk stops reading from connections
 * that publish, and must still read the acknowledgements of what is consumed.
 */
export class Publisher {
  readonly #options: Options;
  #connection: RecoveringChannelModel | undefined;
  /** Undefined while there is no connection. */
  #channel: ConfirmChannel | undefined;
  /** Why the broker blocks publishing; undefined while it does not. */
  #blocked: string | undefined;
  #unblockedAt = Number.NEGATIVE_INFINITY;
  /** Messages that came back as unroutable. The broker confirms each of them right after. */
  readonly #returned = new Set<string>();
  #isFirst = true;
  #closing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Resolves when there is a first connection. To be called once. */
  async connect(): Promise<void> {
    const { url, name, logger } = this.#options;
    const connection = await connectWithRecovery({
      url,
      name,
      logger,
      setUp: (model, isLost) => this.#setUp(model, isLost),
      onLost: () => {
        this.#channel = undefined;
        this.#setBlocked();
      },
    });
    this.#connection = connection;
    connection.on('blocked', (reason) => this.#setBlocked(String(reason)));
    connection.on('unblocked', () => this.#setBlocked());
    await connection.waitForConnect();
  }

  /** Resolves once the broker has confirmed the message. @throws AppError unavailable `broker_unavailable` */
  async publish({ type, content, properties }: EncodedMessage): Promise<void> {
    const { exchange, isConsumed } = this.#options;
    const { messageId } = properties;
    const attributes = {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': exchange,
      'messaging.rabbitmq.destination.routing_key': type,
      ...(messageId === undefined ? {} : { 'messaging.message.id': messageId }),
    };
    const parent = properties.headers['traceparent'];
    await inSpan({ name: `publish ${type}`, kind: 'producer', attributes, parent }, () => {
      const headers = { ...properties.headers, ...traceHeaders() };
      const options = { ...properties, headers, persistent: true, mandatory: isConsumed(type) };
      return this.#confirmed(keyOf({ content, properties }), (channel, done) =>
        channel.publish(exchange, type, content, options, done),
      );
    });
  }

  /** Puts a message back on a queue of this service with the properties that it has. @throws AppError unavailable `broker_unavailable` */
  async send(queue: string, { content, properties }: ResentMessage): Promise<void> {
    const options: PublishOptions.Publish = { ...properties, persistent: true, mandatory: true };
    await this.#confirmed(keyOf({ content, properties }), (channel, done) =>
      channel.publish(this.#options.requeueExchange, queue, content, options, done),
    );
  }

  get isConnected(): boolean {
    return this.#channel !== undefined;
  }

  /** @throws AppError unavailable `broker_unavailable` if the broker would take nothing now */
  check(): void {
    this.#openChannel();
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#connection) await disconnect(this.#connection);
    this.#channel = undefined;
    this.#setBlocked();
  }

  async #setUp(model: ChannelModel, isLost: () => boolean): Promise<void> {
    const { exchange, logger, assertQueues } = this.#options;
    const channel = closeConnectionOnError(await model.createConfirmChannel(), model, (error) => {
      if (!this.#closing) logger.warn('broker channel failed', { error });
    });
    channel.on('return', (message) => {
      logger.warn('message unroutable: no queue is bound for it', { routingKey: message.fields.routingKey });
      this.#returned.add(keyOf(message));
      void assertQueues();
    });
    await assertExchange(model, exchange);
    // If the exchange was deleted, the bindings of the queues were deleted with it.
    if (!this.#isFirst) await assertQueues();
    if (isLost()) return;
    this.#isFirst = false;
    this.#returned.clear();
    this.#channel = channel;
  }

  #setBlocked(reason?: string): void {
    const { logger, name } = this.#options;
    if (reason !== undefined) logger.warn('broker blocks publishing', { connection: name, reason });
    else if (this.#blocked !== undefined) logger.info('broker accepts messages again', { connection: name });
    if (this.#blocked !== undefined) this.#unblockedAt = performance.now();
    this.#blocked = reason;
    blockedGauge.set(reason === undefined ? 0 : 1);
  }

  #openChannel(): ConfirmChannel {
    if (!this.#channel) throw unavailable();
    // A message written now would wait in the socket, and be published twice if the caller retries.
    if (this.#blocked !== undefined) throw unavailable(`it takes no messages for now (${this.#blocked})`);
    return this.#channel;
  }

  /** Resolves when the broker confirms. Rejects after 10 s without a confirm, not counting time in which publishing is blocked. */
  #confirmed(key: string, publish: (channel: ConfirmChannel, done: Done) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let timer: NodeJS.Timeout;
      const expire = () => {
        const left = confirmTimeoutMs - (performance.now() - Math.max(startedAt, this.#unblockedAt));
        if (this.#blocked !== undefined || left > 0) timer = setTimeout(expire, left > 0 ? left : confirmTimeoutMs);
        // One more turn of the event loop: a confirm that has arrived counts, even if this process was too busy to read it.
        else setImmediate(() => reject(unavailable('it did not confirm in time')));
      };
      const done: Done = (error) => {
        clearTimeout(timer);
        if (error) reject(toAppError(error));
        else if (this.#returned.delete(key)) reject(new MessageRefused('there is no queue for it'));
        else resolve();
      };
      timer = setTimeout(expire, confirmTimeoutMs);
      try {
        publish(this.#openChannel(), done);
      } catch (error) {
        clearTimeout(timer);
        // Any other error is a message that cannot be encoded: no outage, and retrying would not help.
        reject(isClosed(error) ? unavailable('the channel is closed', error) : error);
      }
    });
  }
}

type Done = (error: unknown) => void;

/** The library reports messages that were unconfirmed when the channel closed like those that a queue refused. */
function toAppError(error: unknown): AppError {
  const channelClosed = error instanceof Error && error.message === 'channel closed';
  return channelClosed ? unavailable('the channel was closed', error) : new MessageRefused('a queue refused it', error);
}

/** The message id, or the content of a message that has none because it could not be read. */
function keyOf({ content, properties }: { content: Buffer; properties: { messageId?: unknown } }): string {
  return String(properties.messageId ?? content.toString('latin1'));
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'IllegalOperationError';
}
