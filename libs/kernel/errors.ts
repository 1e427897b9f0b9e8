/** What went wrong, from the caller's point of view. HTTP maps it to a status, messaging to retry or dead letter. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'request_timeout'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_type'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'too_many'
  | 'overloaded'
  | 'unavailable'
  | 'timeout';

type AppErrorOptions = ErrorOptions & { details?: Record<string, unknown> };

/**
 * A failure that the caller can act on. Anything else that is thrown is a bug or an outage.
 * `details` are added to `error` and `code` in the response: `from` and `operation` of a forbidden move.
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

/** One error of a body or query; `path` is dotted, `location_ids.0`. */
export type FieldError = { path: string; message: string };

/** A body or query that does not match its schema, with all errors. */
export class ValidationError extends Error {
  readonly errors: FieldError[];

  constructor(errors: FieldError[]) {
    super('Validation error');
    this.name = 'ValidationError';
    this.errors = errors;
  }
}
