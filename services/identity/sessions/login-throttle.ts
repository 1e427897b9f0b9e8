import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** Failures are counted per account and per address over this time (design section 4). */
export const attemptWindowMs = 15 * 60_000;

/** What failures are counted by, and how many of them it may have within the time. */
export type AttemptKey = { key: string; limit: number };

const accountLimit = 10;
const addressLimit = 100;

/** The keys of one attempt. An unknown account counts alike, so that being refused tells nothing of who exists. */
export function attemptKeys({ email, address }: { email: string; address: string }): AttemptKey[] {
  // Hashed: people type passwords into the wrong field, and this is kept for a while.
  const account = createHash('sha256').update(email).digest('base64url');
  return [
    { key: `account:${account}`, limit: accountLimit },
    { key: `address:${addressBlock(address)}`, limit: addressLimit },
  ];
}

/** Seconds until another attempt is allowed, by the failures so far, oldest first; 0 while it is allowed now. */
export function lockedForS(failures: Date[], limit: number, at: Date): number {
  const since = at.getTime() - attemptWindowMs;
  const recent = failures.filter((failure) => failure.getTime() > since);
  // The newest `limit` of them lock; the lock ends when the oldest of those leaves the window.
  const decisive = recent.at(-limit);
  return decisive ? Math.max(1, Math.ceil((decisive.getTime() - since) / 1000)) : 0;
}

/** An IPv6 customer holds a /64 at least, all of whose addresses are one to us; an IPv4 address stands for itself. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.toLowerCase().split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
