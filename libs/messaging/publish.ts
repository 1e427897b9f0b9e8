import { AppError } from '@app/kernel';
import type { ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Message } from './message.ts';
import { assertExchange } from './topology.ts';

const confirmWithinMs = 10_000;

/** Opens the channel that events, and messages that go back to a queue, are published on. */
export async function openPublisher(model: ChannelModel, exchange: string): Promise<ConfirmChannel> {
  const channel = await model.createConfirmChannel();
  // Only what goes back to a queue of our own is sent so that it may be returned: somebody deleted that queue.
  channel.on('return', ({ fields }) => channel.emit('error', new Error(`there is no queue ${fields.routingKey}`)));
  await assertExchange(channel, exchange);
  return channel;
}

/** Resolves when the broker has the message safe. @throws AppError unavailable `broker_unavailable` */
export function publishMessage(channel: ConfirmChannel | undefined, exchange: string, message: Message): Promise<void> {
  const { type, content, properties } = message;
  return confirmed(channel, (open, done) =>
    open.publish(exchange, type, content, { ...properties, persistent: true }, done),
  );
}

/** What goes back to a queue. */
export type Resent = { content: Buffer; properties: Partial<ConsumeMessage['properties']> };

/** Puts a message on a queue as it was, but for its headers. @throws AppError unavailable `broker_unavailable` */
export function sendToQueue(
  channel: ConfirmChannel | undefined,
  queue: string,
  { content, properties }: Resent,
): Promise<void> {
  return confirmed(channel, (open, done) =>
    open.sendToQueue(queue, content, { ...properties, persistent: true, mandatory: true }, done),
  );
}

export function unavailable(detail = 'there is no connection to it', cause?: unknown): AppError {
  return new AppError('unavailable', 'broker_unavailable', `the message broker is not available: ${detail}`, { cause });
}

type Done = (error: unknown) => void;

/** Resolves when the broker confirms; a broker that is blocked (disk, memory) does not, so the wait is bounded. */
function confirmed(
  channel: ConfirmChannel | undefined,
  publish: (channel: ConfirmChannel, done: Done) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!channel) return reject(unavailable());
    const timer = setTimeout(() => reject(unavailable('it did not confirm in time')), confirmWithinMs);
    const done: Done = (error) => {
      clearTimeout(timer);
      if (error) reject(unavailable('it refused the message', error));
      else resolve();
    };
    try {
      publish(channel, done);
    } catch (error) {
      clearTimeout(timer);
      // A message that cannot be written is no outage: sending it again would not help.
      reject(isClosed(error) ? unavailable('the channel is closed', error) : error);
    }
    return undefined;
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'IllegalOperationError';
}
