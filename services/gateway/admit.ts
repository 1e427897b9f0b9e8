import { AppError } from '@app/kernel';
import { type Credential, type Credentials, credentialOf, type Known } from './credentials.ts';
import { originAllowed } from './origin.ts';
import type { Quota, RateLimit } from './rate-limit.ts';
import type { Route } from './routes.ts';

type Headers = {
  authorization?: string | undefined;
  cookie?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
};

export type Visitor = { method: string; headers: Headers; address: string };

/** `refusal`: why the request goes no further. `quota` is told to the client either way; null where nothing is counted. */
export type Admission = {
  credential: Credential | null;
  known: Known | null;
  quota: Quota | null;
  refusal: AppError | null;
};

export type AdmitDeps = { credentials: Credentials; rateLimit: RateLimit; ownOrigins: ReadonlySet<string> };

/**
 * Who calls, and whether they may go on: 401, 429, 403 for a foreign origin. A good credential has an allowance of its
 * own; without one the address has. Bad ones have a second allowance of the address, and once it is used nothing more can be
 * tried from there but what was good lately: tokens can't be guessed at speed, and who is only anonymous locks nobody out.
 * Rejects where identity does not answer.
 */
export async function admit(deps: AdmitDeps, route: Route, visitor: Visitor): Promise<Admission> {
  const { credentials, rateLimit } = deps;
  const byAddress = `address ${visitor.address}`;
  if (route.unlimited) return { credential: null, known: null, quota: null, refusal: null };
  if (route.public || route.host === 'download') return limited(rateLimit.take(byAddress), null);

  const credential = credentialOf(route.host, visitor.headers);
  if (!credential) return limited(rateLimit.take(byAddress), unauthorized('credentials are missing'));
  const key = credentials.keyOf(credential);
  const byGuesses = `guesses ${visitor.address}`;
  const guesses = rateLimit.look(byGuesses);
  if (!guesses.allowed && !credentials.remembers(credential, key)) return limited(guesses, null);
  const answer = credentials.resolve(credential, key);
  // Not awaited where it is known at once: the usual case, several thousand times a second.
  const known = answer instanceof Promise ? await answer : answer;
  if (!known) return limited(rateLimit.take(byGuesses), unauthorized('these credentials are not valid'));

  const refusal = credential.kind === 'cookie' && !fromOwnOrigin(visitor, deps.ownOrigins) ? originForbidden() : null;
  return { ...limited(rateLimit.take(`credential ${key}`), refusal), credential, known };
}

function limited(quota: Quota, otherwise: AppError | null): Admission {
  return { credential: null, known: null, quota, refusal: quota.allowed ? otherwise : rateLimited(quota) };
}

export function rateLimited({ limit, retryAfterS }: Quota): AppError {
  return new AppError('too_many', 'rate_limited', `more than ${limit} requests a minute; wait ${retryAfterS} s`);
}

function fromOwnOrigin({ method, headers }: Visitor, ownOrigins: ReadonlySet<string>): boolean {
  const fetchSite = headers['sec-fetch-site'];
  return originAllowed({ method, origin: headers.origin, fetchSite: fetchSite?.toString() }, ownOrigins);
}

function unauthorized(message: string): AppError {
  return new AppError('unauthenticated', 'unauthorized', message);
}

function originForbidden(): AppError {
  return new AppError(
    'forbidden',
    'origin_forbidden',
    'this request was made from another site with the session cookie',
  );
}
