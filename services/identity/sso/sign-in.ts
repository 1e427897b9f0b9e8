// A verified address of a proven domain counts at first; then the user is bound to issuer and `sub`, so that a later owner of the address
// does not get the account. Each company has a callback of its own, which PKCE does not replace: no provider can send a browser on to
// that of another company. A sign-in starts by a POST with JSON, which no other site can send.
import type { AuditOrigin } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { auditEntry, entryOfWindow } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import { type LoginOrigin, startSession } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { type AddUserDeps, addUser } from '../users/add-user.ts';
import { createUser, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DomainProver } from './domains/prove-domains.ts';
import {
  domainOf,
  type ProvenIdentity,
  type ProviderClaims,
  provenIdentity,
  type Refusal,
  type SsoSettings,
} from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

export type SignInDeps = {
  users: AddUserDeps['users'] & Pick<UserStore, 'find' | 'findByEmail' | 'findBySubject' | 'bind'>;
  companies: AddUserDeps['companies'] & Pick<CompanyStore, 'find'>;
  sessions: Pick<SessionStore, 'add' | 'end'>;
  ssoSettings: Pick<SsoSettingsStore, 'find'>;
  domains: Pick<DomainProver, 'speaksFor'>;
  auditLog: Pick<AuditLogStore, 'add'>;
  logger: Logger;
  now: () => Date;
};

type Reason =
  | Refusal
  | 'domain_not_proven'
  | 'company_closed'
  | 'of_another_company'
  | 'of_another_subject'
  | 'user_inactive'
  | 'user_limit'
  | 'another_user_signed_in'
  | 'changed_meanwhile';
/** `failed`: the provider did not confirm the identity. `userId`: of a user of the company. */
type Refused = { companyId: string; userId?: string; reason: Reason | 'failed'; from: AuditOrigin };
/** `from` is the origin for the audit log, `signedIn` the user whose session the browser has. */
type Attempt = { claims: ProviderClaims; origin: LoginOrigin; from: AuditOrigin; signedIn: string | null };
type SignInOutcome = { kind: 'accepted'; token: string } | { kind: 'refused'; reason: Reason };

/**
 * Signs in the user whom the company's provider has authenticated, and creates the user at the first sign-in. A
 * provider can only sign in users of its own company, whatever addresses it claims.
 */
export async function signIn(
  deps: SignInDeps,
  settings: SsoSettings,
  { claims, origin, from, signedIn }: Attempt,
): Promise<SignInOutcome> {
  const { users, companies, sessions, ssoSettings, auditLog, now } = deps;
  const common = { companyId: settings.company_id, from };
  async function refused(reason: Reason, of: { userId?: string } = {}): Promise<SignInOutcome> {
    await recordRefusal(deps, { ...common, ...of, reason });
    return { kind: 'refused', reason };
  }
  if ((await companies.find(settings.company_id))?.closed_at !== null) return refused('company_closed');
  const identity = provenIdentity(claims, settings);
  if (typeof identity === 'string') return refused(identity);
  if (!(await deps.domains.speaksFor(settings.company_id, domainOf(identity.email))))
    return refused('domain_not_proven');
  const user = await userOf(deps, settings, { identity, from });
  if (typeof user === 'string') return refused(user);
  if (!user.active) return refused('user_inactive', { userId: user.id });
  if (signedIn !== null && signedIn !== user.id) return refused('another_user_signed_in', { userId: user.id });
  const session = startSession(user, origin, now());
  const token = await sessions.add(session);
  // A deactivation or a removal of the provider meanwhile has ended all sessions but not this one, which was added
  // later.
  const [current, valid] = await Promise.all([users.find(user.id), ssoSettings.find(user.company_id)]);
  if (!current?.active || valid?.version !== settings.version) {
    await sessions.end(session.id, user.id);
    return refused('changed_meanwhile', { userId: user.id });
  }
  // Written before the token is returned, so that no token exists that the log does not know.
  const target = { kind: 'session', id: session.id, name: null };
  await auditLog.add([auditEntry({ ...common, action: 'login.accepted', actor: actorOf(user.id), target }, now())]);
  return { kind: 'accepted', token };
}

function actorOf(userId: string | null) {
  const kind = userId === null ? ('unknown' as const) : ('user' as const);
  return { kind, user_id: userId, credential: 'single_sign_on', api_token_id: null };
}

/** One entry per reason and window, so that nobody can fill the log. */
export async function recordRefusal(
  { auditLog, now }: Pick<SignInDeps, 'auditLog' | 'now'>,
  { companyId, userId, reason, from }: Refused,
): Promise<void> {
  const target = userId === undefined ? null : { kind: 'user', id: userId, name: null };
  const action = 'login.refused' as const;
  await auditLog.add([entryOfWindow({ companyId, action, actor: actorOf(null), from, target, reason }, now())]);
}

type Given = { identity: ProvenIdentity; from: AuditOrigin };

/**
 * The user whom the subject is bound to; at the first sign-in the one with the address, created if there is none. The
 * address alone is not enough later: it may have become somebody else's.
 */
async function userOf(deps: SignInDeps, settings: SsoSettings, { identity, from }: Given): Promise<User | Reason> {
  const { users } = deps;
  const { company_id } = settings;
  const bound = await users.findBySubject(company_id, identity.subject);
  if (bound) return bound;
  const known = await users.findByEmail(company_id, identity.email);
  const user = known ?? (await createdUser(deps, settings, { identity, from }));
  if (typeof user === 'string' || !user.active) return user;
  try {
    return (await users.bind(user.id, identity.subject)) ? user : 'of_another_subject';
  } catch (error) {
    return reasonOf(error);
  }
}

/** Without the user: the audit log of a company must not show a user of another one. */
function reasonOf(error: unknown): Reason {
  if (error instanceof AppError && error.code === 'user_limit') return 'user_limit';
  if (error instanceof AppError && error.code === 'email_taken') return 'of_another_company';
  throw error;
}

async function createdUser(
  { users, companies, auditLog, logger, now }: SignInDeps,
  { company_id, default_permissions }: SsoSettings,
  { identity: { email, first_name, last_name }, from }: Given,
): Promise<User | Reason> {
  const created = createUser({ company_id, email, first_name, last_name, permissions: default_permissions }, now());
  try {
    const target = { kind: 'user', id: created.user.id, name: null };
    const addition = {
      companyId: company_id,
      action: 'user.created' as const,
      actor: actorOf(created.user.id),
      from,
      target,
    };
    const entry = auditEntry(addition, now());
    const { user } = await addUser(
      { users, companies },
      { ...created, passwordHash: null },
      { write: null, alongside: (within) => auditLog.add([entry], within) },
    );
    logger.info('user created at first sign-in', { userId: user.id, companyId: company_id });
    return user;
  } catch (error) {
    // Another first sign-in or an invitation may have created the user meanwhile.
    return (await users.findByEmail(company_id, email)) ?? reasonOf(error);
  }
}
