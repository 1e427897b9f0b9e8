import type { Logger } from '@app/runtime';
import type { Company } from '../companies/company.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { PasswordHasher } from '../users/password.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { throttleKeys } from './login-throttle.ts';
import type { LoginThrottleStore } from './login-throttle-store.ts';
import { type LoginOrigin, startSession } from './session.ts';
import type { SessionStore } from './session-store.ts';

export type LoginDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  throttle: LoginThrottleStore;
  passwords: PasswordHasher;
  /** False for users whose company has switched passwords off. */
  allowsPassword: (user: User) => Promise<boolean>;
  logger: Logger;
  now: () => Date;
};

/** `email` in lower case; `address` is the client's. */
export type LoginAttempt = LoginOrigin & { email: string; password: string };

export type LoginOutcome =
  | { kind: 'accepted'; user: User; company: Company; token: string }
  | { kind: 'refused' }
  | { kind: 'locked'; retryAfterS: number };

/**
 * Logs a user in, throttled so that parallel guesses gain nothing: a locked account costs no hash, a wrong password is answered
 * as wrong only if its own failure was within the limit, a right one is accepted only if the limit still holds after hashing.
 */
export async function login(deps: LoginDeps, attempt: LoginAttempt): Promise<LoginOutcome> {
  const keys = throttleKeys(attempt);
  const account = await deps.users.findForLogin(attempt.email);
  const log = { userId: account?.user.id ?? null, address: attempt.address };

  const before = await deps.throttle.lockedForS(keys, deps.now());
  if (before > 0) return locked(before);
  const matches = await deps.passwords.verify(attempt.password, account?.passwordHash ?? null);
  const after = matches
    ? await deps.throttle.lockedForS(keys, deps.now())
    : await deps.throttle.recordFailure(keys, deps.now());
  if (after > 0) return locked(after);
  // Said only by the log: a right password that does not count must not be told from a wrong one.
  if (!matches || !account?.user.active || !(await deps.allowsPassword(account.user))) {
    deps.logger.info('login refused', log);
    return { kind: 'refused' };
  }
  const accepted = await accept(deps, account, attempt);
  deps.logger.info(accepted.kind === 'accepted' ? 'login accepted' : 'login refused', log);
  return accepted;

  function locked(retryAfterS: number): LoginOutcome {
    deps.logger.warn('login locked', { ...log, retryAfterS });
    return { kind: 'locked', retryAfterS };
  }
}

type Account = { user: User; passwordHash: string | null };

async function accept(
  { users, companies, sessions, now }: LoginDeps,
  { user, passwordHash }: Account,
  origin: LoginOrigin,
): Promise<LoginOutcome> {
  const company = await companies.find(user.company_id);
  if (!company) throw new Error(`user ${user.id} has no company`);
  const session = startSession(user, origin, now());
  const token = await sessions.add(session);
  // Whoever changed the password or deactivated the user meanwhile has ended the sessions of before; this one came too late for that.
  const current = await users.findForLogin(user.email);
  if (!current?.user.active || current.passwordHash !== passwordHash) {
    await sessions.end(session.id, user.id);
    return { kind: 'refused' };
  }
  return { kind: 'accepted', user, company, token };
}
