import type { ConsumeMessage } from 'amqplib';
import { parcelOf } from './parcel.ts';

/** Of an event that came in a message of several, which was taken apart. */
const cameBefore = 'x-again';
/** It may come again because its service was updated; where that happens twice, it may be the cause. */
const deliveriesBefore = 2;

/** Whether a message of several may hold one that ends its process. */
export function isToBeTakenApart({ properties }: ConsumeMessage): boolean {
  return Number(properties.headers?.['x-delivery-count'] ?? 0) >= deliveriesBefore;
}

/** One of several events that came as one message, as if it had come alone. */
export function alone(message: ConsumeMessage, one: unknown): ConsumeMessage {
  const { content, properties } = parcelOf(one);
  // The id and the type of its message are those of another event.
  const own = { messageId: undefined, type: undefined, ...properties };
  return { ...message, content, properties: { ...message.properties, ...own } };
}

/** The same, saying that it came before. */
export function takenFrom(message: ConsumeMessage, one: unknown): ConsumeMessage {
  const part = alone(message, one);
  const headers = { ...part.properties.headers, [cameBefore]: true };
  return { ...part, properties: { ...part.properties, headers } };
}

/** Whether a consumer had it in hand before, alone or with others. */
export function hasComeBefore({ fields, properties }: ConsumeMessage): boolean {
  const { headers } = properties;
  return fields.redelivered || headers?.['x-attempts'] !== undefined || headers?.[cameBefore] !== undefined;
}
