export type Verdict =
  | { kind: 'valid' }
  | { kind: 'tooOld'; ageS: number }
  | { kind: 'otherSecret' }
  | { kind: 'malformed' };

type Given = { header: string; body: string; secret: string; now: Date };

const toleranceS = 300;
const form = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/i;

/**
 * Verifies a signature as a receiver would (docs/webhooks.md): HMAC-SHA256 of `<t>.<raw body>` by the secret, in
 * hexadecimal. The signature is checked before the age: a wrong one says nothing about its time.
 */
export async function verifySignature({ header, body, secret, now }: Given): Promise<Verdict> {
  const match = form.exec(header.trim().replace(/^x-service-signature:\s*/i, ''));
  if (!match) return { kind: 'malformed' };
  const [, timestamp = '', signatures = ''] = match;
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const signed = encoder.encode(`${timestamp}.${body}`);
  const given = signatures.split(',v1=').slice(1);
  const fits = await Promise.all(given.map((hex) => crypto.subtle.verify('HMAC', key, bytesOf(hex), signed)));
  if (!fits.includes(true)) return { kind: 'otherSecret' };
  const ageS = Math.round(now.getTime() / 1000) - Number(timestamp);
  return Math.abs(ageS) > toleranceS ? { kind: 'tooOld', ageS } : { kind: 'valid' };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
