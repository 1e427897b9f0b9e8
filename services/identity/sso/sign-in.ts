import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { CompanyStore } from '../companies/company-store.ts';
import { type LoginOrigin, startSession } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { createUser, maxUsersOfCompany, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import {
  type ProvenIdentity,
  type ProviderClaims,
  provenIdentity,
  type Refusal,
  type SsoSettings,
} from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

export type SignInDeps = {
  users: Pick<UserStore, 'add' | 'count' | 'find' | 'findForLogin'>;
  companies: Pick<CompanyStore, 'find'>;
  sessions: Pick<SessionStore, 'add' | 'end'>;
  ssoSettings: Pick<SsoSettingsStore, 'find'>;
  logger: Logger;
  now: () => Date;
};

type Reason = Refusal | 'of_another_company' | 'inactive' | 'user_limit' | 'changed_meanwhile';
export type SignInOutcome = { kind: 'accepted'; token: string } | { kind: 'refused'; reason: Reason };

/**
 * Signs in the user of the company whom its provider vouches for, and makes the user at the first time. A provider speaks for the users
 * of its company alone, whatever addresses it claims.
 */
export async function signIn(
  deps: SignInDeps,
  settings: SsoSettings,
  { claims, origin }: { claims: ProviderClaims; origin: LoginOrigin },
): Promise<SignInOutcome> {
  const { users, companies, sessions, ssoSettings, now } = deps;
  const identity = provenIdentity(claims, settings);
  if (typeof identity === 'string') return refused(identity);
  const user = await userOf(deps, settings, identity);
  if (user === null) return refused('user_limit');
  if (user.company_id !== settings.company_id) return refused('of_another_company');
  if (!user.active) return refused('inactive');
  if (!(await companies.find(user.company_id))) return refused('inactive');
  const session = startSession(user, origin, now());
  const token = await sessions.add(session);
  // Whoever deactivated the user or took the provider away meanwhile has ended the sessions of before; this one came too late for that.
  const [current, valid] = await Promise.all([users.find(user.id), ssoSettings.find(user.company_id)]);
  if (!current?.active || valid?.version !== settings.version) {
    await sessions.end(session.id, user.id);
    return refused('changed_meanwhile');
  }
  return { kind: 'accepted', token };
}

function refused(reason: Reason): SignInOutcome {
  return { kind: 'refused', reason };
}

/** Null if the company may have no more. */
async function userOf(
  { users, logger, now }: SignInDeps,
  { company_id, default_permissions }: SsoSettings,
  { email, first_name, last_name }: ProvenIdentity,
): Promise<User | null> {
  const known = await users.findForLogin(email);
  if (known) return known.user;
  if ((await users.count(company_id, maxUsersOfCompany)) >= maxUsersOfCompany) return null;
  const created = createUser({ company_id, email, first_name, last_name, permissions: default_permissions }, now());
  try {
    const { user } = await users.add({ ...created, passwordHash: null });
    logger.info('user made at first sign-in', { userId: user.id, companyId: company_id });
    return user;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'email_taken')) throw error;
    // By another first sign-in at the same time, or an invitation.
    return (await users.findForLogin(email))?.user ?? null;
  }
}
