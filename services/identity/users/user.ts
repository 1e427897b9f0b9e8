import { type NewEvent, type Permission, type UserSnapshot, userCreated } from '@app/contracts';
import { newId } from '@app/kernel';

/** A user, without the hash of the password: that one leaves the store for a login alone. */
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
  return { user, events: [userCreated({ user: userFacts(user) }, at, user.id)] };
}

/** What other services may know. */
export function userFacts({ created_at: _, ...facts }: User): UserSnapshot {
  return facts;
}
