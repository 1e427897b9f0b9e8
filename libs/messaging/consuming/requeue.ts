import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { ConsumeMessage } from 'amqplib';

/** Puts a message on a queue; resolves once the broker has confirmed it. */
export type Send = (queue: string, message: Pick<ConsumeMessage, 'content' | 'properties'>) => Promise<void>;

type RequeueOptions = {
  queue: string;
  message: Parameters<Send>[1];
  /** Whether the channel by which the message came is still open. */
  channelIsOpen: () => boolean;
  send: Send;
  logger: Logger;
};

const retryEveryMs = 1_000;

/**
 * Sends a consumed message to a queue, and retries during an outage for as long as its channel is open: giving up would leave it
 * unacknowledged there. Once the channel is closed, the broker redelivers it by itself.
 * @throws Error if the channel is closed, and what `send` throws other than `unavailable`
 */
export async function requeue({ queue, message, channelIsOpen, send, logger }: RequeueOptions): Promise<void> {
  for (let attempt = 0; channelIsOpen(); attempt++) {
    try {
      return await send(queue, message);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
      const { messageId } = message.properties;
      // Logged once, since it may take hours.
      if (attempt === 0) logger.warn('message could not be requeued, trying again', { queue, messageId, error });
      if (channelIsOpen()) await delay(retryEveryMs);
    }
  }
  throw new Error('the channel that it came by is gone');
}
