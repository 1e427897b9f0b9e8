import { createHash } from 'node:crypto';
import { addressBlock } from '@app/http';
import { AppError } from '@app/kernel';

/** Failed logins count for this long. */
export const throttleWindowMs = 15 * 60_000;

/** What failures are counted by, an account or an address, and how many are allowed within the window. */
export type ThrottleKey = { key: string; limit: number };

const guessLimit = 10;
/** Of an account over all addresses, and of an address over all accounts. */
const overallLimit = 100;
const resetAccountLimit = 3;
const resetAddressLimit = 20;

type Attempt = { email: string; address: string; device: string | null };

/**
 * The keys of a login. Unknown accounts are throttled too, so that a refusal does not reveal which accounts exist. A
 * browser in which the user has logged in counts by itself, so that nobody can lock the user out of it.
 */
export function throttleKeys({ email, address, device }: Attempt): ThrottleKey[] {
  if (device !== null) return [{ key: `device:${device}`, limit: guessLimit }];
  const block = addressBlock(address);
  return [
    { key: `${accountKey(email)} ${block}`, limit: guessLimit },
    { key: accountKey(email), limit: overallLimit },
    { key: `address:${block}`, limit: overallLimit },
  ];
}

/** The key of a user who changes the password: only who has the session can use its guesses up. */
export function changeKeys(sessionId: string): ThrottleKey[] {
  return [{ key: `session:${sessionId}`, limit: guessLimit }];
}

/**
 * The keys that throttle requests for a new password, since each one sends an e-mail. Unknown accounts count too, as
 * for logins.
 */
export function resetKeys({ email, address }: { email: string; address: string }): ThrottleKey[] {
  return [
    { key: `reset-account:${hashed(email)}`, limit: resetAccountLimit },
    { key: `reset-address:${addressBlock(address)}`, limit: resetAddressLimit },
  ];
}

/** The keys that throttle invitations, as requests for a new password are: each one sends an e-mail to somebody. */
export function invitationKeys({ email, companyId }: { email: string; companyId: string }): ThrottleKey[] {
  return [
    { key: `invited-account:${hashed(email)}`, limit: resetAccountLimit },
    { key: `invited-by:${companyId}`, limit: resetAddressLimit },
  ];
}

export function accountKey(email: string): string {
  return `account:${hashed(email)}`;
}

/** Hashed, since people type passwords into the wrong field, and keys are stored for a while. */
function hashed(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

type Response = { setHeader(name: string, value: string): unknown };

/** The error of what is throttled; says when to come back. */
export function tooManyAttempts(res: Response, retryAfterS: number, message: string): AppError {
  res.setHeader('Retry-After', String(retryAfterS));
  return new AppError('too_many', 'too_many_attempts', message);
}

/** Seconds until another login is allowed, from the failures so far, oldest first; 0 if it is allowed now. */
export function lockedForS(failures: Date[], limit: number, at: Date): number {
  const since = at.getTime() - throttleWindowMs;
  const recent = failures.filter((failure) => failure.getTime() > since);
  // The newest `limit` failures lock; the lock ends when the oldest of them leaves the window.
  const decisive = recent.at(-limit);
  return decisive ? Math.max(1, Math.ceil((decisive.getTime() - since) / 1000)) : 0;
}
