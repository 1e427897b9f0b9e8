import type { ConsumeMessage } from 'amqplib';
import { encodeMessage } from './message.ts';

/**
 * Versions before this one published several events as one message (CloudEvents 1.0, JSON batch format), and such messages
 * may still lie in a queue. They are read for as long as an update from such a version is supported.
 */
export function isLegacyBatch(content: unknown): content is unknown[] {
  return Array.isArray(content) && content.length > 0;
}

/** Each of its events as the message that it would be today. */
export function splitLegacyBatch(
  batch: unknown[],
  { properties }: ConsumeMessage,
): Pick<ConsumeMessage, 'content' | 'properties'>[] {
  return batch.map((event) => {
    const own = encodeMessage(event);
    // The id and the type of the batch are those of its first event.
    return {
      content: own.content,
      properties: { ...properties, messageId: undefined, type: undefined, ...own.properties },
    };
  });
}
