import { AppError, type ErrorKind, ValidationError } from '@app/kernel';
import { isTransientMongoError, type Logger } from '@app/runtime';
import type { ErrorRequestHandler, Response } from 'express';
import { docUrlFor } from './doc-url.ts';
import { createFailureLog, type FailureLog, pathToLog } from './failure-log.ts';
import { limitFieldErrors } from './field-errors.ts';

/** The HTTP status of each kind of error. */
export const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  too_many: 429,
  unavailable: 502,
  overloaded: 503,
  timeout: 504,
};

/** One per logger, since `sendError` is called for each request. */
const failureLogs = new WeakMap<Logger, FailureLog>();

/**
 * Responds to any error in the documented form (docs/api.md). Unexpected errors and those of other services are logged; the
 * response does not reveal them.
 */
export function sendError(error: unknown, res: Response, logger: Logger): void {
  if (res.headersSent) {
    abortResponse(error, res, logger);
    return;
  }
  if (error instanceof ValidationError) {
    res.status(422).json({ message: 'Validation error', errors: limitFieldErrors(error.errors) });
    return;
  }
  const known = error instanceof AppError ? error : (fromBodyParser(error) ?? fromDatabase(error));
  const requestId = String(res.getHeader('x-request-id') ?? '');
  if (!known) {
    logger.error('request failed', { error, method: res.req.method, path: pathToLog(res.req.path) });
    res.status(500).json({
      error: `Something went wrong on our side (request ${requestId})`,
      code: 'internal_error',
      ...docUrlFor(res.req.headers, 'internal_error'),
      request_id: requestId,
    });
    return;
  }
  const status = statusOf[known.kind];
  if (status >= 500) failureLogOf(logger)({ requestId, method: res.req.method, url: res.req.originalUrl }, known);
  if (known.kind === 'overloaded' || known.code === 'idempotency_key_in_progress') res.setHeader('Retry-After', '1');
  const { code } = known;
  res.status(status).json({ error: known.message, code, ...docUrlFor(res.req.headers, code), ...known.details });
}

function failureLogOf(logger: Logger): FailureLog {
  const log = failureLogs.get(logger) ?? createFailureLog(logger);
  failureLogs.set(logger, log);
  return log;
}

/** The status was sent already, so only a broken connection can show the client that the rest is missing. */
function abortResponse(error: unknown, res: Response, logger: Logger): void {
  const fields = { error, method: res.req.method, path: pathToLog(res.req.path) };
  // A client that leaves during a download causes an error too.
  if (res.destroyed) logger.debug('client closed the connection', fields);
  else logger.error('response aborted', fields);
  res.destroy();
}

/** The last handler of an app: answers whatever a route or a parser threw, as `sendError` does. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error, _req, res, _next) => sendError(error, res, logger);
}

/** Errors of Express and its body parser, by their `type` and `status`. */
function fromBodyParser(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null;
  const { type, status } = error as Error & { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new AppError('too_large', 'payload_too_large', 'the body is larger than 1 MB');
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new AppError('unsupported_type', 'unsupported_media_type', error.message);
  }
  if (type !== undefined && status !== undefined && status < 500) {
    return new AppError('invalid', 'invalid_json', `the body is not valid JSON: ${error.message.slice(0, 200)}`);
  }
  if (error instanceof URIError && status === 400)
    return new AppError('invalid', 'invalid_url', 'the address holds a malformed escape sequence');
  return null;
}

/** A database outage is no bug: the client may try again. */
function fromDatabase(cause: unknown): AppError | null {
  if (!isTransientMongoError(cause)) return null;
  const message = 'the database of this service did not answer; try again';
  return new AppError('unavailable', 'service_unavailable', message, { cause });
}
