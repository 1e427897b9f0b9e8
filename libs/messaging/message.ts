import type { DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';

/** One event as a message: its bytes, and what the broker and consumers are told of it. */
export type EncodedMessage = { type: string; content: Buffer; properties: Properties };
type Properties = { messageId?: string; type?: string; contentType: string; headers: Record<string, string> };

/** Of a short string (AMQP 0-9-1, section 4.2.5.3). */
const shortBytes = 255;

/** The event (CloudEvents 1.0, JSON format), its request id and trace in headers too; also what turns out to be none. */
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
  return typeof value === 'string' && Buffer.byteLength(value) <= shortBytes;
}

/**
 * What a message holds, unchecked.
 * @throws AppError invalid `message_invalid` for what is no JSON
 */
export function decodeContent(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new AppError('invalid', 'message_invalid', 'not JSON', { cause });
  }
}
