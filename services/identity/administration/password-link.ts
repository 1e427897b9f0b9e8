import { hashOf, randomSecret } from '../random-secret.ts';

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

export function createPasswordLink(userId: string, at: Date, lifetimeMs = defaultLifetimeMs): CreatedLink {
  const token = randomSecret();
  const expires_at = new Date(at.getTime() + lifetimeMs);
  return { link: { user_id: userId, hash: hashOf(token), created_at: at, expires_at }, token };
}

/** The token is in the fragment, which browsers send to no server. */
export function addressOf(token: string, publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, '')}/console/set-password#${token}`;
}
