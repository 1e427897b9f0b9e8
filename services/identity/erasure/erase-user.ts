import type { AuditSource } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import { type AdministrationDeps, keepAnAdmin, revokeAccess } from '../administration/administer-user.ts';
import { auditEntry } from '../audit/audit-entry.ts';
import type { AccountMailStore } from '../mail/account-mail-store.ts';
import type { InboundMailStore } from '../mail/inbound/inbound-mail-store.ts';
import type { NotificationStore } from '../notifications/notification-store.ts';
import type { SavedFilterStore } from '../saved-filters/saved-filter-store.ts';
import type { PreferencesStore } from '../users/preferences-store.ts';
import { isActiveAdmin, type User, userNotFound } from '../users/user.ts';
import { auditedUser } from '../users/user-routes.ts';
import { copiesErased, eraseUser } from './erasure.ts';

export type ErasureDeps = AdministrationDeps & {
  preferences: PreferencesStore;
  savedFilters: Pick<SavedFilterStore, 'removeOwn'>;
  notifications: Pick<NotificationStore, 'removeOf'>;
  mails: Pick<AccountMailStore, 'removeOf'>;
  inboundMails: Pick<InboundMailStore, 'removeOf'>;
};

/** The actor of erasures that an event asks for, long after the request that began them. */
const ourselves: AuditSource = {
  actor: { kind: 'unknown', user_id: null, credential: null, api_token_id: null },
  from: { address: null, user_agent: null },
};

/**
 * `by`: the admin of the company who acts; null for the platform's administrator, who may also erase the last admin.
 */
type Request = { userId: string; by: { userId: string; companyId: string } | null; source: AuditSource };

/**
 * Erases a person: here at once, in other services by their events.
 * @returns the user as it is then, also if it was erased before
 * @throws AppError not_found `user_not_found`, conflict `user_is_oneself`, `last_admin`
 */
export async function erasePerson(deps: ErasureDeps, { userId, by, source }: Request): Promise<User> {
  const { users, mails, auditLog, transaction, now, logger } = deps;
  if (by?.userId === userId) {
    throw new AppError('conflict', 'user_is_oneself', 'somebody else must erase you: another admin, or the platform');
  }
  const erased = await users.change(userId, async (user, session) => {
    if (by && user.company_id !== by.companyId) throw userNotFound();
    const result = eraseUser(user, now());
    if (result && by && isActiveAdmin(user)) await keepAnAdmin(deps, user, { session });
    if (!result) return null;
    await auditLog.add([auditEntry({ ...auditedUser(user, 'user.erased'), ...source }, now())], { session });
    await removeTraces(deps, { user, source }, { session });
    // One deletion is enough: e-mails requested later for this address find no user, and are not sent.
    await mails.removeOf(user, { session });
    return result;
  });
  if (!erased) throw userNotFound();
  // Again, for sessions and tokens that were created while the transaction ran: it did not see
  // them.
  await transaction((session) => removeTraces(deps, { user: erased, source }, { session }));
  logger.info('erasure of a person requested', { userId, companyId: erased.company_id, by: by?.userId ?? null });
  return erased;
}

/** Notes that a service keeps nothing of the person any more. The last one ends the erasure. */
export async function recordCopiesErased(deps: ErasureDeps, { userId, service }: { userId: string; service: string }) {
  const { users, transaction, now, logger } = deps;
  const user = await users.change(userId, async (found) => copiesErased(found, service, now()));
  if (!user?.erasure?.done_at) return;
  // By now every credential of the person has expired, so nothing can be added after this.
  await transaction((session) => removeTraces(deps, { user, source: ourselves }, { session }));
  logger.info('person erased everywhere', { userId, companyId: user.company_id });
}

/**
 * Erases a person again: this database was restored to a state before the erasure, and another service remembers it.
 */
export async function eraseAgain(deps: ErasureDeps, userId: string): Promise<void> {
  const user = await deps.users.find(userId);
  if (user && !user.erasure) await erasePerson(deps, { userId, by: null, source: ourselves });
}

type Traces = { user: User; source: AuditSource };

/** Removes all that this service keeps of a person besides the user. */
async function removeTraces(deps: ErasureDeps, { user, source }: Traces, within: Required<Within>): Promise<void> {
  await revokeAccess(deps, { user, heir: null, source }, within);
  await deps.preferences.remove(user.id, within);
  await deps.savedFilters.removeOwn(user.id, within);
  await deps.inboundMails.removeOf(user.id, within);
  await deps.notifications.removeOf(user, within);
}
