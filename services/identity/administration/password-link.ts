import { createHash, randomBytes } from 'node:crypto';

/** Lets whoever has its token set the password of a user, once. Each user has at most one. */
export type PasswordLink = {
  user_id: string;
  /** Hash of the token. */
  hash: string;
  created_at: Date;
  expires_at: Date;
};

/** `token` is stored nowhere. */
export type CreatedLink = { link: PasswordLink; token: string };

const defaultLifetimeMs = 7 * 24 * 3_600_000;
const tokenBytes = 32;
const pattern = /^[\w-]{43}$/;

export function createPasswordLink(userId: string, at: Date, lifetimeMs = defaultLifetimeMs): CreatedLink {
  const token = randomBytes(tokenBytes).toString('base64url');
  const expires_at = new Date(at.getTime() + lifetimeMs);
  return { link: { user_id: userId, hash: hashOf(token), created_at: at, expires_at }, token };
}

export function isWellFormed(token: string): boolean {
  return pattern.test(token);
}

/** The token has 256 random bits, so a fast hash without salt is safe, and can be looked up. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** The token is in the fragment, which browsers send to no server. */
export function addressOf(token: string, publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, '')}/console/set-password#${token}`;
}
