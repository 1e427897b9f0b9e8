import { neutralPerson, userChanged, userErased } from '@app/contracts';
import { type Changed, type User, userSnapshot } from '../users/user.ts';

/** Who keeps names of users, and says when none is left. */
export const keepers = ['ticket', 'webhook-dispatcher'] as const;

/**
 * The user without name, address and phone number, for good. Null if that was so already. `user.changed` tells those who know nothing
 * of erasures the same.
 */
export function eraseUser(user: User, at: Date): Changed | null {
  if (user.erasure) return null;
  const next: User = {
    ...user,
    ...neutralPerson(user.id),
    ...{ permissions: [], active: false, invited: false, version: user.version + 1 },
    erasure: { requested_at: at.toISOString(), waiting_for: [...keepers], done_at: null },
  };
  const snapshot = userSnapshot(next);
  const erased = { user: snapshot, erased_at: at.toISOString() };
  return { user: next, events: [userChanged({ user: snapshot }, at, user.id), userErased(erased, at, user.id)] };
}

/** A service keeps nothing of the person any more. Null if that is known, or the user is not to be erased. */
export function copiesErased(user: User, service: string, at: Date): Changed | null {
  const { erasure } = user;
  if (!erasure?.waiting_for.includes(service)) return null;
  const waiting_for = erasure.waiting_for.filter((one) => one !== service);
  const done_at = waiting_for.length === 0 ? at.toISOString() : null;
  return { user: { ...user, erasure: { ...erasure, waiting_for, done_at } }, events: [] };
}
