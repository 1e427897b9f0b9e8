import type { AuditOrigin } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { PasswordLinkStore } from '../administration/password-link-store.ts';
import { auditEntry } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { AccountMailStore } from '../mail/account-mail-store.ts';
import { hashOf, isWellFormed } from '../random-secret.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { PasswordHasher } from '../users/password.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

export type SetPasswordDeps = {
  users: UserStore;
  companies: CompanyStore;
  auditLog: AuditLogStore;
  sessions: SessionStore;
  passwordLinks: PasswordLinkStore;
  mails: Pick<AccountMailStore, 'removeOf'>;
  passwords: PasswordHasher;
  /** Runs work in a transaction of the database that the stores are in. */
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
  logger: Logger;
  now: () => Date;
};

type PasswordByLink = { token: string; password: string; from: AuditOrigin };

/**
 * Sets the password of the user whom a link is for. The link is used up, e-mails that would bring another are
 * not sent any more, and all sessions of the user end.
 * @returns the user's id and the hash of the password
 * @throws AppError not_found `password_link_not_found`, conflict `email_taken`, overloaded `overloaded`
 */
export async function setPassword(deps: SetPasswordDeps, { token, password, from }: PasswordByLink) {
  const { users, companies, sessions, passwordLinks, mails, passwords, auditLog, transaction, logger, now } = deps;
  const hash = hashOf(token);
  const link = isWellFormed(token) ? await passwordLinks.find(hash, now()) : null;
  const user = link && (await users.find(link.user_id));
  if (!user?.active || (await companies.find(user.company_id))?.closed_at !== null) throw linkNotFound();
  const passwordHash = await passwords.hash(password);
  await transaction(async (session) => {
    if (!(await passwordLinks.use(hash, { session }))) throw linkNotFound();
    await users.setPasswordHash(user.id, passwordHash, { session });
    await mails.removeOf({ ...user, invited: false }, { session });
    await sessions.endAll(user.id, { session });
    await auditLog.add([auditEntry(auditedReset(user, from), now())], { session });
  });
  // A login with the old password may have added its session while the transaction ran, which did not see it.
  await sessions.endAll(user.id);
  logger.info('password set by link', { userId: user.id });
  return { user: { id: user.id }, passwordHash };
}

function auditedReset({ id, company_id: companyId }: User, from: AuditOrigin) {
  // The actor is whoever had the link: it was for this user, but an admin or an e-mail may have shown it to others.
  const actor = { kind: 'user' as const, user_id: id, credential: 'password_link', api_token_id: null };
  return { companyId, action: 'password.set' as const, actor, from, target: { kind: 'user', id, name: null } };
}

function linkNotFound(): AppError {
  const message =
    'this link was used, was replaced by a newer one or has expired: ask an admin of your company for another';
  return new AppError('not_found', 'password_link_not_found', message);
}
