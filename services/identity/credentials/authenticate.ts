import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '@app/contracts';
import { isWellFormed, looksLikeApiToken } from './api-token.ts';
import type { ApiTokenStore } from './api-token-store.ts';
import type { CompanyStore } from './company-store.ts';
import { callerOf } from './session.ts';
import type { SessionStore } from './session-store.ts';
import type { UserStore } from './user-store.ts';

/** What a client sent, and to which host. */
export type Credential = { kind: 'bearer' | 'cookie'; value: string; host: 'ticket' | 'ts' };

/** Whom it stands for; `expiresAt` is an ISO date, null where it lasts until it is deleted. */
export type Recognised = { principal: Principal; expiresAt: string | null };

export type RecogniseDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  apiTokens: ApiTokenStore;
  platformAdminToken: string;
  now: () => Date;
};

/**
 * Tells whom a credential stands for, null if nobody. Which kind is good on which host is design section 4: the cookie
 * and the platform's token on the second API alone, API tokens on the ticket API alone, a session's token on both.
 */
export async function recognise(deps: RecogniseDeps, { kind, value, host }: Credential): Promise<Recognised | null> {
  if (kind === 'cookie') return host === 'ts' ? bySession(deps, value) : null;
  if (host === 'ticket') return looksLikeApiToken(value) ? byApiToken(deps, value) : bySession(deps, value);
  if (sameSecret(value, deps.platformAdminToken)) return { principal: { kind: 'platform' }, expiresAt: null };
  return bySession(deps, value);
}

async function bySession(deps: RecogniseDeps, token: string): Promise<Recognised | null> {
  const session = await deps.sessions.find(token, deps.now());
  const maker = session && (await makerOf(deps, session));
  if (!maker) return null;
  const caller = callerOf(maker.user, maker.company, 'session');
  return { principal: { kind: 'caller', caller }, expiresAt: session.expires_at.toISOString() };
}

async function byApiToken(deps: RecogniseDeps, secret: string): Promise<Recognised | null> {
  const apiToken = isWellFormed(secret) ? await deps.apiTokens.findBySecret(secret) : null;
  const maker = apiToken && (await makerOf(deps, apiToken));
  if (!maker) return null;
  // A token can do what its maker can, and nothing else: making one must not give its maker a permission.
  const caller = callerOf(maker.user, maker.company, 'token');
  return { principal: { kind: 'caller', caller }, expiresAt: null };
}

async function makerOf({ users, companies }: RecogniseDeps, made: { user_id: string; company_id: string }) {
  const [user, company] = await Promise.all([users.find(made.user_id), companies.find(made.company_id)]);
  return user && company ? { user, company } : null;
}

/** In constant time; hashed first, so that the length tells nothing either. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
