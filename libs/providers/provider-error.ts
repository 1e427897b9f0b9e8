/**
 * What a provider's failure means for whoever called it:
 * - `unauthorized`: 401 or 403, the key is no good; stop calling until somebody changes it
 * - `not_found`: 404 or 410, the provider does not have this (any more)
 * - `rate_limited`: 429, call again after `retryAfterMs`
 * - `transient`: 408, 425, 5xx, timeout, cut connection, an answer that is no answer; try again later
 * - `refused`: final, the same call will fail again: any other 4xx, an answer over its size, a foreign redirect
 */
export type ProviderErrorKind = 'unauthorized' | 'not_found' | 'rate_limited' | 'transient' | 'refused';

/** HTTP status and wait, where the provider answered and named one; `code` is the provider's own word for the fault. */
type Facts = { status?: number | null; retryAfterMs?: number | null; code?: string | null };

/**
 * The one error of every provider client. Its message is a sentence for people: it holds neither the API key nor a body,
 * and it has no `cause`, because the errors of HTTP clients carry the headers that were sent.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** Always a number, a second at least, for `rate_limited`; else only where the provider sent `retry-after` (a 503 may). */
  readonly retryAfterMs: number | null;
  readonly status: number | null;
  readonly code: string | null;

  constructor(kind: ProviderErrorKind, message: string, facts: Facts = {}) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.status = facts.status ?? null;
    this.code = facts.code ?? null;
  }
}

/** Whether this part of a provider's API is not there for this key, though the key itself is good. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ProviderError && ['not_found', 'unauthorized', 'refused'].includes(error.kind);
}
