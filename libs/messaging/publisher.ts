import { AppError } from '@app/kernel';
import { type Logger, metrics } from '@app/runtime';
import type { ConfirmChannel, ConsumeMessage, RecoveringChannelModel } from 'amqplib';
import { Gauge } from 'prom-client';
import { closeConnectionOnError, connectWithRecovery, disconnect } from './connection.ts';
import type { EncodedMessage } from './message.ts';
import { assertExchange } from './topology.ts';

/** What goes back to a queue. */
export type Resent = { content: Buffer; properties: Partial<ConsumeMessage['properties']> };

export type Publisher = {
  /** Resolves when the broker has the message safe. @throws AppError unavailable `broker_unavailable` */
  publish(message: EncodedMessage): Promise<void>;
  /** Puts a message on a queue as it was, but for its headers. @throws AppError unavailable `broker_unavailable` */
  send(queue: string, message: Resent): Promise<void>;
  /** @throws AppError unavailable `broker_unavailable` where it would take nothing now */
  check(): void;
  close(): Promise<void>;
};

type Options = {
  url: string;
  name: string;
  exchange: string;
  logger: Logger;
  /** Whether some queue must take an event of this type. */
  isHeard: (type: string) => boolean;
  /** Makes the queues that are missing: on every connection after the first, and where a message came back since there is none for it. */
  assertQueues: () => Promise<void>;
};

const confirmWithinMs = 10_000;

const blockedGauge = new Gauge({
  name: 'broker_publishing_blocked',
  help: '1 while the broker takes no messages of this service (memory or disk alarm), 0 otherwise',
  registers: [metrics],
});

export function unavailable(detail = 'there is no connection to it', cause?: unknown): AppError {
  return new AppError('unavailable', 'broker_unavailable', `the message broker is not available: ${detail}`, { cause });
}

/** The broker is there and does not take this message: another may be taken. */
export class MessageRefused extends AppError {
  constructor(detail: string, cause?: unknown) {
    super('unavailable', 'broker_unavailable', `the message broker does not take the message: ${detail}`, { cause });
  }
}

/**
 * Publishes by a connection of its own: a broker that is short of memory or disk reads nothing more from a connection that
 * publishes, and the acknowledgements of what it has to get rid of must not stand behind what it does not take.
 */
export async function connectPublisher(options: Options): Promise<Publisher> {
  const { url, name, exchange, logger, isHeard, assertQueues } = options;
  let channel: ConfirmChannel | undefined;
  /** Why the broker takes nothing. */
  let blocked: string | undefined;
  let unblockedAt = Number.NEGATIVE_INFINITY;
  /** What came back: the broker confirms it all the same, right after. */
  const returned = new Set<string>();
  let isFirst = true;
  let closing = false;

  function setBlocked(reason?: string): void {
    if (reason !== undefined) logger.warn('broker takes no messages', { connection: name, reason });
    else if (blocked !== undefined) logger.info('broker takes messages again', { connection: name });
    if (blocked !== undefined) unblockedAt = performance.now();
    blocked = reason;
    blockedGauge.set(reason === undefined ? 0 : 1);
  }

  const connection: RecoveringChannelModel = await connectWithRecovery({
    ...{ url, name, logger },
    async setUp(model) {
      const opened = closeConnectionOnError(await model.createConfirmChannel(), model, (error) => {
        if (!closing) logger.warn('broker channel failed', { error });
      });
      opened.on('return', (message) => {
        logger.warn('there is no queue for a message', { routingKey: message.fields.routingKey });
        returned.add(keyOf(message));
        void assertQueues();
      });
      await assertExchange(opened, exchange);
      // Where the exchange was deleted, the bindings of the queues went with it.
      if (!isFirst) await assertQueues();
      isFirst = false;
      returned.clear();
      channel = opened;
    },
  });
  connection.on('disconnect', () => {
    channel = undefined;
    setBlocked();
  });
  connection.on('blocked', (reason) => setBlocked(String(reason)));
  connection.on('unblocked', () => setBlocked());
  await connection.waitForConnect();

  function open(): ConfirmChannel {
    if (!channel) throw unavailable();
    // What is written now would lie in its socket, and be written again by whoever tries again.
    if (blocked !== undefined) throw unavailable(`it takes no messages for now (${blocked})`);
    return channel;
  }

  /** Resolves when the broker confirms. The wait for that is bounded, but for the time in which it takes nothing. */
  function confirmed(key: string, publish: (open: ConfirmChannel, done: Done) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      let timer: NodeJS.Timeout;
      const expire = () => {
        const left = confirmWithinMs - (performance.now() - Math.max(begun, unblockedAt));
        if (blocked !== undefined || left > 0) timer = setTimeout(expire, left > 0 ? left : confirmWithinMs);
        else reject(unavailable('it did not confirm in time'));
      };
      const done: Done = (error) => {
        clearTimeout(timer);
        if (error) reject(refusalOf(error));
        else if (returned.delete(key)) reject(new MessageRefused('there is no queue for it'));
        else resolve();
      };
      timer = setTimeout(expire, confirmWithinMs);
      try {
        publish(open(), done);
      } catch (error) {
        clearTimeout(timer);
        // A message that cannot be written is no outage: sending it again would not help.
        reject(isClosed(error) ? unavailable('the channel is closed', error) : error);
      }
    });
  }

  return {
    async publish({ type, content, properties }) {
      const options = { ...properties, persistent: true, mandatory: isHeard(type) };
      await confirmed(keyOf({ content, properties }), (to, done) => to.publish(exchange, type, content, options, done));
    },
    async send(queue, { content, properties }) {
      const options = { ...properties, persistent: true, mandatory: true };
      await confirmed(keyOf({ content, properties }), (to, done) => to.sendToQueue(queue, content, options, done));
    },
    check: () => void open(),
    async close() {
      closing = true;
      await disconnect(connection);
      channel = undefined;
      setBlocked();
    },
  };
}

type Done = (error: unknown) => void;

/** The library fails what was not confirmed on a channel that is gone in the same way as what a queue refused. */
function refusalOf(error: unknown): AppError {
  const isGone = error instanceof Error && error.message === 'channel closed';
  return isGone ? unavailable('the channel was closed', error) : new MessageRefused('a queue refused it', error);
}

/** What could not be read has no id. */
function keyOf({ content, properties }: { content: Buffer; properties: { messageId?: unknown } }): string {
  return String(properties.messageId ?? content.toString('latin1'));
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'IllegalOperationError';
}
