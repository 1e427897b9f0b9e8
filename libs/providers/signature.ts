import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceMs = 300_000;
/** A valid header has one or two digests. */
const maxHeaderLength = 1_000;

/**
 * Whether a webhook's signature is valid; compares in constant time, over the raw body. Two forms:
 * - `sha256=<hex>`, the prefix is optional: HMAC-SHA256 of the body
 * - `t=<unix seconds>,v1=<hex>`: of `<t>.<body>`, at most 300 s old or ahead; several `v1` while a secret is rotated
 *
 * An empty secret never verifies.
 */
export function verifySignature(raw: Buffer, header: string | undefined, secret: string, now: Date): boolean {
  if (!header || header.length > maxHeaderLength || secret === '') return false;
  const text = header.trim();
  const plain = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(text);
  if (plain) return equal(plain[1] as string, digest(secret, raw));
  return /^t=/.test(text) && verifyTimed(raw, text, { secret, now });
}

function verifyTimed(raw: Buffer, header: string, { secret, now }: { secret: string; now: Date }): boolean {
  const parts = header.split(',').map((part) => part.trim());
  const time = /^t=(\d{1,12})$/.exec(parts[0] as string)?.[1];
  if (time === undefined || !isFresh(Number(time), now)) return false;
  const expected = digest(secret, Buffer.concat([Buffer.from(`${time}.`), raw]));
  const given = parts.slice(1).map((part) => /^v1=([0-9a-f]{64})$/i.exec(part)?.[1]);
  return given.filter((one) => one !== undefined && equal(one, expected)).length > 0;
}

/** Whether a signature of this Unix time, in seconds, is at most 300 s old or ahead. */
export function isFresh(seconds: number, now: Date): boolean {
  return Math.abs(now.getTime() - seconds * 1000) <= toleranceMs;
}

function digest(secret: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

function equal(hex: string, expected: Buffer): boolean {
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
