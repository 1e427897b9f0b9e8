/** The header that carries the signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, with one `v1` or several. */
export declare const signatureHeader: 'x-service-signature';
/** The header with the id of the delivery: the same on every attempt, so skip what you have handled. */
export declare const deliveryHeader: 'x-service-delivery';

/** A verified webhook. */
export type WebhookEvent<Data = Record<string, unknown>> = {
  /** `ticket.status_changed`, … or `webhook.test`. */
  event: string;
  /** ISO date: order events by it. */
  created_at: string;
  data: Data;
  /**
   * `X-Service-Delivery`: the same on every attempt. Null if your framework did not hand the header
   * over.
   */
  delivery: string | null;
};

export type WebhookFault =
  | 'body_not_raw'
  | 'secret_missing'
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_stale'
  | 'replayed'
  | 'body_unexpected';

/** Why a webhook was refused: `code` for programs, `message` for people. Never holds a secret or a signature. */
export declare class WebhookVerificationError extends Error {
  constructor(code: WebhookFault, message: string);
  readonly code: WebhookFault;
}

/** Headers as Node, Express, Fastify or fetch give them; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Record<string, string | string[] | undefined>;

export type VerifyOptions = {
  /** How old, or ahead of our clock, a signature may be; 300. */
  toleranceSeconds?: number;
  /** The clock, in milliseconds; `Date.now`. */
  now?: () => number;
  /** Refuses a request that was accepted before, byte by byte. */
  replays?: ReplayMemory;
};

/** What one process has accepted. Of several, each has its own. */
export type ReplayMemory = {
  /** False if it was there. Times are in seconds. */
  add(signature: string, times: { until: number; now: number }): boolean;
};

/**
 * Remembers requests by their signature, not by `X-Service-Delivery`, which is not signed: who replays a request may write another
 * one there. A later attempt of ours is signed anew, and passes. Beyond `limit` the oldest are forgotten.
 */
export declare function createReplayMemory(limit?: number): ReplayMemory;

/**
 * The event of a request, if it is genuine and fresh.
 * @param rawBody the bytes as they came, before any JSON parser
 * @param secret the endpoint's `whsec_…`, whole; several if two endpoints lead to one address
 * @throws WebhookVerificationError answer 400 then
 */
export declare function verifyWebhook<Data = Record<string, unknown>>(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): WebhookEvent<Data>;
