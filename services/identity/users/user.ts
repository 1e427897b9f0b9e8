import { type NewEvent, type Permission, type UserSnapshot, userCreated } from '@app/contracts';
import { newId } from '@app/kernel';

/** A user without the password hash, which leaves the store for a login alone. */
export type User = UserSnapshot & { created_at: string };

export type NewUser = {
  company_id: string;
  /** Lower case. */
  email: string;
  password: string;
  first_name: string;
  last_name: string;
  phone?: string | null;
  permissions: Permission[];
};

export function createUser(
  { password: _, phone = null, ...input }: NewUser,
  at: Date,
): { user: User; events: NewEvent[] } {
  const user = { id: newId(at), ...input, phone, created_at: at.toISOString() };
  return { user, events: [userCreated({ user: userSnapshot(user) }, at, user.id)] };
}

/** What other services may know of a user. */
export function userSnapshot({ created_at: _, ...snapshot }: User): UserSnapshot {
  return snapshot;
}
