import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const pattern = /^[\w-]{43}$/;

/** 256 random bits as text. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether this may be such a secret: saves the database query for anything else. */
export function isWellFormed(secret: unknown): secret is string {
  return typeof secret === 'string' && pattern.test(secret);
}

/** What is stored of a secret: with so many random bits a fast hash without salt is safe, and can be looked up. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time; hashed first, so that the time does not reveal the length either. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
