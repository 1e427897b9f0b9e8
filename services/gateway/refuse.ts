import type { IncomingMessage, ServerResponse } from 'node:http';
import { statusOf } from '@app/http';
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

export type Refuse = (refused: Refused, error: unknown) => void;

const logEveryMs = 1000;

/** Answers requests that no service answers, in the documented form (design section 5). */
export function createRefuse(logger: Logger): Refuse {
  const logged = new Map<string, { since: number; unlogged: number }>();

  /** One line a second and kind of failure: while a service is down there may be thousands a second, all alike. */
  function log({ req, requestId }: Refused, code: string, error: unknown): void {
    const last = logged.get(code);
    if (last && Date.now() - last.since < logEveryMs) {
      last.unlogged += 1;
      return;
    }
    logged.set(code, { since: Date.now(), unlogged: 0 });
    const facts = { requestId, method: req.method, path: pathToLog(req), code, alike: last?.unlogged ?? 0 };
    if (error instanceof AppError) logger.warn('request not served', { ...facts, ...reasonOf(error) });
    else logger.error('request failed', { ...facts, error });
  }

  return (refused, error) => {
    const { req, res, requestId, headers } = refused;
    const { status, body } = answerTo(error, requestId);
    if (status >= 500) log(refused, body.code, error);
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    const text = JSON.stringify(body);
    const length = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${Buffer.byteLength(text)}`];
    res.writeHead(status, [...headers, ...length, ...(status === 503 ? ['Retry-After', '1'] : [])]);
    res.end(text, () => discardRest(req));
  };
}

/** The failing of another machine needs no stack trace. */
function reasonOf({ message, cause }: AppError): object {
  return cause instanceof Error ? { reason: message, cause: cause.message } : { reason: message };
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

/** Without the query, and without what a download link is signed with: both may hold what only their owner may know. */
function pathToLog({ url = '' }: IncomingMessage): string {
  return url
    .replace(/[?#].*$/s, '')
    .replace(/^\/files\/.*/s, '/files/…')
    .slice(0, 200);
}
