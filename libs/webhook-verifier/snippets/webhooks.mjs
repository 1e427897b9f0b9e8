import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they came, before any JSON parser; header: X-Service-Signature; secret: whsec_…, whole.
export function isGenuine(rawBody, header, secret, toleranceSeconds = 300) {
  const [, t, v1 = ''] = /t=(\d+),v1=([0-9a-f]+)/.exec(header) ?? [];
  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const given = Buffer.from(v1, 'hex');
  const isFresh = Math.abs(Date.now() / 1000 - Number(t)) <= toleranceSeconds;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}
