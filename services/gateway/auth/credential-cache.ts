import { hash } from 'node:crypto';
import type { Principal } from '@app/contracts';
import { LRUCache } from 'lru-cache';
import type { ServiceName } from '../routing/routes.ts';

export type Credential = { kind: 'bearer' | 'cookie' | 'feed'; value: string; host: 'ticket' | 'ts' };

/** `expiresAt` is null for a credential that is valid until it is deleted. */
export type AuthenticatedPrincipal = { principal: Principal; expiresAt: Date | null };

/**
 * `key` identifies the credential without revealing it, `token` is what the service gets instead, null for a request that is not
 * forwarded; `companyId` is for the log.
 */
export type VerifiedCredential = { key: string; token: string | null; companyId: string | null };

type Resolved = VerifiedCredential | null;

type Options = {
  /** Asks identity; null for an invalid credential. */
  introspect: (credential: Credential) => Promise<AuthenticatedPrincipal | null>;
  /** Signs an internal token for a service. It must outlive the longest request by `tokenReuseMs`. */
  sign: (principal: Principal, service: ServiceName) => Promise<string>;
  /** Milliseconds of a clock that nobody sets. */
  now?: () => number;
  /** How many valid credentials are cached, and as many invalid ones. */
  capacity?: number;
};

/** By service, since a token is for one alone. */
type Tokens = Map<ServiceName, VerifiedCredential | Promise<VerifiedCredential>>;
type Entry = VerifiedCredential & {
  principal: Principal;
  tokens: Tokens;
  signedAt: number;
  refreshAt: number;
  validUntil: number;
};

/** From the moment of the request to identity, since its answer is that old: a revoked token is refused within 5 s. */
const validMs = 4000;
/** After this time a request refreshes the entry in the background, so that a busy caller never waits for identity. */
const refreshAfterMs = 3000;
const invalidMs = 1000;
/** Services accept a token for 6 min. A young one is used again, so that they do not verify a new one every 4 s. */
const tokenReuseMs = 30_000;

/**
 * Caches for a moment what identity says of credentials. Valid and invalid ones have caches of
 * their own, so that a flood of guesses evicts no caller. Requests with the same credential share
 * one call to identity.
 */
export class CredentialCache {
  readonly #introspect: Options['introspect'];
  readonly #sign: Options['sign'];
  readonly #now: () => number;
  readonly #valid: LRUCache<string, Entry>;
  readonly #invalidUntil: LRUCache<string, number>;
  readonly #pending = new Map<string, Promise<Entry | null>>();

  constructor({ introspect, sign, now = () => performance.now(), capacity = 10_000 }: Options) {
    this.#introspect = introspect;
    this.#sign = sign;
    this.#now = now;
    this.#valid = new LRUCache({ max: capacity });
    this.#invalidUntil = new LRUCache({ max: capacity });
  }

  /** The key under which a credential is cached and counted: the same on both hosts. */
  keyOf({ value }: Credential): string {
    return hash('sha256', value, 'base64url');
  }

  /** True if resolving it again is no guess: it was valid lately, or has just been found invalid. */
  isCached(credential: Credential, key: string): boolean {
    const name = nameOf(credential, key);
    return this.#valid.has(name) || this.#isInvalid(name, this.#now());
  }

  /** What identity said last of a valid credential, even if that is out of date; null if nothing is remembered. */
  last(credential: Credential, key: string): VerifiedCredential | null {
    return this.#valid.get(nameOf(credential, key)) ?? null;
  }

