import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';

/** The request that could not be served, in terms that may be logged. */
export type Failed = { requestId: string; method: string | undefined; url: string | undefined };

/** Tells of requests that were answered with 5xx: what did not work, and why. */
export type FailureLog = (failed: Failed, error: unknown) => void;

const logEveryMs = 1000;
/** How many causes of causes are told: an error may be its own. */
const causesTold = 5;

/**
 * One line a second and code, which says how many there were like it since the last: while something is down there may be
 * thousands a second, all alike.
 */
export function createFailureLog(logger: Logger): FailureLog {
  const logged = new Map<string, { since: number; unlogged: number }>();

  return ({ requestId, method, url }, error) => {
    const code = error instanceof AppError ? error.code : 'internal_error';
    const last = logged.get(code);
    if (last && Date.now() - last.since < logEveryMs) {
      last.unlogged += 1;
      return;
    }
    logged.set(code, { since: Date.now(), unlogged: 0 });
    const facts = { requestId, method, path: pathToLog(url), code, alike: last?.unlogged ?? 0 };
    if (error instanceof AppError) logger.warn('request not served', { ...facts, ...reasonOf(error) });
    else logger.error('request failed', { ...facts, error });
  };
}

/** The failing of another machine needs no stack trace; what it failed of may stand several causes deep. */
function reasonOf({ message, cause }: AppError): { reason: string; cause?: string } {
  const causes: string[] = [];
  for (let next = cause; next instanceof Error && causes.length < causesTold; next = next.cause) {
    causes.push(next.message || ('code' in next ? String(next.code) : next.name));
  }
  return causes.length > 0 ? { reason: message, cause: causes.join(': ') } : { reason: message };
}

/** Without the query, and without what a download link is signed with: both may hold what only their owner may know. */
function pathToLog(url = ''): string {
  return url
    .replace(/[?#].*$/s, '')
    .replace(/^\/files\/.*/s, '/files/…')
    .slice(0, 200);
}
