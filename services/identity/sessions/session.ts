import type { Caller } from '@app/contracts';
import { newId } from '@app/kernel';
import { type Company, companySnapshot } from '../companies/company.ts';
import type { User } from '../users/user.ts';

/** A session lasts from a login until it expires or is ended. */
export type Session = {
  id: string;
  user_id: string;
  company_id: string;
  created_at: Date;
  expires_at: Date;
  /** The last request, to a minute. */
  used_at: Date;
  address: string | null;
  user_agent: string | null;
};

/** Where a login came from. */
export type LoginOrigin = { address: string; userAgent: string | null };

export const sessionLifetimeMs = 12 * 3_600_000;
/** A session without requests for this long has ended. */
export const sessionIdleMs = 2 * 3_600_000;

/** When a session ends unless it is used. */
export function endOf({ expires_at, used_at }: Pick<Session, 'expires_at' | 'used_at'>): Date {
  return new Date(Math.min(expires_at.getTime(), used_at.getTime() + sessionIdleMs));
}

const maxUserAgentLength = 300;

export function startSession(
  { id, company_id }: Pick<User, 'id' | 'company_id'>,
  { address, userAgent }: LoginOrigin,
  at: Date,
): Session {
  // Whole seconds, as in the JWT, so that token and record expire together.
  const expiresAt = Math.floor((at.getTime() + sessionLifetimeMs) / 1000) * 1000;
  return {
    id: newId(at),
    user_id: id,
    company_id,
    created_at: at,
    expires_at: new Date(expiresAt),
    used_at: at,
    address,
    user_agent: userAgent?.slice(0, maxUserAgentLength) ?? null,
  };
}

/** The body of login and session responses, without the token. */
export function sessionResponse({ id, email, first_name, last_name, phone, ...rights }: User, company: Company) {
  const { permissions, place_ids = [] } = rights;
  const user = { id, email, first_name, last_name, phone };
  return { user, company: companySnapshot(company), permissions, place_ids };
}

/** What internal tokens say about the user who calls. */
export function callerOf(user: User, company: Company, via: Caller['via']): Caller {
  const { place_ids: placeIds = [] } = user;
  return {
    companyId: company.id,
    companyName: company.name,
    companyKind: company.kind,
    userId: user.id,
    firstName: user.first_name,
    lastName: user.last_name,
    email: user.email,
    permissions: user.permissions,
    via,
    ...(placeIds.length === 0 ? {} : { placeIds }),
  };
}
