import type { DomainEvent, EventType } from '@app/contracts';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';

/** `redelivered`: the message was given to a consumer before, which may have handled it in part or whole. */
export type MessageInfo = { redelivered: boolean };

/**
 * Handles one event. Returning acknowledges it; throwing has it retried later or dead-lettered. An event may come again, and
 * after a later one: handling it must then change nothing.
 */
type Handler<T> = (event: DomainEvent<T>, message?: MessageInfo) => Promise<void>;

/** A row of a service's table of subscriptions. */
export type Subscription = { eventType: EventType<never>; handle: Handler<never> };

/** Makes a row. It checks that the handler takes the data of this event type, which the type of a row no longer shows. */
export function on<T>(eventType: EventType<T>, handle: Handler<T>): Subscription {
  return { eventType: eventType as unknown as EventType<never>, handle: handle as Handler<never> };
}

/**
 * The event in a message and its subscription. The data is checked against the schema of its type; unknown fields are allowed,
 * so that the owner of an event can add optional ones.
 * @throws AppError invalid `message_unknown`: the event may come from a newer version
 */
export function readEvent(
  content: unknown,
  table: Map<string, Subscription>,
): { event: DomainEvent<never>; subscription: Subscription } {
  const event = content as Partial<DomainEvent> | null;
  if (typeof event?.id !== 'string' || typeof event.type !== 'string' || event.specversion !== '1.0') {
    throw unknownMessage('not a CloudEvents 1.0 event');
  }
  const subscription = table.get(event.type);
  if (!subscription) throw unknownMessage(`no handler for ${event.type}`);
  const { error } = subscription.eventType.schema.validate(event.data, { allowUnknown: true, convert: false });
  if (error) throw unknownMessage(`${event.type}: ${error.message}`);
  return { event: event as DomainEvent<never>, subscription };
}

/** For a message that a newer version may know: it comes again for an hour, until one of its replicas gets it. */
export function unknownMessage(reason: string): AppError {
  return new AppError('invalid', unknownCode, reason);
}

const unknownCode = 'message_unknown';

/**
 * What becomes of a message whose handler threw. An outage is not the message's fault, so it does not count as an attempt. A message
 * that is unknown here may be known to a version that is being rolled out. One that a handler calls invalid will never succeed.
 */
export function retryDecision(
  error: unknown,
  attempts: number,
  maxAttempts: number,
): 'dead' | 'retry' | 'retry-unlimited' | 'unknown' {
  if (error instanceof AppError) {
    if (error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'overloaded')
      return 'retry-unlimited';
    if (error.kind === 'invalid') return error.code === unknownCode ? 'unknown' : 'dead';
  }
  if (isTransientMongoError(error)) return 'retry-unlimited';
  return attempts + 1 >= maxAttempts ? 'dead' : 'retry';
}
