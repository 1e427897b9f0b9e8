import type { Readable } from 'node:stream';
import { parse as parseDisposition } from 'content-disposition';
import { record, text } from '../parsing/json.ts';
import { ProviderError } from '../provider-error.ts';

/** Header names in lower case. */
export type ProviderResponse = { status: number; headers: Record<string, unknown>; data: Readable };

/** For a 429 without `retry-after`. */
const defaultRetryAfterMs = 60_000;
/** For a 429 whose `retry-after` is zero or, by our clock, in the past. */
const minRetryAfterMs = 1_000;
const maxRetryAfterMs = 24 * 3_600_000;
const maxReasonLength = 200;
const maxNameLength = 200;

/** The error for a status outside 2xx and 3xx. A final one repeats the reason that the provider's body gives. */
export function responseError({ status, headers }: ProviderResponse, body: Buffer, secrets: string[]): ProviderError {
  const retryAfter = retryAfterMs(headers['retry-after'], new Date());
  const details = { status, retryAfterMs: retryAfter };
  if (status === 401 || status === 403)
    return new ProviderError('unauthorized', `the provider refuses the credentials (${status})`, details);
  if (status === 404 || status === 410)
    return new ProviderError('not_found', 'the provider does not have this', details);
  if (status === 429) {
    const limited = { status, retryAfterMs: Math.max(retryAfter ?? defaultRetryAfterMs, minRetryAfterMs) };
    return new ProviderError('rate_limited', 'the provider limits the rate of calls', limited);
  }
  if (status === 408 || status === 425 || status >= 500) {
    return new ProviderError('transient', `the provider answered ${status}`, details);
  }
  const { reason, code } = reasonIn(body, secrets);
  const message = `the provider refused (${status})${reason === null ? '' : `: ${reason}`}`;
  return new ProviderError('refused', message, { ...details, code });
}

/** The message and code in the usual fields of an error body. Never the body itself: it may repeat what was sent. */
function reasonIn(body: Buffer, secrets: string[]): { reason: string | null; code: string | null } {
  const answer = jsonOrEmpty(body);
  const inner = record(answer['error']);
  const messages = [answer['message'], answer['errorMessage'], answer['error'], inner['message'], answer['detail']];
  const codes = [answer['code'], answer['errorCode'], inner['code']];
  const first = (values: unknown[]) => values.map(text).find((one) => one !== null) ?? null;
  const clean = (words: string | null) =>
    words === null
      ? null
      : secrets
          .reduce((said, secret) => said.replaceAll(secret || '\0', '…'), words)
          .replace(/\s+/g, ' ')
          .slice(0, maxReasonLength);
  return { reason: clean(first(messages) ?? first(codes)), code: clean(first(codes)) };
}

function jsonOrEmpty(body: Buffer): Record<string, unknown> {
  try {
    return record(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

/** The wait of a `retry-after` header (seconds or an HTTP date) in milliseconds, a day at most; null without one. */
function retryAfterMs(header: unknown, now: Date): number | null {
  if (typeof header !== 'string' || header.trim() === '') return null;
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*$/.exec(header)?.[1];
  const wait = seconds === undefined ? Date.parse(header) - now.getTime() : Math.ceil(Number(seconds) * 1000);
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), maxRetryAfterMs);
}

/** The time of a `date` header; null without one. */
export function dateIn(header: unknown): Date | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms);
}

/** The target of a redirect within one origin. @throws ProviderError refused for any other: the key must not follow it */
export function redirectTarget({ status, headers }: ProviderResponse, from: URL, allowed: boolean): URL {
  const location = headers['location'];
  const target = typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (allowed && target?.origin === from.origin) return target;
  throw new ProviderError('refused', 'the provider redirects elsewhere, which is not followed', { status });
}

/** The file name of a `content-disposition` header, without folders and control characters; null without one. */
export function fileNameIn(header: unknown): string | null {
  const fileName = typeof header === 'string' ? (parseDisposition(header).parameters['filename'] ?? '') : '';
  const name =
    fileName
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '')
      .trim() ?? '';
  return /^\.{0,2}$/.test(name) ? null : name.slice(-maxNameLength);
}
