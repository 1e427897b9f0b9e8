import { crc32 } from 'node:zlib';
import type { Scope } from '@app/contracts';
import { newId } from '@app/kernel';
import { randomSecret } from '../random-secret.ts';

/** A token of the ticket API without its secret, of which only the hash is stored. */
export type ApiToken = {
  id: string;
  name: string;
  company_id: string;
  /** The user whom it acts for. */
  user_id: string;
  /** The user who made it; another one than `user_id` once it was taken over. */
  made_by: string;
  created_at: string;
  /** The beginning of the secret, by which people recognise it. */
  prefix: string;
  /** Null: whatever its user may. */
  scopes: Scope[] | null;
  /** ISO date; null: valid until it is deleted. */
  expires_at: string | null;
  /** The day of the last use, `2026-11-23`. */
  last_used_at: string | null;
};

export const apiTokenLimit = 100;

const prefix = 'fmt_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;
const pattern = /^fmt_[\w-]{43}[0-9A-Za-z]{6}$/;

const shownLength = 8;

type NewApiToken = {
  name: string;
  companyId: string;
  userId: string;
  scopes?: Scope[] | undefined;
  expires_at?: string | undefined;
};

/** `secret` is shown once, in the response to its creation. */
export function createApiToken(
  { name, companyId, userId, scopes, expires_at }: NewApiToken,
  at: Date,
): { apiToken: ApiToken; secret: string } {
  const random = randomSecret();
  const secret = `${prefix}${random}${checksum(random)}`;
  const apiToken = {
    id: newId(at),
    name,
    company_id: companyId,
    user_id: userId,
    made_by: userId,
    created_at: at.toISOString(),
    prefix: secret.slice(0, shownLength),
    scopes: scopes ?? null,
    expires_at: expires_at === undefined ? null : new Date(expires_at).toISOString(),
    last_used_at: null,
  };
  return { apiToken, secret };
}

/** Whether it has the prefix of API tokens, by which secret scanners find them. */
export function looksLikeApiToken(text: string): boolean {
  return text.startsWith(prefix);
}

/** Whether form and checksum are right: saves the database query for a mistyped token. */
export function isWellFormed(secret: string): boolean {
  if (!pattern.test(secret)) return false;
  return checksum(secret.slice(prefix.length, -checksumLength)) === secret.slice(-checksumLength);
}

/** CRC-32 in base 62, six characters: the scheme of GitHub's tokens. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
