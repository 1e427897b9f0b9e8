/** A provider that asks for more is asked again after a day. */
const mostMs = 24 * 3_600_000;

/** The wait of a `retry-after` header in milliseconds, from seconds or an HTTP date (RFC 9110 10.2.3); null without one. */
export function retryAfterMs(header: unknown, now: Date): number | null {
  if (typeof header !== 'string' || header.trim() === '') return null;
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*$/.exec(header)?.[1];
  const wait = seconds === undefined ? Date.parse(header) - now.getTime() : Math.ceil(Number(seconds) * 1000);
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), mostMs);
}
