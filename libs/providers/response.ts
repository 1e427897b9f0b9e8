import type { Readable } from 'node:stream';
import { record, text } from './json.ts';
import { ProviderError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** The head of a provider's answer; names of headers in lower case. */
export type ProviderResponse = { status: number; headers: Record<string, unknown>; data: Readable };

/** A provider that limits without saying for how long is left alone for a minute. */
const defaultRetryAfterMs = 60_000;
/** One that names no wait at all, or a moment that is past by our clock, is left alone for a second all the same. */
const leastRetryAfterMs = 1_000;
const longestReason = 200;

/** What a status other than 2xx and 3xx means; the provider's reason is taken from its body where it is final. */
export function responseError({ status, headers }: ProviderResponse, body: Buffer, apiKey: string): ProviderError {
  const wait = retryAfterMs(headers['retry-after'], new Date());
  const facts = { status, retryAfterMs: wait };
  if (status === 401 || status === 403)
    return new ProviderError('unauthorized', `the provider refuses the API key (${status})`, facts);
  if (status === 404 || status === 410) return new ProviderError('not_found', 'the provider does not have this', facts);
  if (status === 429) {
    const retry = { status, retryAfterMs: Math.max(wait ?? defaultRetryAfterMs, leastRetryAfterMs) };
    return new ProviderError('rate_limited', 'the provider limits the rate of calls', retry);
  }
  if (status === 408 || status === 425 || status >= 500) {
    return new ProviderError('transient', `the provider answered ${status}`, facts);
  }
  const { reason, code } = reasonIn(body, apiKey);
  return new ProviderError('refused', `the provider refused (${status})${reason === null ? '' : `: ${reason}`}`, {
    ...facts,
    code,
  });
}

/** The short words in which APIs say why; never the body itself, which may repeat what was sent. */
function reasonIn(body: Buffer, apiKey: string): { reason: string | null; code: string | null } {
  const answer = parsed(body);
  const inner = record(answer['error']);
  const said = [answer['message'], answer['errorMessage'], answer['error'], inner['message'], answer['detail']];
  const code = [answer['code'], answer['errorCode'], inner['code']].map(text).find((one) => one !== null) ?? null;
  const reason = said.map(text).find((one) => one !== null) ?? code;
  const safe = (words: string | null) =>
    words
      ?.replaceAll(apiKey || '\0', '…')
      .replace(/\s+/g, ' ')
      .slice(0, longestReason) ?? null;
  return { reason: safe(reason), code: safe(code) };
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    return record(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

/** Where a redirect leads, within the same origin; anything else is refused, so that neither key nor request goes elsewhere. */
export function redirectTarget({ status, headers }: ProviderResponse, from: URL, allowed: boolean): URL {
  const location = headers['location'];
  const target = typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (allowed && target?.origin === from.origin) return target;
  throw new ProviderError('refused', 'the provider redirects elsewhere, which is not followed', { status });
}

/** The plain name in a `content-disposition`, without folders and control characters; null without one. */
export function fileNameIn(disposition: unknown): string | null {
  const header = typeof disposition === 'string' ? disposition : '';
  const encoded = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(header)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(header);
  const sent = encoded === undefined ? (plain?.[1] ?? plain?.[2] ?? '') : decoded(encoded.trim());
  const name =
    sent
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '')
      .trim() ?? '';
  return /^\.{0,2}$/.test(name) ? null : name.slice(-200);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
