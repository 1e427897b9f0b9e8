import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';
import type { NamedKey } from '@app/runtime';

/** The file of a link. `type` is the `Content-Type` that it is served with. */
export type LinkedFile = { key: string; name: string; type: string };

export type UrlSigner = ReturnType<typeof createUrlSigner>;

type LinksOptions = {
  /** The first signs, all verify. A replaced key must stay for 15 minutes. */
  keys: NamedKey[];
  /** `PUBLIC_DOWNLOAD_URL`. */
  baseUrl: string;
  now?: () => Date;
};

/** Key, name, type and expiry (milliseconds); short names, since they are part of the URL. */
type Payload = { k: string; n: string; t: string; e: number };

const defaultTtlMs = 15 * 60_000;
/** A name of 255 characters, each of 3 bytes in UTF-8, comes to 1.2 KB. */
const maxTokenLength = 4096;

/**
 * Signs download links. Key, name, type and expiry are signed by HMAC-SHA256, so that any service with the keys can issue links, and
 * serving them needs no lookup. A token is `key id.payload.signature`, the last two in base64url.
 * @throws Error without a key
 */
export function createUrlSigner({ keys, baseUrl, now = () => new Date() }: LinksOptions) {
  const [signing] = keys;
  if (!signing) throw new Error('download links need at least one key');
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');

  return {
    /** A URL that gives access to this file for `ttlMs`, 15 minutes by default. */
    sign({ key, name, type }: LinkedFile, ttlMs: number = defaultTtlMs): { url: string; expiresAt: Date } {
      const expiresAt = new Date(now().getTime() + ttlMs);
      const payload: Payload = { k: key, n: name, t: type, e: expiresAt.getTime() };
      const signed = `${signing.id}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
      return { url: `${base}/files/${signed}.${signatureOf(signed, signing)}`, expiresAt };
    },
    /** The file of a token. @throws AppError not_found if the token was altered, has expired, or its key is unknown */
    open(token: string): LinkedFile {
      const payload = verified(token, keys);
      if (!payload || payload.e <= now().getTime()) {
        throw new AppError('not_found', 'file_not_found', 'this link is not valid, or no longer');
      }
      return { key: payload.k, name: payload.n, type: payload.t };
    },
  };
}

function verified(token: string, keys: NamedKey[]): Payload | null {
  // A key id may contain dots, payload and signature cannot.
  const match = /^(([\w.-]{1,64})\.([\w-]+))\.([\w-]{43})$/.exec(token.slice(0, maxTokenLength + 1));
  if (!match || token.length > maxTokenLength) return null;
  const [, signed, id, payload, signature] = match as unknown as [string, string, string, string, string];
  const key = keys.find((candidate) => candidate.id === id);
  if (!key || !timingSafeEqual(Buffer.from(signatureOf(signed, key)), Buffer.from(signature))) return null;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Payload;
}

function signatureOf(signed: string, { secret }: NamedKey): string {
  // With its purpose, so that nothing else that is signed with the same key is a valid link.
  return createHmac('sha256', secret).update(`download-link.v1.${signed}`).digest('base64url');
}
