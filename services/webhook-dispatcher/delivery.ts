import { createHash } from 'node:crypto';
import { AppError } from '@app/kernel';

/** `failed` waits for a retry, `exhausted` has none left, `canceled` met an inactive endpoint (design section 11). */
export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'exhausted', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why an attempt failed, without naming what the target's name resolved to. */
export type AttemptError =
  | 'address_refused'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'response_incomplete'
  | 'response_invalid'
  | 'redirect_refused'
  | 'status_not_2xx'
  /** Nothing was sent: its key is none of CREDENTIALS_KEYS. Ours to mend, so it disables no endpoint. */
  | 'secret_unreadable';

/** One POST: `responseBody` is the first 1 KB, null where no answer came. */
export type Attempt = {
  at: Date;
  statusCode: number | null;
  durationMs: number;
  error: AttemptError | null;
  responseBody: string | null;
};

/** Which event it is, and of which request: so that every attempt, however late, is found by them. */
export type Origin = { eventId: string; eventTime: Date; requestId?: string; traceparent?: string };

/** One event on its way to one endpoint; `body` is sent byte for byte on every attempt. */
export type Delivery = {
  id: string;
  endpointId: string;
  event: string;
  /** Absent in a test, and in those of before it was kept. */
  origin?: Origin;
  body: string;
  status: DeliveryStatus;
  /** Attempts recorded since the delivery, or its redelivery, began: the place in the schedule. */
  tries: number;
  attempts: Attempt[];
  createdAt: Date;
  nextAttemptAt: Date | null;
  /** The endpoint's `enablings` when this began to wait: a stop of before does not cancel it. Absent for 0. */
  enabling?: number;
};

/** Where a delivery stands after an attempt. */
export type Outcome = { status: 'succeeded' | 'failed' | 'exhausted'; nextAttemptAt: Date | null };

/** Sent by the test operation alone; nobody subscribes to it. */
export const testEvent = 'webhook.test';

/**
 * The same for the same event and endpoint, so that a redelivered message makes no second delivery. It begins with the
 * event's second, as every id does: in the index the new ones lie beside each other, however large the log has become.
 */
export function deliveryId(event: { id: string; time: string }, endpointId: string): string {
  const second = Math.floor(Date.parse(event.time) / 1000) || 0;
  const digest = createHash('sha256').update(`${event.id}:${endpointId}`).digest('hex');
  return second.toString(16).padStart(8, '0').slice(-8) + digest.slice(0, 16);
}

/** Several times the largest that there is, a note of 10,000 characters; so a record of the log is bounded. */
export const bodyBytes = 256 * 1024;

/**
 * The body as text (spec section 6.2); `createdAt` is the event's time as an ISO date.
 * @throws AppError invalid `webhook_body_too_large`
 */
export function deliveryBody(event: string, createdAt: string, data: unknown): string {
  const body = JSON.stringify({ event, created_at: createdAt, data });
  if (Buffer.byteLength(body) <= bodyBytes) return body;
  throw new AppError('invalid', 'webhook_body_too_large', `a webhook has at most ${bodyBytes} bytes`);
}

/**
 * What follows from an attempt. `tries` were recorded before it; the delay of `retryDelaysMs` at that place runs from
 * its end, without jitter (design section 11).
 */
export function outcomeOf(attempt: Attempt, tries: number, retryDelaysMs: readonly number[]): Outcome {
  if (attempt.error === null) return { status: 'succeeded', nextAttemptAt: null };
  const delayMs = retryDelaysMs[tries];
  if (delayMs === undefined) return { status: 'exhausted', nextAttemptAt: null };
  const endedAt = attempt.at.getTime() + attempt.durationMs;
  return { status: 'failed', nextAttemptAt: new Date(endedAt + delayMs) };
}

/** Why a status is no success; null for 2xx. */
export function statusError(statusCode: number): AttemptError | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirect_refused' : 'status_not_2xx';
}
