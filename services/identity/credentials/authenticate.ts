import type { Principal } from '@app/contracts';
import type { CompanyStore } from '../companies/company-store.ts';
import { sameSecret } from '../random-secret.ts';
import { callerOf } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { AgendaFeedStore } from '../tokens/agenda-feed-store.ts';
import { isWellFormed, looksLikeApiToken } from '../tokens/api-token.ts';
import type { ApiTokenStore } from '../tokens/api-token-store.ts';
import type { UserStore } from '../users/user-store.ts';

/** What a client sent, and to which host. `feed`: in the address of an agenda, which the gateway takes it from for that route alone. */
export type Credential = { kind: 'bearer' | 'cookie' | 'feed'; value: string; host: 'ticket' | 'ts' };

/** `expiresAt` is an ISO date; null for a credential that is valid until it is deleted. */
export type AuthenticatedPrincipal = { principal: Principal; expiresAt: string | null };

export type AuthenticateDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  apiTokens: ApiTokenStore;
  agendaFeeds: Pick<AgendaFeedStore, 'bySecret'>;
  /** The current token and, while it is still in use, the one before. */
  platformAdminTokens: readonly string[];
  now: () => Date;
};

/**
 * Who a credential belongs to; null if it is invalid. The cookie and the platform's token are valid on the second API alone, API
 * tokens on the ticket API alone, a session's token on both.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  { kind, value, host }: Credential,
): Promise<AuthenticatedPrincipal | null> {
  if (kind === 'feed') return byFeed(deps, value);
  if (kind === 'cookie') return host === 'ts' ? bySession(deps, value) : null;
  if (host === 'ticket') return looksLikeApiToken(value) ? byApiToken(deps, value) : bySession(deps, value);
  if (deps.platformAdminTokens.some((token) => sameSecret(value, token)))
    return { principal: { kind: 'platform' }, expiresAt: null };
  return bySession(deps, value);
}

async function bySession(deps: AuthenticateDeps, token: string): Promise<AuthenticatedPrincipal | null> {
  const session = await deps.sessions.find(token, deps.now());
  const owner = session && (await findOwner(deps, session));
  if (!owner) return null;
  const caller = callerOf(owner.user, owner.company, 'session');
  return { principal: { kind: 'caller', caller }, expiresAt: session.expires_at.toISOString() };
}

async function byFeed(deps: AuthenticateDeps, secret: string): Promise<AuthenticatedPrincipal | null> {
  const feed = await deps.agendaFeeds.bySecret(secret);
  const owner = feed && (await findOwner(deps, feed));
  const caller = owner && callerOf(owner.user, owner.company, 'session');
  return caller && { principal: { kind: 'caller', caller }, expiresAt: null };
}

async function byApiToken(deps: AuthenticateDeps, secret: string): Promise<AuthenticatedPrincipal | null> {
  const apiToken = isWellFormed(secret) ? await deps.apiTokens.use(secret, deps.now()) : null;
  const owner = apiToken && (await findOwner(deps, apiToken));
  if (!owner) return null;
  // A token has at most the permissions of the user whom it acts for: creating one must not extend
  // them.
  const caller = { ...callerOf(owner.user, owner.company, 'token'), apiTokenId: apiToken.id };
  const limited = apiToken.scopes === null ? caller : { ...caller, scopes: apiToken.scopes };
  return { principal: { kind: 'caller', caller: limited }, expiresAt: apiToken.expires_at };
}

export type OwnerDeps = { users: Pick<UserStore, 'find'>; companies: Pick<CompanyStore, 'find'> };

/** Null if the user is not active, or the company closed. */
export async function findOwner({ users, companies }: OwnerDeps, made: { user_id: string; company_id: string }) {
  const [user, company] = await Promise.all([users.find(made.user_id), companies.find(made.company_id)]);
  return user?.active && company?.closed_at === null ? { user, company } : null;
}
