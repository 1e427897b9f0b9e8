import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFailureLog, statusOf } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { RawHeaders } from './headers.ts';
import { discardRest } from './proxy.ts';

type Refused = {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** Those that its answer carries in any case. */
  headers: RawHeaders;
};

/** What a status asks of its client: of whom we have waited for long enough, we do not wait for the rest. */
function extraHeaders(status: number, code: string): string[] {
  if (status === 408) return ['Connection', 'close'];
  return status === 503 || code === 'concurrency_limited' ? ['Retry-After', '1'] : [];
}

export type Refuse = (refused: Refused, error: unknown) => void;

/** Answers requests that no service answers, in the documented form (design section 5). */
export function createRefuse(logger: Logger): Refuse {
  const log = createFailureLog(logger);

  return (refused, error) => {
    const { req, res, requestId, headers } = refused;
    const { status, body } = answerTo(error, requestId);
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

function answerTo(error: unknown, requestId: string): { status: number; body: { code: string } } {
  if (error instanceof AppError) {
    return {
      status: statusOf[error.kind],
      body: { error: error.message, ...error.details, code: error.code } as { code: string },
    };
  }
  const message = `Something went wrong on our side (request ${requestId})`;
  return { status: 500, body: { error: message, code: 'internal_error', request_id: requestId } as { code: string } };
}
