import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/**
 * Verifies `X-Service-Signature: t=<unix>,v1=<hex>` as any receiver should (spec section 6.4): over the raw bytes, in
 * constant time, and not older than 300 seconds.
 * @returns null where it is good, else what is wrong
 */
export function faultOfSignature(header: string, body: Buffer, secret: string, now = Date.now()): string | null {
  const parts = new Map(header.split(',').map((part) => part.split('=', 2) as [string, string]));
  const time = Number(parts.get('t'));
  if (!Number.isInteger(time) || Math.abs(now / 1000 - time) > toleranceSeconds)
    return 'the timestamp is missing or stale';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const given = Buffer.from(parts.get('v1') ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected) ? null : 'the signature does not match';
}
