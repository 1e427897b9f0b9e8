import type { AuditAction, AuditSource } from '@app/contracts';
import type { Logger } from '@app/runtime';
import { type ProtectedWrite, type Within, writeOnce } from '@app/runtime/idempotency';
import { tokenEntries } from '../administration/administer-user.ts';
import type { PasswordLinkStore } from '../administration/password-link-store.ts';
import { auditEntry, entryOfWindow } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { AccountMailStore } from '../mail/account-mail-store.ts';
import { changeKeys } from '../sessions/login-throttle.ts';
import type { LoginThrottleStore } from '../sessions/login-throttle-store.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { AgendaFeedStore } from '../tokens/agenda-feed-store.ts';
import type { ApiTokenStore } from '../tokens/api-token-store.ts';
import type { PasswordHasher } from '../users/password.ts';
import type { UserStore } from '../users/user-store.ts';

export type ChangePasswordDeps = {
  users: Pick<UserStore, 'passwordHash' | 'replacePasswordHash'>;
  sessions: Pick<SessionStore, 'endOthers'>;
  passwordLinks: Pick<PasswordLinkStore, 'removeOf'>;
  mails: Pick<AccountMailStore, 'removeOf'>;
  throttle: LoginThrottleStore;
  apiTokens: Pick<ApiTokenStore, 'listOf' | 'removeOf'>;
  agendaFeeds: Pick<AgendaFeedStore, 'remove'>;
  auditLog: AuditLogStore;
  passwords: PasswordHasher;
  /** Runs work in a transaction of the database that both stores are in. */
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
  logger: Logger;
  now: () => Date;
};

type PasswordChange = {
  session: Pick<Session, 'id' | 'user_id' | 'company_id'>;
  /** The user's e-mail address. */
  email: string;
  /** The client's IP address. */
  address: string;
  source: AuditSource;
  currentPassword: string;
  newPassword: string;
  endApiTokens: boolean;
  write: ProtectedWrite | null;
};

/** `refused`: the current password is wrong. */
type PasswordOutcome = { kind: 'changed' } | { kind: 'refused' } | { kind: 'locked'; retryAfterS: number };

/**
 * Replaces the password of a user, and ends all other sessions of theirs and what sets the password by a link. Wrong guesses of the
 * current password are counted for the session.
 * @throws AppError overloaded `overloaded`
 */
export async function changePassword(deps: ChangePasswordDeps, change: PasswordChange): Promise<PasswordOutcome> {
  const { users, sessions, passwordLinks, mails, passwords, auditLog, transaction, now } = deps;
  const { session } = change;
  const outcome = await writeOnce<PasswordOutcome>(change.write, async (saveResult) => {
    const from = await verifiedHash(deps, change);
    if (typeof from !== 'string') return from;
    const to = await passwords.hash(change.newPassword);
    return transaction(async (clientSession) => {
      if (!(await users.replacePasswordHash({ id: session.user_id, from, to }, { session: clientSession })))
        return refused;
      await sessions.endOthers(session, { session: clientSession });
      await passwordLinks.removeOf(session.user_id, { session: clientSession });
      await mails.removeOf({ id: session.user_id, email: change.email, invited: false }, { session: clientSession });
      await auditLog.add([auditEntry(auditedChange(change, 'password.changed'), now())], { session: clientSession });
      if (change.endApiTokens) await endTokens(deps, change, { session: clientSession });
      await saveResult?.(changed, clientSession);
      return changed;
    });
  });
  const log = { userId: session.user_id, address: change.address };
  deps.logger.info(outcome.kind === 'changed' ? 'password changed' : 'password change refused', log);
  // A login that began before may have added its session while the transaction ran, which did not see it.
  if (outcome.kind === 'changed') await sessions.endOthers(session);
  if (outcome.kind === 'changed' && change.endApiTokens)
    await transaction((again) => endTokens(deps, change, { session: again }));
  return outcome;
}

const changed = { kind: 'changed' } as const;
const refused = { kind: 'refused' } as const;

/** Ends the API tokens that act for the user, and the address of their agenda: whoever knew the former password may have made one. */
async function endTokens(deps: ChangePasswordDeps, change: PasswordChange, within: Required<Within>) {
  const { session, source } = change;
  const user = { id: session.user_id, company_id: session.company_id };
  const hadFeed = await deps.agendaFeeds.remove(user.id, within);
  const ofFeed = hadFeed ? [auditEntry(auditedChange(change, 'agenda_feed.revoked'), deps.now())] : [];
  const ofTokens = await tokenEntries(deps, { user, heir: null, source }, within);
  await deps.auditLog.add([...ofFeed, ...ofTokens], within);
  await deps.apiTokens.removeOf(user, within);
}

/** The stored hash if the current password is right, or why not. */
async function verifiedHash(
  { users, throttle, passwords, auditLog, now }: ChangePasswordDeps,
  change: PasswordChange,
): Promise<string | PasswordOutcome> {
  const { session, currentPassword } = change;
  const keys = changeKeys(session.id);
  const before = await throttle.lockedForS(keys, now());
  if (before > 0) return { kind: 'locked', retryAfterS: before };
  const stored = await users.passwordHash(session.user_id);
  const matches = await passwords.verify(currentPassword, stored);
  if (!matches) await auditLog.add([entryOfWindow(auditedChange(change, 'password.refused'), now())]);
  const after = matches ? await throttle.lockedForS(keys, now()) : await throttle.recordFailure(keys, now());
  if (after > 0) return { kind: 'locked', retryAfterS: after };
  return matches && stored !== null ? stored : refused;
}

function auditedChange({ session, source }: PasswordChange, action: AuditAction) {
  const { user_id: id, company_id: companyId } = session;
  return { companyId, action, ...source, target: { kind: 'user', id, name: null } };
}
