import { createHmac, timingSafeEqual } from 'node:crypto';

export const signatureHeader = 'x-service-signature';
export const deliveryHeader = 'x-service-delivery';

const defaultToleranceSeconds = 300;
const headerForm = 't=<unix seconds>,v1=<64 hexadecimal digits>';
/** Signatures read from one header: each costs a comparison, and any sender may write many. */
const maxSignatures = 10;
/** Ours have 49. */
const shortestSecret = 16;

/** Why a webhook was refused: `code` for programs, `message` for people. Never holds a secret or a signature. */
export class WebhookVerificationError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}

/**
 * The event of a request, if it is genuine and fresh; see index.d.ts and the README.
 * The signature is HMAC-SHA256 over `<t>.<raw body>`, compared in constant time.
 */
export function verifyWebhook(rawBody, headers, secret, options = {}) {
  const { toleranceSeconds = defaultToleranceSeconds, now = Date.now, replays } = options;
  const body = bytesOf(rawBody);
  const secrets = secretsOf(secret);
  const { time, timestamp, signatures } = readSignature(headerOf(headers, signatureHeader));
  // The signature first: who cannot sign is not told whether the time would have been right.
  const [signed] = secrets.map((one) => signedWith(one, { timestamp, body, signatures })).filter((one) => one !== null);
  if (signed === undefined) {
    throw fault(
      'signature_mismatch',
      'the signature does not match: check the secret of this endpoint, and that the body is the bytes as they came',
    );
  }
  const ageSeconds = Math.floor(now() / 1000) - time;
  // Not `>`: if the tolerance or the clock is no number, everything is refused, not accepted.
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    const direction = ageSeconds > 0 ? 'ago' : 'ahead';
    throw fault(
      'timestamp_stale',
      `signed ${Math.abs(ageSeconds)} s ${direction}, ${toleranceSeconds} s are allowed: replayed, or a clock is wrong`,
    );
  }
  const event = { ...parse(body), delivery: headerOf(headers, deliveryHeader) ?? null };
  if (replays && !replays.add(signed, { until: time + toleranceSeconds, now: now() / 1000 })) {
    throw fault('replayed', 'this very request was accepted before: an attempt of ours is signed anew');
  }
  return event;
}

/** Remembers what was accepted, by its signature, for as long as it would be fresh; see index.d.ts. */
export function createReplayMemory(limit = 100_000) {
  const remembered = new Map();
  return {
    add(signature, { until, now }) {
      if ((remembered.get(signature) ?? -Infinity) >= now) return false;
      for (const [old, its] of remembered) {
        if (its >= now && remembered.size < limit) break;
        remembered.delete(old);
      }
      remembered.set(signature, until);
      return true;
    },
  };
}

/** The signature by this secret, if it is among those given; else null. */
function signedWith(secret, { timestamp, body, signatures }) {
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  // All are compared, each to its end, so that the time this takes says nothing.
  const isGiven = signatures.map((signature) => timingSafeEqual(expected, signature)).includes(true);
  return isGiven ? expected.toString('hex') : null;
}

function bytesOf(rawBody) {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (rawBody instanceof Uint8Array) return rawBody;
  throw fault(
    'body_not_raw',
    'the raw body is needed, bytes or text: a body that was parsed and written again has other bytes',
  );
}

function secretsOf(secret) {
  const secrets = Array.isArray(secret) ? secret : [secret];
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.length >= shortestSecret)) {
    return secrets;
  }
  throw fault(
    'secret_missing',
    'the secret is missing or cut: it was shown once, when the endpoint was created (whsec_…), and is used whole',
  );
}

function headerOf(headers, name) {
  const value = typeof headers?.get === 'function' ? headers.get(name) : lookUp(headers, name);
  const one = Array.isArray(value) ? value.join(',') : value;
  return typeof one === 'string' && one !== '' ? one : undefined;
}

function lookUp(headers, name) {
  const entry = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return entry?.[1];
}

function readSignature(header) {
  if (header === undefined) throw fault('header_missing', 'the header X-Service-Signature is missing');
  if (header.length > 1024) throw malformed();
  const parts = header.split(',').map((part) => part.trim());
  const timestamps = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const signatures = parts
    .filter((part) => /^v1=[0-9a-f]{64}$/i.test(part))
    .slice(0, maxSignatures)
    .map((part) => Buffer.from(part.slice(3), 'hex'));
  const [timestamp] = timestamps;
  if (timestamps.length !== 1 || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0) throw malformed();
  return { timestamp, time: Number(timestamp), signatures };
}

function parse(body) {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof event?.event === 'string' && typeof event.created_at === 'string') return event;
  } catch {
    // No JSON: the same error as for JSON of another shape, below.
  }
  throw fault('body_unexpected', 'the signature is right, but the body is no event: {event, created_at, data}');
}

function malformed() {
  return fault('header_malformed', `the header X-Service-Signature does not read ${headerForm}`);
}

function fault(code, message) {
  return new WebhookVerificationError(code, message);
}
