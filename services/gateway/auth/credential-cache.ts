import { hash } from 'node:crypto';
import type { Principal } from '@app/contracts';
import { LRUCache } from 'lru-cache';

export type Credential = { kind: 'bearer' | 'cookie'; value: string; host: 'ticket' | 'ts' };

/** `expiresAt` is null for a credential that is valid until it is deleted. */
export type AuthenticatedPrincipal = { principal: Principal; expiresAt: Date | null };

/** `key` identifies the credential without revealing it, `token` is what services get instead, `companyId` is for the log. */
export type VerifiedCredential = { key: string; token: string; companyId: string | null };

export type CredentialCache = {
  /** The key under which a credential is cached and counted: the same on both hosts. */
  keyOf(credential: Credential): string;
  /** True if resolving it again is no guess: it was valid lately, or has just been found invalid. */
  isCached(credential: Credential, key: string): boolean;
  /** Null for an invalid credential. Rejects with what `introspect` rejects with. */
  resolve(credential: Credential, key: string): VerifiedCredential | null | Promise<VerifiedCredential | null>;
};

type Options = {
  /** Asks identity; null for an invalid credential. */
  introspect: (credential: Credential) => Promise<AuthenticatedPrincipal | null>;
  /** Signs an internal token. It must outlive the longest request by `tokenReuseMs`. */
  sign: (principal: Principal) => Promise<string>;
  now?: () => number;
  /** Of valid credentials, and as many invalid ones. */
  capacity?: number;
};

type Entry = VerifiedCredential & { principal: string; signedAt: number; refreshAt: number; validUntil: number };

/** From the moment of the request to identity, since its answer is that old: a revoked token is refused within 5 s. */
const validMs = 4000;
/** From then on a request refreshes the entry in the background, so that a busy caller never waits for identity. */
const refreshAfterMs = 3000;
const invalidMs = 1000;
/** Services accept a token for 6 min. A young one is used again, so that they do not verify a new one every 4 s. */
const tokenReuseMs = 30_000;

/**
 * Caches for a moment what identity says of credentials. Valid and invalid ones have caches of their own, so that a flood of
 * guesses evicts no caller. Requests with the same credential share one question to identity.
 */
export function createCredentialCache({
  introspect,
  sign,
  now = Date.now,
  capacity = 10_000,
}: Options): CredentialCache {
  const valid = new LRUCache<string, Entry>({ max: capacity });
  const invalidUntil = new LRUCache<string, number>({ max: capacity });
  const pending = new Map<string, Promise<VerifiedCredential | null>>();

  function resolve(credential: Credential, key: string) {
    const name = nameOf(credential, key);
    const at = now();
    const entry = valid.get(name);
    if (entry && at < entry.validUntil) {
      // A failed refresh is reported to the first request after `validUntil`; this one has its result.
      if (at >= entry.refreshAt) ask(credential, { name, key }).catch(() => undefined);
      return entry;
    }
    return isInvalid(name, at) ? null : ask(credential, { name, key });
  }

  function isInvalid(name: string, at: number): boolean {
    return (invalidUntil.get(name) ?? 0) > at;
  }

  function ask(credential: Credential, names: { name: string; key: string }): Promise<VerifiedCredential | null> {
    const { name } = names;
    const running = pending.get(name);
    if (running) return running;
    const question = fetchEntry(credential, names).finally(() => pending.delete(name));
    pending.set(name, question);
    return question;
  }

  async function fetchEntry(
    credential: Credential,
    { name, key }: { name: string; key: string },
  ): Promise<VerifiedCredential | null> {
    const at = now();
    const authenticated = await introspect(credential);
    if (!authenticated) {
      valid.delete(name);
      invalidUntil.set(name, at + invalidMs);
      return null;
    }
    const { principal, expiresAt } = authenticated;
    const entry = {
      key,
      companyId: principal.kind === 'caller' ? principal.caller.companyId : null,
      ...(await signed(principal, valid.get(name))),
      refreshAt: at + refreshAfterMs,
      validUntil: Math.min(at + validMs, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
    };
    valid.set(name, entry);
    return entry;
  }

  async function signed(who: Principal, previous: Entry | undefined) {
    const principal = JSON.stringify(who);
    const at = now();
    if (previous?.principal === principal && at - previous.signedAt < tokenReuseMs) {
      return { principal, token: previous.token, signedAt: previous.signedAt };
    }
    return { principal, token: await sign(who), signedAt: at };
  }

  return {
    keyOf: ({ value }) => hash('sha256', value, 'base64url'),
    isCached: (credential, key) => {
      const name = nameOf(credential, key);
      return valid.has(name) || isInvalid(name, now());
    },
    resolve,
  };
}

/** A value may be valid as one kind and on one host only. */
function nameOf({ kind, host }: Credential, key: string): string {
  return `${kind} ${host} ${key}`;
}

type Headers = { authorization?: string | undefined; cookie?: string | undefined };

/**
 * The credential of a request; null if it has none. The ticket API takes `Authorization: Bearer` alone, the second API also the
 * cookie `session`. A token takes precedence over a cookie, which browsers send unasked.
 */
export function credentialOf(host: 'ticket' | 'ts', { authorization, cookie }: Headers): Credential | null {
  const bearer = authorization && /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer) return { kind: 'bearer', value: bearer, host };
  const session = host === 'ts' && cookie && /(?:^|;) *session="?([^\s;"]+)/.exec(cookie)?.[1];
  return session ? { kind: 'cookie', value: session, host } : null;
}
