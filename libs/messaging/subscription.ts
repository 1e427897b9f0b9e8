import type { DomainEvent, EventType } from '@app/contracts';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';
import type { ClientSession } from 'mongoose';

/** `again`: the message was given to a consumer before, which may have begun to handle it, or all but ended. */
export type MessageInfo = { redelivered: boolean };

/** Handles one event. Returning acknowledges it; throwing has it retried later or put aside. */
export type Handler<T> = (event: DomainEvent<T>, session: ClientSession | null, message?: MessageInfo) => Promise<void>;

/** A row of a service's table of subscriptions. */
export type Subscription = { eventType: EventType<never>; handle: Handler<never> };

export function on<T>(eventType: EventType<T>, handle: Handler<T>): Subscription {
  return { eventType: eventType as unknown as EventType<never>, handle: handle as Handler<never> };
}

/**
 * What a message carries as the event that it is, checked against the schema of its type; unknown fields are let through, so
 * that an owner may add optional ones.
 * @throws AppError invalid `message_unknown`: a newer version may have published it
 */
export function readEvent(
  carried: unknown,
  table: Map<string, Subscription>,
): { event: DomainEvent; subscription: Subscription } {
  const event = carried as Partial<DomainEvent> | null;
  if (typeof event?.id !== 'string' || typeof event.type !== 'string' || event.specversion !== '1.0') {
    throw unknown('not a CloudEvents 1.0 event');
  }
  const subscription = table.get(event.type);
  if (!subscription) throw unknown(`no handler for ${event.type}`);
  const { error } = subscription.eventType.schema.validate(event.data, { allowUnknown: true, convert: false });
  if (error) throw unknown(`${event.type}: ${error.message}`);
  return { event: event as DomainEvent, subscription };
}

function unknown(reason: string): AppError {
  return new AppError('invalid', unknownCode, reason);
}

const unknownCode = 'message_unknown';

/**
 * What becomes of a message whose handler threw. An outage is no fault of the message, so it is waited for without end. What is
 * not known here may be known to a version that is being rolled out. What a handler calls invalid is known, and wrong.
 */
export function retryDecision(
  error: unknown,
  attempts: number,
  maxAttempts: number,
): 'dead' | 'retry' | 'wait' | 'unknown' {
  if (error instanceof AppError) {
    if (error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'overloaded') return 'wait';
    if (error.kind === 'invalid') return error.code === unknownCode ? 'unknown' : 'dead';
  }
  if (isTransientMongoError(error)) return 'wait';
  return attempts + 1 >= maxAttempts ? 'dead' : 'retry';
}
