import type { ConsumeMessage } from 'amqplib';
import { encodeMessage } from '../message.ts';

/**
 * Whether a message is a batch of events (CloudEvents 1.0, JSON batch format), as earlier versions published them. Such messages may
 * still be in a queue after an update.
 */
export function isLegacyBatch(content: unknown): content is unknown[] {
  return Array.isArray(content) && content.length > 0;
}

/** Each event of a batch as a message of its own. */
export function splitLegacyBatch(
  batch: unknown[],
  { properties }: ConsumeMessage,
): Pick<ConsumeMessage, 'content' | 'properties'>[] {
  return batch.map((event) => {
    const own = encodeMessage(event);
    // A batch has the id and the type of its first event.
    return {
      content: own.content,
      properties: { ...properties, messageId: undefined, type: undefined, ...own.properties },
    };
  });
}
