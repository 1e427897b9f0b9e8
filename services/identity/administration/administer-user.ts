import type { Within } from '@app/idempotency';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { CompanyStore } from '../companies/company-store.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { ApiTokenStore } from '../tokens/api-token-store.ts';
import { changeUser, isActiveAdmin, type User, type UserChange } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { PasswordLinkStore } from './password-link-store.ts';

export type AdministrationDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  apiTokens: ApiTokenStore;
  passwordLinks: PasswordLinkStore;
  logger: Logger;
  now: () => Date;
};

/** `by`: the admin of the company who asks, null for the platform's administrator. */
type Request = { userId: string; by: { userId: string; companyId: string } | null; change: UserChange };
type Options = { takeOverApiTokens?: boolean };

/**
 * Changes a user. Who is deactivated loses sessions, password link and API tokens; the admin may take the tokens over.
 * @throws AppError not_found `user_not_found`, conflict `last_admin`
 */
export async function administerUser(
  deps: AdministrationDeps,
  { userId, by, change }: Request,
  { takeOverApiTokens = false }: Options = {},
): Promise<User> {
  const { users, now, logger } = deps;
  const heir = takeOverApiTokens && by?.userId !== userId ? (by?.userId ?? null) : null;
  const changed = await users.change(userId, async (user, session) => {
    if (by && user.company_id !== by.companyId) throw userNotFound();
    const result = changeUser(user, change, now());
    if (!result) return null;
    if (isActiveAdmin(user) && !isActiveAdmin(result.user)) await keepAnAdmin(deps, user, { session });
    if (user.active && !result.user.active) await revokeAccess(deps, user, heir, { session });
    return result;
  });
  if (!changed) throw userNotFound();
  // What was being made while the transaction ran, which did not see it.
  if (!changed.active) await revokeAccess(deps, changed, heir);
  const changes = Object.keys(change);
  logger.info('user changed', {
    changedUserId: userId,
    companyId: changed.company_id,
    by: by?.userId ?? null,
    changes,
  });
  return changed;
}

/** To be called in the transaction that takes an admin from the company. @throws AppError conflict `last_admin` */
export async function keepAnAdmin({ users, companies }: AdministrationDeps, user: User, within: Required<Within>) {
  await companies.lockAdmins(user.company_id, within);
  if (await users.hasOtherAdmin(user.company_id, user.id, within.session)) return;
  throw new AppError('conflict', 'last_admin', 'a company needs an active admin: make somebody else admin first');
}

export async function revokeAccess(
  { sessions, apiTokens, passwordLinks }: AdministrationDeps,
  user: User,
  heir: string | null,
  within: Within = {},
): Promise<void> {
  await sessions.endAll(user.id, within);
  await passwordLinks.removeOf(user.id, within);
  if (heir === null) await apiTokens.removeOf(user, within);
  else await apiTokens.handOver(user, heir, within);
}

export function userNotFound(): AppError {
  return new AppError('not_found', 'user_not_found', 'there is no such user');
}
