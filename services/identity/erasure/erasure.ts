import { neutralPerson, userChanged, userErased } from '@app/contracts';
import { type Changed, type User, userSnapshot } from '../users/user.ts';

/** The services that keep names of users, and that say when they have erased them. */
const servicesWithNames = ['ticket', 'webhook-dispatcher'] as const;

/**
 * Replaces name, e-mail address and phone number of a user for good; null if that was done before. It also publishes
 * `user.changed`, for services that do not know erasures.
 */
export function eraseUser(user: User, at: Date): Changed | null {
  if (user.erasure) return null;
  const { subject: _, ...rest } = user;
  const next: User = {
    ...rest,
    ...neutralPerson(user.id),
    permissions: [],
    place_ids: [],
    active: false,
    invited: false,
    version: user.version + 1,
    erasure: { requested_at: at.toISOString(), waiting_for: [...servicesWithNames], done_at: null },
  };
  const snapshot = userSnapshot(next);
  const erased = { user: snapshot, erased_at: at.toISOString() };
  return { user: next, events: [userChanged({ user: snapshot }, at, user.id), userErased(erased, at, user.id)] };
}

/** Notes that a service has erased the person; null if that is known already, or if the user is not being erased. */
export function copiesErased(user: User, service: string, at: Date): Changed | null {
  const { erasure } = user;
  if (!erasure?.waiting_for.includes(service)) return null;
  const waiting_for = erasure.waiting_for.filter((one) => one !== service);
  const done_at = waiting_for.length === 0 ? at.toISOString() : null;
  return { user: { ...user, erasure: { ...erasure, waiting_for, done_at } }, events: [] };
}
