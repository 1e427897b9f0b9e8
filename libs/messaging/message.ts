import type { DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';

/** One event as an AMQP message. */
export type EncodedMessage = { type: string; content: Buffer; properties: Properties };
type Properties = { messageId?: string; type?: string; contentType: string; headers: Record<string, string> };

/** Of an AMQP short string. */
const maxShortStringBytes = 255;

/** Encodes an event (CloudEvents 1.0, JSON format), with its request id and trace as headers. Takes invalid events too. */
export function encodeMessage(event: unknown): EncodedMessage {
  const { id, type, traceparent, requestid } = { ...(event as DomainEvent | null) } as DomainEvent;
  const headers = {
    ...(isShort(traceparent) ? { traceparent } : {}),
    ...(isShort(requestid) ? { 'x-request-id': requestid } : {}),
  };
  const named = { ...(isShort(id) ? { messageId: id } : {}), ...(isShort(type) ? { type } : {}) };
  const properties = { ...named, contentType: 'application/cloudevents+json', headers };
  return { type, content: Buffer.from(JSON.stringify(event)), properties };
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && Buffer.byteLength(value) <= maxShortStringBytes;
}

/**
 * Parses a message, without checking the result.
 * @throws AppError invalid `message_invalid` if it is not JSON
 */
export function decodeContent(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new AppError('invalid', 'message_invalid', 'not JSON', { cause });
  }
}