  /** With a token for the service. Null for an invalid credential. Rejects with what `introspect` rejects with. */
  resolve(credential: Credential, key: string, service: ServiceName): Resolved | Promise<Resolved> {
    const name = nameOf(credential, key);
    const at = this.#now();
    const entry = this.#valid.get(name);
    if (entry && at < entry.validUntil) {
      // A failed refresh is reported to the first request after `validUntil`; this one has its result.
      if (at >= entry.refreshAt) this.#ask(credential, { name, key }).catch(() => undefined);
      return this.#tokenFor(entry, service);
    }
    if (this.#isInvalid(name, at)) return null;
    return this.#ask(credential, { name, key }).then((found) => found && this.#tokenFor(found, service));
  }

  #isInvalid(name: string, at: number): boolean {
    return (this.#invalidUntil.get(name) ?? 0) > at;
  }

  #tokenFor({ key, companyId, principal, tokens }: Entry, service: ServiceName) {
    const known = tokens.get(service);
    if (known) return known;
    const signed = this.#sign(principal, service).then((token) => {
      const verified = { key, companyId, token };
      tokens.set(service, verified);
      return verified;
    });
    tokens.set(service, signed);
    signed.catch(() => tokens.delete(service));
    return signed;
  }

  #ask(credential: Credential, names: { name: string; key: string }): Promise<Entry | null> {
    const { name } = names;
    const running = this.#pending.get(name);
    if (running) return running;
    const question = this.#fetch(credential, names).finally(() => this.#pending.delete(name));
    this.#pending.set(name, question);
    return question;
  }

  async #fetch(credential: Credential, { name, key }: { name: string; key: string }): Promise<Entry | null> {
    const at = this.#now();
    const authenticated = await this.#introspect(credential);
    if (!authenticated) {
      this.#valid.delete(name);
      this.#invalidUntil.set(name, at + invalidMs);
      return null;
    }
    const { principal, expiresAt } = authenticated;
    const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime() - Date.now();
    const entry = {
      key,
      token: null,
      companyId: principal.kind === 'caller' ? principal.caller.companyId : null,
      principal,
      ...this.#tokensOf(principal, this.#valid.get(name)),
      refreshAt: at + refreshAfterMs,
      validUntil: at + Math.min(validMs, leftMs),
    };
    this.#valid.set(name, entry);
    return entry;
  }

  /** Those of before while they are young and say the same. */
  #tokensOf(principal: Principal, previous: Entry | undefined): Pick<Entry, 'tokens' | 'signedAt'> {
    const at = this.#now();
    const isYoung = previous !== undefined && at - previous.signedAt < tokenReuseMs;
    if (isYoung && JSON.stringify(previous.principal) === JSON.stringify(principal)) {
      return { tokens: previous.tokens, signedAt: previous.signedAt };
    }
    return { tokens: new Map(), signedAt: at };
  }
}

/** A value may be valid as one kind and on one host only. */
function nameOf({ kind, host }: Credential, key: string): string {
  return `${kind} ${host} ${key}`;
}

/** The secret at the end of the path of an agenda, `/agenda/feeds/….ics`. */
export function credentialInPath(path: string): Credential {
  const value = path.slice(path.lastIndexOf('/') + 1).replace(/\.ics$/, '');
  return { kind: 'feed', value, host: 'ts' };
}

export type Headers = {
  authorization?: string | undefined;
  cookie?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
  'user-agent'?: string | undefined;
};

/**
 * The credential of a request. The ticket API takes only `Authorization: Bearer`. The second API also takes the session's
 * cookie; a token takes precedence over it, since browsers send cookies by themselves.
 */
export function credentialOf(host: 'ticket' | 'ts', headers: Headers, secure: boolean): Credential | null {
  const bearer = headers.authorization && /^bearer +(\S+) *$/i.exec(headers.authorization)?.[1];
  if (bearer) return { kind: 'bearer', value: bearer, host };
  const cookie = host === 'ts' ? sessionCookieOf(headers, secure) : undefined;
  return cookie === undefined ? null : { kind: 'cookie', value: cookie, host };
}

/**
 * Over https a browser's session is `__Host-session` alone, which no other host of the domain can set: whoever plants
 * `session` would have the user work in their own session. Programs, which nobody plants cookies in, may send `session`.
 */
export function sessionCookieOf({ cookie = '', ...headers }: Headers, secure: boolean): string | undefined {
  const own = secure ? /(?:^|;) *__Host-session="?([^\s;"]+)/.exec(cookie)?.[1] : undefined;
  // Old ones, Safari before 16.4, have neither of a GET, but the name that every browser gives itself.
  const isNamedBrowser = headers['user-agent']?.startsWith('Mozilla/') === true;
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || isNamedBrowser;
  if (own !== undefined || (secure && isBrowser)) return own;
  return /(?:^|;) *session="?([^\s;"]+)/.exec(cookie)?.[1];
}
