import { createHmac } from 'node:crypto';

/**
 * The value of X-Service-Signature (the scheme of Stripe): `t=<unix seconds>,v1=<hex HMAC-SHA256>`
 * over `<t>.<raw body>`. The key is the whole secret as shown, `whsec_` included.
 */
export function signatureHeader(secret: string, body: Uint8Array, at: Date): string {
  const timestamp = Math.floor(at.getTime() / 1000);
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}
