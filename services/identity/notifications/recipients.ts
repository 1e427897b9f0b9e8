import { type Caller, type CompanyKind, type NotificationRaised, notificationKinds } from '@app/contracts';
import type { User } from '../users/user.ts';
import { canGet, hasPermission } from './notification-settings.ts';

type Raised = Pick<NotificationRaised, 'kind' | 'to' | 'actor'>;

/** The users whom the event names. */
export function namedIn({ to }: Pick<Raised, 'to'>): string[] {
  return 'user_ids' in to ? to.user_ids : to.manager_ids;
}

/** Whether those named are all who may get it: else everybody with the permission does. */
export function reachesNamed(event: Raised, named: readonly User[], companyKind: CompanyKind): boolean {
  return 'user_ids' in event.to || named.some((user) => mayGet(event, user, companyKind));
}

/** Who of a company's users is told: those named, or else everybody with the permission; never who did it. */
export function recipientsOf(event: Raised, users: readonly User[], companyKind: CompanyKind): User[] {
  const { to, actor } = event;
  const able = users.filter((user) => mayGet(event, user, companyKind));
  const named = able.filter(({ id }) => namedIn(event).includes(id));
  const told = 'user_ids' in to || named.length > 0 ? named : able.filter((user) => hasPermission(user, to.permission));
  return told.filter(({ id }) => id !== actor?.id);
}

/**
 * What a user was told and may still read, as a MongoDB filter: for the list, the count and e-mails. By the permissions and places of
 * now, as `mayGet`; and notes for managers are for those who are managers now, and admins.
 */
export function readableBy({ companyId: company_id, userId: user_id, permissions, placeIds, companyKind }: Caller) {
  const kinds = notificationKinds.filter((kind) => canGet(kind, { permissions }, companyKind));
  return {
    company_id,
    user_id,
    kind: { $in: kinds },
    ...(placeIds ? { place_ids: { $in: [null, ...placeIds] } } : {}),
    ...(permissions.includes('admin') ? {} : { $nor: [{ visibility: 'managers' as const, manages: { $ne: true } }] }),
  };
}

function mayGet({ kind, to: { place_ids: at } }: Raised, user: User, companyKind: CompanyKind): boolean {
  const { active, place_ids: limits = [] } = user;
  const isThere = limits.length === 0 || at === null || at.some((id) => limits.includes(id));
  return active && isThere && canGet(kind, user, companyKind);
}
