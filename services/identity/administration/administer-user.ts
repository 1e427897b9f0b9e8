import { type AuditSource, auditChanges } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { type AuditEntry, auditEntry } from '../audit/audit-entry.ts';
import type { AuditedWriteDeps } from '../audit/audited-write.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { AgendaFeedStore } from '../tokens/agenda-feed-store.ts';
import type { ApiTokenStore } from '../tokens/api-token-store.ts';
import { changeUser, isActiveAdmin, type User, type UserChange, userNotFound } from '../users/user.ts';
import { auditedUser } from '../users/user-routes.ts';
import type { UserStore } from '../users/user-store.ts';
import type { PasswordLinkStore } from './password-link-store.ts';

export type AdministrationDeps = AuditedWriteDeps & {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  apiTokens: ApiTokenStore;
  agendaFeeds: Pick<AgendaFeedStore, 'remove'>;
  passwordLinks: PasswordLinkStore;
  logger: Logger;
  now: () => Date;
};

/** `by`: the admin of the company who acts; null for the platform's administrator. */
type Request = {
  userId: string;
  by: { userId: string; companyId: string } | null;
  source: AuditSource;
  change: UserChange;
};
type Options = { takeOverApiTokens?: boolean };

/**
 * Changes a user. Deactivating ends sessions, password link and API tokens; the admin may take the
 * tokens over. Reactivating ends those that were made meanwhile.
 * @throws AppError not_found `user_not_found`, conflict `last_admin`, `user_erased`; ValidationError at `place_ids`,
 * `take_over_api_tokens`
 */
export async function administerUser(
  deps: AdministrationDeps,
  { userId, by, source, change }: Request,
  { takeOverApiTokens = false }: Options = {},
): Promise<User> {
  const { users, auditLog, transaction, now, logger } = deps;
  const heir = takeOverApiTokens && by?.userId !== userId ? (by?.userId ?? null) : null;
  const changed = await users.change(userId, async (user, session) => {
    if (by && user.company_id !== by.companyId) throw userNotFound();
    if (heir !== null) refuseUnlimitedTokens(user);
    const result = changeUser(user, change, now());
    if (!result) return null;
    if (isActiveAdmin(user) && !isActiveAdmin(result.user)) await keepAnAdmin(deps, user, { session });
    await auditLog.add([changeEntry(user, result.user, { source, change, at: now() })], { session });
    // On reactivation, too: the gateway caches a credential for some seconds, so sessions and
    // tokens may have been made after the deactivation. They must not become valid.
    if (user.active !== result.user.active) await revokeAccess(deps, { user, heir, source }, { session });
    return result;
  });
  if (!changed) throw userNotFound();
  // Again, for sessions and tokens that were created while the transaction ran: it did not see
  // them.
  if (!changed.active) await transaction((session) => revokeAccess(deps, { user: changed, heir, source }, { session }));
  const changes = Object.keys(change);
  logger.info('user changed', {
    changedUserId: userId,
    companyId: changed.company_id,
    by: by?.userId ?? null,
    changes,
  });
  return changed;
}

/** The heir is an admin, who sees every place: whatever holds such a token would see more than before. */
function refuseUnlimitedTokens({ place_ids = [] }: User): void {
  if (place_ids.length === 0) return;
  const message = 'take_over_api_tokens is not for a user limited to places: the tokens would see every place';
  throw new ValidationError([{ path: 'take_over_api_tokens', message }]);
}

type Changed = { source: AuditSource; change: UserChange; at: Date };

function changeEntry(user: User, next: User, { source, change, at }: Changed): AuditEntry {
  const activity = next.active ? 'user.reactivated' : 'user.deactivated';
  const action = user.active === next.active ? 'user.changed' : activity;
  const changes = auditChanges(user, next, {
    names: Object.keys(change),
    shown: ['permissions', 'active', 'place_ids'],
  });
  return auditEntry({ ...auditedUser(user, action), ...source, changes }, at);
}

/**
 * Refuses to remove the last admin. Call it in the transaction that takes an admin from the
 * company.
 * @throws AppError conflict `last_admin`
 */
export async function keepAnAdmin({ users, companies }: AdministrationDeps, user: User, within: Required<Within>) {
  await companies.lockUsers(user.company_id, within);
  if (await users.hasOtherAdmin(user.company_id, user.id, within.session)) return;
  throw new AppError('conflict', 'last_admin', 'a company needs an active admin: make somebody else admin first');
}

type Revoked = { user: Pick<User, 'id' | 'company_id'>; heir: string | null; source: AuditSource };

export async function revokeAccess(
  deps: AdministrationDeps,
  revoked: Revoked,
  within: Required<Within>,
): Promise<void> {
  const { sessions, apiTokens, agendaFeeds, passwordLinks, auditLog } = deps;
  const { user, heir } = revoked;
  await sessions.endAll(user.id, within);
  await passwordLinks.removeOf(user.id, within);
  await agendaFeeds.remove(user.id, within);
  await auditLog.add(await tokenEntries(deps, revoked, within), within);
  if (heir === null) await apiTokens.removeOf(user, within);
  else await apiTokens.transfer(user, heir, within);
}

/** The audit entries of the API tokens that are removed or handed over. */
export async function tokenEntries(
  { apiTokens, now }: { apiTokens: Pick<ApiTokenStore, 'listOf'>; now: () => Date },
  { user, heir, source }: Revoked,
  within: Within,
): Promise<AuditEntry[]> {
  const action = heir === null ? 'api_token.revoked' : 'api_token.taken_over';
  const changes = heir === null ? [] : [{ field: 'user_id', before: user.id, after: heir }];
  return (await apiTokens.listOf(user, within)).map(({ id, name }) => {
    const target = { kind: 'api_token', id, name };
    return auditEntry({ companyId: user.company_id, action, ...source, target, changes }, now());
  });
}
