import type { AuditAction, AuditOrigin } from '@app/contracts';
import type { Logger } from '@app/runtime';
import { auditEntry, entryOfWindow } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { Company } from '../companies/company.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { PasswordHasher } from '../users/password.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { KnownDevices } from './known-device.ts';
import { throttleKeys } from './login-throttle.ts';
import type { LoginThrottleStore } from './login-throttle-store.ts';
import { type LoginOrigin, startSession } from './session.ts';
import type { SessionStore } from './session-store.ts';

export type LoginDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  throttle: LoginThrottleStore;
  devices: KnownDevices;
  auditLog: AuditLogStore;
  passwords: PasswordHasher;
  /** False for users whose company has switched passwords off. */
  allowsPassword: (user: User) => Promise<boolean>;
  logger: Logger;
  now: () => Date;
};

/** `email` in lower case; `address` is the client's, `from` the same for the audit log, `device` the token of a known browser. */
type LoginAttempt = LoginOrigin & { email: string; password: string; from: AuditOrigin; device: unknown };

type LoginOutcome =
  | { kind: 'accepted'; user: User; company: Company; token: string; deviceToken: string }
  | { kind: 'refused' }
  | { kind: 'locked'; retryAfterS: number };

/**
 * Logs a user in, throttled so that parallel guesses gain nothing: a locked account costs no hash, a wrong password is answered
 * as wrong only if its own failure was within the limit, a right one is accepted only if the limit still holds after hashing.
 */
export async function login(deps: LoginDeps, attempt: LoginAttempt): Promise<LoginOutcome> {
  const account = await deps.users.findForLogin(attempt.email);
  const device = await deps.devices.recognise(attempt.device, account, deps.now());
  const keys = throttleKeys({ ...attempt, device });
  const log = { userId: account?.user.id ?? null, address: attempt.address };
  const record = (action: Refusal, reason?: string) =>
    recordRefusal(deps, account, { action, reason, from: attempt.from });

  const before = await deps.throttle.lockedForS(keys, deps.now());
  if (before > 0) return locked(before);
  const matches = await deps.passwords.verify(attempt.password, account?.passwordHash ?? null);
  // In parallel with the count: the time of the log entry must not tell accounts that exist from others.
  const [after] = await Promise.all(
    matches
      ? [deps.throttle.lockedForS(keys, deps.now())]
      : [deps.throttle.recordFailure(keys, deps.now()), record('login.refused', 'wrong_password')],
  );
  if (after > 0) return locked(after);
  // Only the audit log says why: the response must be the same for a refused right password and a
  // wrong one.
  const refusal = matches && account ? await refusalReason(deps, account.user) : null;
  if (!matches || !account || refusal !== null) {
    if (refusal === null) {
      deps.logger.info('login refused', log);
      return { kind: 'refused' };
    }
    // Counted like a wrong password, so that repeated tries do not reveal the difference either.
    const [again] = await Promise.all([
      deps.throttle.recordFailure(keys, deps.now()),
      record('login.refused', refusal),
    ]);
    deps.logger.info('login refused', log);
    return again > 0 ? locked(again) : { kind: 'refused' };
  }
  const accepted = await accept(deps, account, { ...attempt, device });
  deps.logger.info(accepted.kind === 'accepted' ? 'login accepted' : 'login refused', log);
  return accepted;

  async function locked(retryAfterS: number): Promise<LoginOutcome> {
    await record('login.locked');
    deps.logger.warn('login locked', { ...log, retryAfterS });
    return { kind: 'locked', retryAfterS };
  }
}

/** Why a right password is refused; null if it is not. */
async function refusalReason({ allowsPassword, companies }: LoginDeps, user: User): Promise<string | null> {
  if (!user.active) return 'user_inactive';
  if ((await companies.find(user.company_id))?.closed_at !== null) return 'company_closed';
  return (await allowsPassword(user)) ? null : 'password_login_off';
}

type Refusal = Extract<AuditAction, 'login.refused' | 'login.locked'>;
type RefusedLogin = { action: Refusal; reason?: string | undefined; from: AuditOrigin };

/** One entry per reason and window: an attacker must not be able to fill the log of a company. */
async function recordRefusal(
  { auditLog, now }: LoginDeps,
  account: Account | null,
  { reason, ...refused }: RefusedLogin,
) {
  if (!account) return auditLog.addNothing();
  const { id, company_id: companyId } = account.user;
  const actor = { kind: 'unknown' as const, user_id: null, credential: 'password', api_token_id: null };
  const entry = {
    ...refused,
    companyId,
    actor,
    target: { kind: 'user', id, name: null },
    ...(reason ? { reason } : {}),
  };
  return auditLog.add([entryOfWindow(entry, now())]);
}

type Account = { user: User; passwordHash: string | null };

type Accepted = LoginAttempt & { device: string | null };

async function accept(deps: LoginDeps, account: Account, attempt: Accepted): Promise<LoginOutcome> {
  const { users, companies, sessions, throttle, devices, auditLog, now } = deps;
  const { user, passwordHash } = account;
  const company = await companies.find(user.company_id);
  if (!company) throw new Error(`user ${user.id} has no company`);
  const count = await throttle.failuresOf(attempt.email, now());
  const session = startSession(user, attempt, now());
  const token = await sessions.add(session);
  // A change of the password or a deactivation meanwhile has ended all sessions but not this one, which was added
  // later.
  const current = await users.findForLogin(user.email);
  if (!current?.user.active || current.passwordHash !== passwordHash) {
    await sessions.end(session.id, user.id);
    return { kind: 'refused' };
  }
  // Written before the token is returned, so that no token exists that the log does not know.
  const actor = { kind: 'user' as const, user_id: user.id, credential: 'password', api_token_id: null };
  const target = { kind: 'session', id: session.id, name: null };
  const entry = { companyId: company.id, action: 'login.accepted' as const, actor, from: attempt.from, target, count };
  await auditLog.add([auditEntry(entry, now())]);
  const deviceToken = await devices.token(account, now(), attempt.device);
  return { kind: 'accepted', user, company, token, deviceToken };
}
