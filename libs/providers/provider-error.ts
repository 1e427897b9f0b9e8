/**
 * What to do about a failed call:
 * - `unauthorized` (401, 403): stop calling until the key is replaced
 * - `not_found` (404, 410): the provider does not have this, or no longer
 * - `rate_limited` (429): call again after `retryAfterMs`
 * - `transient` (408, 425, 5xx, timeout, broken connection, unreadable body): try again later
 * - `refused` (any other 4xx, a body over its limit, a redirect to another host): the same call will fail again
 */
export type ProviderErrorKind = 'unauthorized' | 'not_found' | 'rate_limited' | 'transient' | 'refused';

type Details = { status?: number | null; retryAfterMs?: number | null; code?: string | null };

/**
 * The only error of a provider client. Its message is for people. It holds neither key nor body and has no `cause`: errors of
 * HTTP clients hold the headers that were sent.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** At least a second for `rate_limited`; otherwise the `retry-after` that the provider sent, if any. */
  readonly retryAfterMs: number | null;
  /** The HTTP status, if there was a response. */
  readonly status: number | null;
  /** The provider's own error code, or ours, such as `timeout` or `too_large`. */
  readonly code: string | null;

  constructor(kind: ProviderErrorKind, message: string, details: Details = {}) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.status = details.status ?? null;
    this.code = details.code ?? null;
  }
}

/** Whether the key is good but cannot use this part of the API. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ProviderError && ['not_found', 'unauthorized', 'refused'].includes(error.kind);
}

/** What belongs to an invoice that the provider has. That it is not there does not mean that the invoice is gone: it is tried again. */
export async function partOf<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    const { status } = error;
    throw new ProviderError('transient', 'the provider has this invoice, but not all that belongs to it', { status });
  }
}
