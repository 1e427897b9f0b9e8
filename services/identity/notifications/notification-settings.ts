// The table of docs/people/notifications.md
import { type CompanyKind, type NotificationKind, notificationKinds, type Permission } from '@app/contracts';
import { offsetAt } from '@app/kernel';
import type { User } from '../users/user.ts';

export const emailModes = ['now', 'daily', 'weekly', 'never'] as const;
export type EmailMode = (typeof emailModes)[number];

/** Whether a kind stands in the list of the console, and when it comes by e-mail. */
export type Setting = { console: boolean; email: EmailMode };
export type Settings = Partial<Record<NotificationKind, Setting>>;

/**
 * Who can get a kind, and how its e-mails come unless the user has chosen. `admins`: in the same way to admins without the permission, who
 * otherwise get no e-mail: it names them, or nobody else may be there to act.
 */
type Rule = { permission: Permission; only?: CompanyKind; email: EmailMode; admins?: true };

const rules: Record<NotificationKind, Rule> = {
  assigned: { permission: 'tickets', email: 'now', admins: true },
  proposal: { permission: 'tickets', only: 'contractor', email: 'now' },
  quote: { permission: 'tickets', only: 'client', email: 'now' },
  date: { permission: 'tickets', email: 'daily' },
  note: { permission: 'tickets', email: 'daily' },
  mention: { permission: 'tickets', email: 'now', admins: true },
  due_soon: { permission: 'tickets', email: 'daily' },
  overdue: { permission: 'tickets', email: 'now' },
  invoice_waits: { permission: 'accounting', only: 'client', email: 'daily' },
  endpoint_fails: { permission: 'api_webhooks', email: 'now', admins: true },
};

type Member = Pick<User, 'permissions'>;

export function hasPermission({ permissions }: Member, permission: Permission): boolean {
  return permissions.includes(permission) || permissions.includes('admin');
}

/** Whether a user of a company of this kind can get notifications of a kind at all. */
export function canGet(kind: NotificationKind, user: Member, companyKind: CompanyKind): boolean {
  const { permission, only = companyKind } = rules[kind];
  return only === companyKind && hasPermission(user, permission);
}

/** The settings of a user for the kinds that they can get: what they chose, else the defaults. */
export function settingsOf(chosen: Settings, user: Member, companyKind: CompanyKind): Settings {
  const kinds = notificationKinds.filter((kind) => canGet(kind, user, companyKind));
  return Object.fromEntries(kinds.map((kind) => [kind, chosen[kind] ?? defaultOf(kind, user)]));
}

function defaultOf(kind: NotificationKind, { permissions }: Member): Setting {
  const { permission, email, admins = false } = rules[kind];
  return { console: true, email: permissions.includes(permission) || admins ? email : 'never' };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** When an e-mail of what happened at `at` is due: at once, or at the user's next 7 o'clock; weekly: on a Monday. */
export function emailDueAt(mode: Exclude<EmailMode, 'never'>, at: Date, timeZone: string | null): Date {
  if (mode === 'now') return at;
  const offset = (time: number) => offsetAt(timeZone ?? 'Europe/Paris', time);
  const now = at.getTime();
  for (let day = Math.floor((now + offset(now)) / dayMs); ; day++) {
    // The first day of 1970 was a Thursday.
    if (mode === 'weekly' && day % 7 !== 4) continue;
    const seven = day * dayMs + 7 * hourMs;
    const due = seven - offset(seven - offset(now));
    if (due > now) return new Date(due);
  }
}
