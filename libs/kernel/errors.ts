/** What went wrong, in the terms of the caller. The HTTP door maps it to a status, the message door to retry or dead letter. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'request_timeout'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'unprocessable'
  | 'too_many'
  | 'overloaded'
  | 'unavailable'
  | 'timeout';

type AppErrorOptions = ErrorOptions & { details?: Record<string, unknown> };

/**
 * A failure that the caller can act on. Anything else that is thrown is a bug or an outage.
 * `details` stand beside `error` and `code` in the answer (design section 6: `from` and `operation` of a forbidden move).
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(kind: ErrorKind, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.name = 'AppError';
    this.kind = kind;
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** One fault of a body or query; `path` is dotted, `location_ids.0`. */
export type FieldError = { path: string; message: string };

/** A body or query that breaks its schema: every fault at once (spec section 7). */
export class ValidationError extends Error {
  readonly errors: FieldError[];

  constructor(errors: FieldError[]) {
    super('Validation error');
    this.name = 'ValidationError';
    this.errors = errors;
  }
}
