import { type NewEvent, type Permission, type UserSnapshot, userChanged, userCreated } from '@app/contracts';
import { AppError, newId, searchWords, ValidationError } from '@app/kernel';

/** The limit of one company. */
export const maxUsersOfCompany = 1_000;

/** A user without the password hash, which leaves the store only to be verified. */
export type User = UserSnapshot & {
  /** True for an invited user who has not set a password yet. */
  invited: boolean;
  created_at: string;
  /** Of the last invitation by e-mail. */
  invitation?: Invitation;
  /** When an e-mail last came back as undeliverable; absent while the address is fine. */
  mail_bounced_at?: string;
  /** Who the user is at the company's provider, since the first sign-in there. */
  subject?: Subject;
  /** Present if the user was erased, which is for good: such a user never changes again. */
  erasure?: UserErasure;
};

/** `mail_id`: the e-mail whose result counts. `result` null: it waits, or is tried again. */
export type Invitation = { mail_id: string; asked_at: string; result: 'sent' | 'failed' | null };

/** A user of an OpenID Connect provider, by its own name, which never becomes somebody else's, as an address may. */
export type Subject = { issuer: string; sub: string };

/** `waiting_for`: the services that still keep something of the person. */
type UserErasure = { requested_at: string; waiting_for: string[]; done_at: string | null };

export type NewUser = {
  company_id: string;
  /** Lower case. */
  email: string;
  first_name: string;
  last_name: string;
  phone?: string | null;
  permissions: Permission[];
  place_ids?: string[];
};

/** Absent fields stay as they are. */
export type UserChange = Partial<
  Pick<User, 'first_name' | 'last_name' | 'phone' | 'permissions' | 'active' | 'place_ids'>
>;

export type Changed = { user: User; events: NewEvent[] };

/**
 * `invited`: without a password, which the user sets later.
 * @throws ValidationError at `place_ids`
 */
export function createUser(input: NewUser, at: Date, { invited = false } = {}): Changed {
  const { company_id, email, first_name, last_name, phone = null, permissions, place_ids = [] } = input;
  const given = { company_id, email, first_name, last_name, phone, permissions, place_ids };
  const state = { active: true, version: 0, invited, created_at: at.toISOString() };
  const user = { id: newId(at), ...given, ...state };
  checkPlaces(user);
  return { user, events: [userCreated({ user: userSnapshot(user) }, at, user.id)] };
}

/**
 * Applies a change; null if it changes nothing.
 * @throws AppError conflict `user_erased`; ValidationError at `place_ids`
 */
export function changeUser(user: User, change: UserChange, at: Date): Changed | null {
  if (user.erasure) throw new AppError('conflict', 'user_erased', 'this user was erased, and stays as it is');
  const changed = { ...user, ...change };
  // Whoever makes the user active again may mean another person with the same address.
  if (changed.active && !user.active) delete changed.subject;
  const isSame = (Object.keys(change) as (keyof UserChange)[]).every((key) => sameValue(user[key], changed[key]));
  if (isSame) return null;
  checkPlaces(changed);
  const next = { ...changed, version: user.version + 1 };
  return { user: next, events: [userChanged({ user: userSnapshot(next) }, at, user.id)] };
}

/** An admin sets the limits of others, and could lift their own. */
function checkPlaces({ permissions, place_ids = [] }: Pick<User, 'permissions' | 'place_ids'>): void {
  if (place_ids.length === 0 || !permissions.includes('admin')) return;
  const message = 'place_ids must be empty for an admin, who sees every place';
  throw new ValidationError([{ path: 'place_ids', message }]);
}

/** Whether two values are equal; the order of permissions and places does not matter. */
function sameValue(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item) => other.includes(item));
}

export function isActiveAdmin({ active, permissions }: Pick<User, 'active' | 'permissions'>): boolean {
  return active && permissions.includes('admin');
}

export function userNotFound(): AppError {
  return new AppError('not_found', 'user_not_found', 'there is no such user');
}

type Named = Pick<User, 'first_name' | 'last_name' | 'email'>;

/** The search words of a user. */
export function wordsOfUser({ first_name, last_name, email }: Named): string[] {
  return searchWords(email, last_name, first_name);
}

/** What other services may know of a user. */
export function userSnapshot(user: User): UserSnapshot {
  const { id, company_id, email, first_name, last_name, phone, permissions, active, version } = user;
  const { place_ids = [] } = user;
  const snapshot = { id, company_id, email, first_name, last_name, phone, permissions, active, version };
  return place_ids.length === 0 ? snapshot : { ...snapshot, place_ids };
}

/** The user as administrators see them. */
export function userResponse({ version: _, erasure, invitation, subject: _subject, ...user }: User) {
  const { mail_bounced_at = null, ...response } = user;
  return {
    ...response,
    place_ids: response.place_ids ?? [],
    // A user with a password has accepted the invitation, however it was sent.
    ...(invitation && response.invited ? { invitation: invitationResponse(invitation) } : {}),
    ...(erasure ? { erasure: erasureResponse(erasure) } : {}),
    mail_bounced_at,
  };
}

function invitationResponse({ result, asked_at }: Invitation) {
  return { state: result ?? ('sending' as const), asked_at };
}

function erasureResponse({ requested_at, done_at }: UserErasure) {
  return { state: done_at === null ? 'running' : 'done', requested_at, done_at };
}
