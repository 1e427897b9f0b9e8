import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';

/** The request that failed. */
type Failed = { requestId: string; method: string | undefined; url: string | undefined };

/** Logs a request that was answered with 5xx, and why. */
export type FailureLog = (failed: Failed, error: unknown) => void;

const logEveryMs = 1000;
/** How deep causes are logged: an error may be its own cause. */
const maxCauseDepth = 5;

/**
 * Logs at most one line a second for each error code, with the number of similar failures since the previous one: during an outage
 * there may be thousands a second.
 */
export function createFailureLog(logger: Logger): FailureLog {
  const logged = new Map<string, { since: number; skipped: number }>();

  return ({ requestId, method, url }, error) => {
    const code = error instanceof AppError ? error.code : 'internal_error';
    const last = logged.get(code);
    if (last && Date.now() - last.since < logEveryMs) {
      last.skipped += 1;
      return;
    }
    logged.set(code, { since: Date.now(), skipped: 0 });
    const fields = { requestId, method, path: pathToLog(url), code, alike: last?.skipped ?? 0 };
    if (error instanceof AppError) logger.warn('request could not be served', { ...fields, ...reasonOf(error) });
    else logger.error('request failed', { ...fields, error });
  };
}

/** The messages of an error and its causes. The failure of another service needs no stack trace. */
function reasonOf({ message, cause }: AppError): { reason: string; cause?: string } {
  const causes: string[] = [];
  for (let next = cause; next instanceof Error && causes.length < maxCauseDepth; next = next.cause) {
    causes.push(next.message || ('code' in next ? String(next.code) : next.name));
  }
  return causes.length > 0 ? { reason: message, cause: causes.join(': ') } : { reason: message };
}

/** The path without query, without the token of a download link and without the secret of an agenda, which are private. */
export function pathToLog(url = ''): string {
  return url
    .replace(/[?#].*$/s, '')
    .replace(/^\/(files|agenda\/feeds)\/.*/s, '/$1/…')
    .slice(0, 200);
}
