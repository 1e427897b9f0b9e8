import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they came, before any JSON parser; header: X-Service-Signature; secret: whsec_…, whole.
export function isGenuine(rawBody, header, secret, toleranceSeconds = 300) {
  const [, t] = /^t=(\d{1,12}),/.exec(header) ?? [];
  // The header may hold several signatures: one that matches is enough.
  const signatures = [...String(header).matchAll(/,v1=([0-9a-f]{64})\b/g)].slice(0, 10);
  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const isSigned = signatures.map(([, v1]) => timingSafeEqual(Buffer.from(v1, 'hex'), expected)).includes(true);
  const isFresh = Math.abs(Date.now() / 1000 - Number(t)) <= toleranceSeconds;
  return isSigned && isFresh;
}
