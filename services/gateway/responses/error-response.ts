import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFailureLog, docUrl, statusOf } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { PublicUrls } from '../routing/hosts.ts';
import type { HostName } from '../routing/routes.ts';
import { discardRest } from './discard-rest.ts';

type FailedRequest = {
  req: IncomingMessage;
  res: ServerResponse;
  host: HostName;
  requestId: string;
  /** Headers of every response to this request. */
  headers: string[];
};

/** After 408 the connection is closed, since the rest of the request would be read as the next one. */
function extraHeaders(status: number, code: string): string[] {
  if (status === 408) return ['Connection', 'close'];
  return status === 503 || code === 'concurrency_limited' ? ['Retry-After', '1'] : [];
}

export type ErrorResponder = (request: FailedRequest, error: unknown) => void;

/**
 * Sends error responses in the documented form (docs/api.md) for requests that no service answers;
 * logs those of 500 and above.
 */
export function createErrorResponder(logger: Logger, publicUrls: PublicUrls): ErrorResponder {
  const log = createFailureLog(logger);

  return (request, error) => {
    const { req, res, host, requestId, headers } = request;
    const { status, body } = responseTo(error, requestId, new URL(publicUrls[host]).origin);
    if (status >= 500) log({ requestId, method: req.method, url: req.url }, error);
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    const text = JSON.stringify(body);
    const length = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${Buffer.byteLength(text)}`];
    res.writeHead(status, [...headers, ...length, ...extraHeaders(status, body.code)]);
    res.end(text, () => discardRest(req));
  };
}

type ErrorBody = { error: string; code: string; doc_url: string } & Record<string, unknown>;

function responseTo(error: unknown, requestId: string, origin: string): { status: number; body: ErrorBody } {
  if (error instanceof AppError) {
    const { message, code, details } = error;
    return {
      status: statusOf[error.kind],
      body: { ...details, error: message, code, doc_url: docUrl(origin, code) },
    };
  }
  const message = `Something went wrong on our side (request ${requestId})`;
  const code = 'internal_error';
  return { status: 500, body: { error: message, code, doc_url: docUrl(origin, code), request_id: requestId } };
}
