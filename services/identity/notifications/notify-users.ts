import type { NotificationRaised } from '@app/contracts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { PreferencesStore } from '../users/preferences-store.ts';
import { maxUsersOfCompany, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { notificationFor } from './notification.ts';
import { settingsOf } from './notification-settings.ts';
import type { NotificationStore } from './notification-store.ts';
import { namedIn, reachesNamed, recipientsOf } from './recipients.ts';

type Deps = {
  companies: Pick<CompanyStore, 'find'>;
  users: Pick<UserStore, 'findOf' | 'list'>;
  preferences: Pick<PreferencesStore, 'timeZones'>;
  notifications: Pick<NotificationStore, 'add' | 'chosen'>;
  now: () => Date;
};

/** Tells the users of a company what happened, as the rules and the settings of each say. The same event again has no effect. */
export async function notifyUsers(deps: Deps, event: NotificationRaised): Promise<void> {
  const { companies, users, preferences, notifications, now } = deps;
  const company = await companies.find(event.company_id);
  if (!company || company.closed_at !== null) return;
  const named = await users.findOf(company.id, namedIn(event));
  const asked: User[] = reachesNamed(event, named, company.kind)
    ? named
    : await users.list({ limit: maxUsersOfCompany }, company.id);
  const told = recipientsOf(event, asked, company.kind);
  const ids = told.map(({ id }) => id);
  const [chosen, zones] = await Promise.all([notifications.chosen(company.id, ids), preferences.timeZones(ids)]);
  const at = now();
  const added = told.flatMap((user) => {
    const setting = settingsOf(chosen.get(user.id) ?? {}, user, company.kind)[event.kind];
    const timeZone = zones.get(user.id) ?? null;
    return (setting && notificationFor(event, { user, setting, timeZone }, at)) ?? [];
  });
  await notifications.add(added);
}
