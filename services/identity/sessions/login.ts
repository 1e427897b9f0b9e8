import type { Logger } from '@app/runtime';
import { attemptKeys } from './attempt.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { Company } from './company.ts';
import type { CompanyStore } from './company-store.ts';
import type { PasswordHasher } from './password.ts';
import { startSession } from './session.ts';
import type { SessionStore } from './session-store.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export type LoginDeps = {
  users: UserStore;
  companies: CompanyStore;
  sessions: SessionStore;
  attempts: AttemptStore;
  passwords: PasswordHasher;
  logger: Logger;
  now: () => Date;
};

/** `email` in lower case; `address` is the client's. */
export type LoginAttempt = { email: string; password: string; address: string };

export type LoginOutcome =
  | { kind: 'accepted'; user: User; company: Company; token: string }
  | { kind: 'refused' }
  | { kind: 'locked'; retryAfterS: number };

/**
 * Attempts are counted so that parallel guesses gain nothing (design section 4): a locked account costs no hash; a wrong
 * guess hears so only if its own failure was within the limit; a right one only if the limit still holds after the hash.
 */
export async function login(deps: LoginDeps, attempt: LoginAttempt): Promise<LoginOutcome> {
  const keys = attemptKeys(attempt);
  const account = await deps.users.findForLogin(attempt.email);
  const log = { userId: account?.user.id ?? null, address: attempt.address };

  const before = await deps.attempts.lockedForS(keys, deps.now());
  if (before > 0) return locked(before);
  const right = await deps.passwords.verify(attempt.password, account?.passwordHash ?? null);
  const after = right
    ? await deps.attempts.lockedForS(keys, deps.now())
    : await deps.attempts.recordFailure(keys, deps.now());
  if (after > 0) return locked(after);
  if (!right || !account) {
    deps.logger.info('login refused', log);
    return { kind: 'refused' };
  }
  deps.logger.info('login accepted', log);
  return accept(deps, account.user);

  function locked(retryAfterS: number): LoginOutcome {
    deps.logger.warn('login locked', { ...log, retryAfterS });
    return { kind: 'locked', retryAfterS };
  }
}

async function accept({ companies, sessions, now }: LoginDeps, user: User): Promise<LoginOutcome> {
  const company = await companies.find(user.company_id);
  if (!company) throw new Error(`user ${user.id} has no company`);
  const token = await sessions.add(startSession(user, now()));
  return { kind: 'accepted', user, company, token };
}
