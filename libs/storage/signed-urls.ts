import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';
import type { NamedKey } from '@app/runtime';

/** What a link gives access to. `type` is the `Content-Type` it is served with. */
export type LinkedFile = { key: string; name: string; type: string };

export type UrlSigner = {
  /** An address that gives this one file to whoever holds it, for `ttlMs` (default 15 minutes: design section 6). */
  sign(file: LinkedFile, ttlMs?: number): { url: string; expiresAt: Date };
  /** The file of a link's token. Throws `not_found` for a token that no key signed, that was altered, or that is past. */
  open(token: string): LinkedFile;
};

type LinksOptions = {
  /** The first signs, all verify: a new key comes first, the old one stays 15 minutes longer. */
  keys: NamedKey[];
  /** `PUBLIC_DOWNLOAD_URL`. */
  baseUrl: string;
  now?: () => Date;
};

/** Short names: the address must stay short. `e` is the expiry in milliseconds. */
type Payload = { k: string; n: string; t: string; e: number };

const defaultTtlMs = 15 * 60_000;
/** A name of 255 characters, each of 3 bytes in UTF-8, comes to 1.2 KB. */
const maxTokenLength = 4096;

/**
 * Download links (design section 9). Key, name, type and expiry stand under one HMAC-SHA256, so any service that has the
 * keys may issue one, and the one that serves it looks nothing up.
 * The token is `key id.payload.signature`, the last two in base64url.
 */
export function createUrlSigner({ keys, baseUrl, now = () => new Date() }: LinksOptions): UrlSigner {
  const [signing] = keys;
  if (!signing) throw new Error('download links need at least one key');
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');

  return {
    sign({ key, name, type }, ttlMs = defaultTtlMs) {
      const expiresAt = new Date(now().getTime() + ttlMs);
      const payload: Payload = { k: key, n: name, t: type, e: expiresAt.getTime() };
      const signed = `${signing.id}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
      return { url: `${base}/files/${signed}.${signatureOf(signed, signing)}`, expiresAt };
    },
    open(token) {
      const payload = verified(token, keys);
      if (!payload || payload.e <= now().getTime()) {
        throw new AppError('not_found', 'file_not_found', 'this link is not valid, or no longer');
      }
      return { key: payload.k, name: payload.n, type: payload.t };
    },
  };
}

function verified(token: string, keys: NamedKey[]): Payload | null {
  // The id of a key may hold dots, payload and signature can't.
  const match = /^(([\w.-]{1,64})\.([\w-]+))\.([\w-]{43})$/.exec(token.slice(0, maxTokenLength + 1));
  if (!match || token.length > maxTokenLength) return null;
  const [, signed, id, payload, signature] = match as unknown as [string, string, string, string, string];
  const key = keys.find((candidate) => candidate.id === id);
  if (!key || !timingSafeEqual(Buffer.from(signatureOf(signed, key)), Buffer.from(signature))) return null;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Payload;
}

function signatureOf(signed: string, { secret }: NamedKey): string {
  // Named after its purpose: a key that signs something else by mistake makes no links.
  return createHmac('sha256', secret).update(`download-link.v1.${signed}`).digest('base64url');
}
