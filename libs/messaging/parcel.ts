import type { DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';

/** One message: its bytes, and what the broker and consumers are told of them. */
export type Parcel = { type: string; content: Buffer; properties: Properties };
type Properties = { messageId?: string; type?: string; contentType: string; headers: Record<string, string> };
type Chunk = { first: DomainEvent; texts: string[]; length: number };

/** Events of one message, at most: a consumer holds its whole prefetch of messages in memory. */
const eventsAtMost = 32;
const charactersAtMost = 32 * 1024;
/** Of a short string (AMQP 0-9-1, section 4.2.5.3). */
const shortBytes = 255;

/** The event alone (CloudEvents 1.0, JSON format), its request id and trace in headers too; also what turns out to be none. */
export function parcelOf(event: unknown, text = JSON.stringify(event)): Parcel {
  const { id, type, traceparent, requestid } = { ...(event as DomainEvent | null) } as DomainEvent;
  const headers = {
    ...(isShort(traceparent) ? { traceparent } : {}),
    ...(isShort(requestid) ? { 'x-request-id': requestid } : {}),
  };
  const named = { ...(isShort(id) ? { messageId: id } : {}), ...(isShort(type) ? { type } : {}) };
  const properties = { ...named, contentType: 'application/cloudevents+json', headers };
  return { type, content: Buffer.from(text), properties };
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && Buffer.byteLength(value) <= shortBytes;
}

/**
 * Events that are published together, those of one type as one message (CloudEvents 1.0, JSON batch format): to the broker
 * and to each consumer a message costs more than what is in it. Those of a type stay in their order.
 */
export function parcelsOf(events: DomainEvent[]): Parcel[] {
  return [...Map.groupBy(events, ({ type }) => type).values()].flatMap((alike) => chunksOf(alike).map(packed));
}

function chunksOf(events: DomainEvent[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const event of events) {
    const text = JSON.stringify(event);
    const last = chunks.at(-1);
    if (last && last.texts.length < eventsAtMost && last.length + text.length <= charactersAtMost) {
      last.texts.push(text);
      last.length += text.length;
    } else chunks.push({ first: event, texts: [text], length: text.length });
  }
  return chunks;
}

function packed({ first, texts }: Chunk): Parcel {
  if (texts.length === 1) return parcelOf(first, texts[0]);
  const { id: messageId, type } = first;
  const contentType = 'application/cloudevents-batch+json';
  return { type, content: Buffer.from(`[${texts}]`), properties: { messageId, type, contentType, headers: {} } };
}

/**
 * What a message carries, one or several, each of them unchecked.
 * @throws AppError invalid `message_invalid` for what is no JSON, or empty
 */
export function unpacked(content: Buffer): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new AppError('invalid', 'message_invalid', 'not JSON', { cause });
  }
  const all = Array.isArray(value) ? value : [value];
  if (all.length === 0) throw new AppError('invalid', 'message_invalid', 'a batch of no CloudEvents');
  return all;
}
