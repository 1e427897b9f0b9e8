import { setTimeout as later } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { ConsumeMessage } from 'amqplib';

/** Puts a message on a queue and waits until the broker has it. */
export type Send = (queue: string, message: Pick<ConsumeMessage, 'content' | 'properties'>) => Promise<void>;

type RequeueOptions = {
  queue: string;
  message: Parameters<Send>[1];
  /** Whether the channel by which the message came, or what it is a part of, is still there. */
  channelIsOpen: () => boolean;
  send: Send;
  logger: Logger;
};

const retryEveryMs = 1_000;

/**
 * Puts a message that came back on a queue, again and again where the broker does not take it: giving up while it is held would
 * leave it unacknowledged for as long as its channel lives. Once that is gone, the broker gives it to the next one.
 * @throws Error where the channel is gone, and what `send` throws but for an outage
 */
export async function requeue({ queue, message, channelIsOpen: isHeld, send, logger }: RequeueOptions): Promise<void> {
  for (let tried = 0; isHeld(); tried++) {
    try {
      return await send(queue, message);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
      const { messageId } = message.properties;
      // Once, since it may take hours.
      if (tried === 0) logger.warn('broker does not take back a message', { queue, messageId, error });
      if (isHeld()) await later(retryEveryMs);
    }
  }
  throw new Error('the channel that it came by is gone');
}
