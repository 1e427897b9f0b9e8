import { hash } from 'node:crypto';
import type { Principal } from '@app/contracts';

export type Credential = { kind: 'bearer' | 'cookie'; value: string; host: 'ticket' | 'ts' };

/** Whom a credential stands for; `expiresAt` is null where it lasts until it is deleted. */
export type Recognised = { principal: Principal; expiresAt: Date | null };

/** A credential that is good: `key` names it without giving it away, `token` is what the services take instead; `companyId` is for the log. */
export type Known = { key: string; token: string; companyId: string | null };

export type Credentials = {
  /** The name under which a credential is remembered and counted: the same on both hosts. */
  keyOf(credential: Credential): string;
  /** True while asking again is no guess: it was good lately, or was just found to be bad. */
  remembers(credential: Credential, key: string): boolean;
  /** Null for one that stands for nobody. Rejects with what `recognise` rejects with. */
  resolve(credential: Credential, key: string): Known | null | Promise<Known | null>;
};

type Options = {
  /** Asks identity. */
  recognise: (credential: Credential) => Promise<Recognised | null>;
  /** Signs an internal token, which must outlive the longest request by the time for which it is used again. */
  sign: (principal: Principal) => Promise<string>;
  now?: () => number;
  capacity?: number;
};

type Good = Known & { principal: string; signedAt: number; askAgainAt: number; goodUntil: number };

/** Counted from the question, since the answer is as old as that: a revoked token is dead within 5 s (design section 4). */
const goodMs = 4000;
/** From then on the next request asks again while it is still served, so that a busy caller never waits for it. */
const askAgainMs = 3000;
const badMs = 1000;
/** Services accept a token for 6 min; a young one serves again, so that they need not verify a new one every 4 s. */
const tokenReuseMs = 30_000;

/**
 * What credentials stand for, asked of identity once and remembered for a moment: at most `capacity` good ones and as many
 * bad ones, apart, so that a flood of guesses drives no caller out. The least lately asked go first. One question at a
 * time for each credential: a thousand requests with a new token ask once.
 */
export function createCredentials({ recognise, sign, now = Date.now, capacity = 10_000 }: Options): Credentials {
  const good = new Map<string, Good>();
  const badUntil = new Map<string, number>();
  const asked = new Map<string, Promise<Known | null>>();

  function resolve(credential: Credential, key: string) {
    const name = nameOf(credential, key);
    const at = now();
    const known = good.get(name);
    if (known && at < known.goodUntil) {
      // Whoever comes after `goodUntil` hears of a failure here; this request has its answer.
      if (at >= known.askAgainAt) ask(credential, { name, key }).catch(() => undefined);
      return known;
    }
    return isBad(name, at) ? null : ask(credential, { name, key });
  }

  function isBad(name: string, at: number): boolean {
    return (badUntil.get(name) ?? 0) > at;
  }

  function ask(credential: Credential, names: { name: string; key: string }): Promise<Known | null> {
    const { name } = names;
    const running = asked.get(name);
    if (running) return running;
    const question = answered(credential, names).finally(() => asked.delete(name));
    asked.set(name, question);
    return question;
  }

  async function answered(credential: Credential, { name, key }: { name: string; key: string }): Promise<Known | null> {
    const at = now();
    const recognised = await recognise(credential);
    if (!recognised) {
      good.delete(name);
      put(badUntil, name, at + badMs);
      return null;
    }
    const { expiresAt } = recognised;
    const known = {
      key,
      companyId: recognised.principal.kind === 'caller' ? recognised.principal.caller.companyId : null,
      ...(await signed(recognised.principal, good.get(name))),
      askAgainAt: at + askAgainMs,
      goodUntil: Math.min(at + goodMs, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
    };
    put(good, name, known);
    return known;
  }

  async function signed(who: Principal, before: Good | undefined) {
    const principal = JSON.stringify(who);
    const at = now();
    if (before?.principal === principal && at - before.signedAt < tokenReuseMs) {
      return { principal, token: before.token, signedAt: before.signedAt };
    }
    return { principal, token: await sign(who), signedAt: at };
  }

  function put<T>(map: Map<string, T>, name: string, value: T): void {
    map.delete(name);
    if (map.size >= capacity) map.delete(map.keys().next().value as string);
    map.set(name, value);
  }

  return {
    keyOf: ({ value }) => hash('sha256', value, 'base64url'),
    remembers: (credential, key) => {
      const name = nameOf(credential, key);
      return good.has(name) || isBad(name, now());
    },
    resolve,
  };
}

/** A value may be good as one kind and on one host only (design section 4). */
function nameOf({ kind, host }: Credential, key: string): string {
  return `${kind} ${host} ${key}`;
}

type Headers = { authorization?: string | undefined; cookie?: string | undefined };

/**
 * What a request shows of who it is: the ticket API takes `Authorization: Bearer` alone, the second API also the cookie
 * `session`. A token goes before a cookie: it was put there on purpose.
 */
export function credentialOf(host: 'ticket' | 'ts', { authorization, cookie }: Headers): Credential | null {
  const bearer = authorization && /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer) return { kind: 'bearer', value: bearer, host };
  const session = host === 'ts' && cookie && /(?:^|;) *session="?([^\s;"]+)/.exec(cookie)?.[1];
  return session ? { kind: 'cookie', value: session, host } : null;
}
