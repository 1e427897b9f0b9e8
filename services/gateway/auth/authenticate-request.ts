import type { Quota, RateLimit } from '@app/http';
import { AppError } from '@app/kernel';
import type { Route, ServiceName } from '../routing/routes.ts';
import {
  type Credential,
  type CredentialCache,
  credentialInPath,
  credentialOf,
  type Headers,
  type VerifiedCredential,
} from './credential-cache.ts';
import { originAllowed } from './origin.ts';

/** `path`: without the query. */
export type ClientInfo = { method: string; headers: Headers; address: string; path: string };

/**
 * `refusal`: why the request is not forwarded; `verified` may then be what identity said earlier.
 * `quota` is sent to the client either way; null if nothing was counted.
 */
export type AuthResult = {
  credential: Credential | null;
  verified: VerifiedCredential | null;
  quota: Quota | null;
  refusal: AppError | null;
};

export type AuthDeps = {
  credentials: CredentialCache;
  rateLimit: RateLimit;
  /** The limit of a company over all its credentials, of which it may have hundreds. */
  companyRateLimit: RateLimit;
  ownOrigins: ReadonlySet<string>;
  /** False only if the second API is served over plain http. */
  secureCookie: boolean;
};

/**
 * Authenticates a request and applies the rate limits. The refusals, in this order: 429, 401, 403
 * for a foreign origin. A valid credential has a quota of its own, within one of its company; a
 * request without one counts towards its address. Invalid credentials count towards a second quota
 * of the address. Once that is used up, only credentials that were valid lately are tried from
 * there, so tokens cannot be guessed at speed; requests without credentials do not use it, so they
 * lock nobody out.
 * Rejects if identity does not answer.
 */
export async function authenticateRequest(deps: AuthDeps, route: Route, client: ClientInfo): Promise<AuthResult> {
  const { rateLimit } = deps;
  const addressKey = `address ${client.address}`;
  if (route.unlimited) return { credential: null, verified: null, quota: null, refusal: null };
  if (route.pages) return limited(await rateLimit.consume(`pages ${client.address}`), null);
  if (route.public || route.host === 'download') return limited(await rateLimit.consume(addressKey), null);

  if (route.secretInPath) {
    const attempt = { client, credential: credentialInPath(client.path), service: route.service };
    const result = await authenticate(deps, attempt);
    return result.refusal?.kind === 'unauthenticated' ? { ...result, refusal: nothingHere() } : result;
  }
  const credential = credentialOf(route.host, client.headers, deps.secureCookie);
  if (!credential) return limited(await rateLimit.consume(addressKey), unauthorized('credentials are missing'));
  return authenticate(deps, { client, credential, service: route.service });
}

type Attempt = { client: ClientInfo; credential: Credential; service: ServiceName };

async function authenticate(deps: AuthDeps, { client, credential, service }: Attempt): Promise<AuthResult> {
  const { credentials, rateLimit } = deps;
  const key = credentials.keyOf(credential);
  const own = rateLimit.peek(`credential ${key}`);
  // Refused without asking identity: a flood must neither wait for it nor take the slots of others
  // meanwhile.
  if (!own.allowed) return { ...limited(own, null), verified: credentials.last(credential, key) };
  const failedAuthKey = `guesses ${client.address}`;
  const failures = rateLimit.peek(failedAuthKey);
  if (!failures.allowed && !credentials.isCached(credential, key)) return limited(failures, null);
  const result = credentials.resolve(credential, key, service);
  // Cached credentials, the usual case, come without a promise: an `await` would cost a turn of the event loop.
  const verified = result instanceof Promise ? await result : result;
  if (!verified)
    return limited(await rateLimit.consume(failedAuthKey), unauthorized('these credentials are not valid'));

  const refusal = credential.kind === 'cookie' && !fromOwnOrigin(client, deps.ownOrigins) ? originForbidden() : null;
  const consumed = rateLimit.consume(`credential ${key}`);
  const quota = consumed instanceof Promise ? await consumed : consumed;
  const counted = quota.allowed ? companyQuota(deps, verified) : null;
  const ofCompany = counted instanceof Promise ? await counted : counted;
  return { ...limited(ofCompany?.allowed === false ? ofCompany : quota, refusal), credential, verified };
}

/** The quota of the caller's company; null for the platform's administrator. */
function companyQuota({ companyRateLimit }: AuthDeps, { companyId }: VerifiedCredential) {
  return companyId === null ? null : companyRateLimit.consume(`company ${companyId}`);
}

function limited(quota: Quota, otherwise: AppError | null): AuthResult {
  return { credential: null, verified: null, quota, refusal: quota.allowed ? otherwise : rateLimited(quota) };
}

export function rateLimited({ limit, retryAfterS }: Quota): AppError {
  return new AppError('too_many', 'rate_limited', `more than ${limit} requests a minute; wait ${retryAfterS} s`);
}

function fromOwnOrigin({ method, headers }: ClientInfo, ownOrigins: ReadonlySet<string>): boolean {
  const fetchSite = headers['sec-fetch-site'];
  return originAllowed({ method, origin: headers.origin, fetchSite: fetchSite?.toString() }, ownOrigins);
}

function unauthorized(message: string): AppError {
  return new AppError('unauthenticated', 'unauthorized', message);
}

/** A program must not ask its user for a password. */
function nothingHere(): AppError {
  return new AppError('not_found', 'not_found', 'there is nothing at this address, or no longer');
}

function originForbidden(): AppError {
  return new AppError(
    'forbidden',
    'origin_forbidden',
    'this request was made from another site with the session cookie',
  );
}
