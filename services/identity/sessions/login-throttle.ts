import { createHash } from 'node:crypto';
import { addressBlock } from '@app/http';

/** Failed logins count for this long. */
export const throttleWindowMs = 15 * 60_000;

/** What failures are counted by, an account or an address, and how many are allowed within the window. */
export type ThrottleKey = { key: string; limit: number };

const accountLimit = 10;
const addressLimit = 100;
const resetAccountLimit = 3;
const resetAddressLimit = 20;

/** The keys of a login. Unknown accounts are throttled too, so that a refusal does not reveal which accounts exist. */
export function throttleKeys({ email, address }: { email: string; address: string }): ThrottleKey[] {
  return [
    { key: accountKey(email), limit: accountLimit },
    { key: `address:${addressBlock(address)}`, limit: addressLimit },
  ];
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

export function accountKey(email: string): string {
  return `account:${hashed(email)}`;
}

/** Hashed, since people type passwords into the wrong field, and keys are stored for a while. */
function hashed(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** Seconds until another login is allowed, from the failures so far, oldest first; 0 if it is allowed now. */
export function lockedForS(failures: Date[], limit: number, at: Date): number {
  const since = at.getTime() - throttleWindowMs;
  const recent = failures.filter((failure) => failure.getTime() > since);
  // The newest `limit` failures lock; the lock ends when the oldest of them leaves the window.
  const decisive = recent.at(-limit);
  return decisive ? Math.max(1, Math.ceil((decisive.getTime() - since) / 1000)) : 0;
}
