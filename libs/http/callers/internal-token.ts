import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type Principal, principalSchema } from '@app/contracts';
import { AppError } from '@app/kernel';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

const issuer = 'gateway';
const algorithm = 'EdDSA';
/**
 * Longer than the longest request: the gateway reuses a token for 30 s, an upload may take 5 minutes, and after it the service
 * still calls others with the token.
 */
const defaultLifetimeSeconds = 6 * 60;

/** @throws AppError unauthenticated `unauthorized` */
export type VerifyToken = (token: string) => Promise<Principal>;

type VerifierOptions = {
  /** The service that verifies: tokens for others are refused. */
  audience: string | string[];
  now?: () => number;
  /** How many verified tokens are cached, 10,000. */
  cacheSize?: number;
};

/**
 * Signs internal tokens for the services of `audience`. `key` is `kid:base64url(PKCS#8 DER)` of an Ed25519 key, which only the gateway holds. A token lives
 * `lifetimeSeconds` and may be reused until then: the request id has a header of its own, so that one signature serves the
 * requests of a caller for a few seconds.
 */
export function internalTokenSigner(
  key: string,
  lifetimeSeconds = defaultLifetimeSeconds,
): (principal: Principal, audience: string[]) => Promise<string> {
  const [kid, encoded] = splitKey(key);
  const privateKey = createPrivateKey({ key: Buffer.from(encoded, 'base64url'), format: 'der', type: 'pkcs8' });
  return (principal, audience) =>
    new SignJWT({ principal })
      .setProtectedHeader({ alg: algorithm, kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(privateKey);
}

/**
 * Verifies internal tokens with the public keys `kid:base64url(SPKI DER),…`.
 * Verified tokens are cached until they expire, so that each costs one verification.
 */
export function internalTokenVerifier(keys: string, options: VerifierOptions): VerifyToken {
  const { audience, now = Date.now, cacheSize = 10_000 } = options;
  const publicKeys = new Map(keys.split(',').map((entry) => publicKey(entry)));
  const verified = new LRUCache<string, { principal: Principal; expiresAt: number }>({ max: cacheSize });

  return async (token) => {
    const cached = verified.get(token);
    if (cached && cached.expiresAt > now()) return cached.principal;
    const { principal, expiresAt } = await verify(token, publicKeys, { audience, currentDate: new Date(now()) });
    verified.set(token, { principal, expiresAt });
    return principal;
  };
}

type Expected = { audience: string | string[]; currentDate: Date };

async function verify(token: string, publicKeys: Map<string, KeyObject>, expected: Expected) {
  try {
    const key = publicKeys.get(String(decodeProtectedHeader(token).kid));
    if (!key) throw new Error('unknown key');
    const claims = { issuer, algorithms: [algorithm], requiredClaims: ['exp'], ...expected };
    const { payload } = await jwtVerify(token, key, claims);
    const { value, error } = principalSchema.required().validate(payload['principal']);
    if (error) throw error;
    return { principal: value as Principal, expiresAt: Number(payload.exp) * 1000 };
  } catch (cause) {
    throw new AppError(
      'unauthenticated',
      'unauthorized',
      'the internal token is missing, expired, for another service or not signed by the gateway',
      { cause },
    );
  }
}

function publicKey(entry: string): [string, KeyObject] {
  const [kid, encoded] = splitKey(entry);
  return [kid, createPublicKey({ key: Buffer.from(encoded, 'base64url'), format: 'der', type: 'spki' })];
}

function splitKey(entry: string): [string, string] {
  const at = entry.indexOf(':');
  return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}

/** The internal token that came with a request, to be forwarded with calls made on the caller's behalf; '' without one. */
export function bearerToken({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}
