import { AppError, idFrom } from '@app/kernel';
import type { Attempt } from '../attempt.ts';

/** `failed` waits for a retry, `exhausted` has no retry left, `canceled` met an inactive endpoint. */
export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'exhausted', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Selects deliveries that were created at or after `since` and before `until`. `ticket` is an id. */
export type LogFilter = { status?: DeliveryStatus; event?: string; ticket?: string; since?: Date; until?: Date };

/** The event of a delivery, and the request that led to it: attempts are logged with them, however late. */
export type Origin = { eventId: string; eventTime: Date; requestId?: string; traceparent?: string };

/** The ticket of an event, as the body names it. */
export type TicketRef = { id: string; number: string; title: string };

/** One event on its way to one endpoint. Every attempt sends the same bytes of `body`. */
export type Delivery = {
  id: string;
  endpointId: string;
  event: string;
  /** Absent for a test. */
  origin?: Origin;
  /** Stored besides the body, which lists do not read. Absent for a test. */
  ticket?: TicketRef;
  body: string;
  /** Only admins read it, and only a URL that an admin has set receives it. Absent for other events. */
  isForManagers?: true;
  status: DeliveryStatus;
  /** Attempts recorded since the delivery, or its redelivery, began: its position in the retry schedule. */
  tries: number;
  attempts: Attempt[];
  createdAt: Date;
  nextAttemptAt: Date | null;
  /** The endpoint's `enablings` when this began to wait, absent for 0. A deactivation from before does not cancel it. */
  enabling?: number;
};

/** The state of a delivery after an attempt. */
export type Outcome = { status: 'succeeded' | 'failed' | 'exhausted'; nextAttemptAt: Date | null };

/**
 * The id of a delivery, derived from event and endpoint: a message that is delivered twice makes no second delivery. It begins
 * with the event's second, as every id does, so that new entries lie side by side in the index.
 */
export function deliveryId(event: { id: string; time: string }, endpointId: string): string {
  return idFrom(new Date(event.time), `${event.id}:${endpointId}`);
}

/** Several times the largest body there is, a note of 10,000 characters; it bounds the records of the log. */
export const maxBodyBytes = 256 * 1024;

/**
 * The body as JSON text.
 * @param createdAt time of the event, an ISO date
 * @throws AppError invalid `webhook_body_too_large`
 */
export function deliveryBody(event: string, createdAt: string, data: unknown): string {
  const body = JSON.stringify({ event, created_at: createdAt, data });
  if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  throw new AppError('invalid', 'webhook_body_too_large', `a webhook has at most ${maxBodyBytes} bytes`);
}

/**
 * What follows from an attempt.
 * @param tries attempts recorded before this one
 * @param retryDelaysMs delay after each failed attempt, from its end, without jitter; none left: exhausted
 */
export function outcomeOf(attempt: Attempt, tries: number, retryDelaysMs: readonly number[]): Outcome {
  if (attempt.error === null) return { status: 'succeeded', nextAttemptAt: null };
  const delayMs = retryDelaysMs[tries];
  if (delayMs === undefined) return { status: 'exhausted', nextAttemptAt: null };
  const endedAt = attempt.at.getTime() + attempt.durationMs;
  return { status: 'failed', nextAttemptAt: new Date(endedAt + delayMs) };
}

/** How many attempts there will have been at most. A delivery that is sent again begins the schedule anew, and keeps its log. */
export function maxAttemptsOf(
  { status, tries, attempts }: Pick<Delivery, 'status' | 'tries' | 'attempts'>,
  retryDelaysMs: readonly number[],
): number {
  const isOver = status !== 'pending' && status !== 'failed';
  return attempts.length + (isOver ? 0 : Math.max(1, retryDelaysMs.length + 1 - tries));
}

/** Failed attempts of one delivery after which its endpoint may be failing. */
const failingAfterAttempts = 4;

/** True if a delivery after `tries` attempts suggests that its endpoint is failing. */
export function suggestsFailing({ status }: Outcome, tries: number): boolean {
  return status === 'exhausted' || (status === 'failed' && tries >= failingAfterAttempts);
}
