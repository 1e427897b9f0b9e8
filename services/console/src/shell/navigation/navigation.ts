import {
  BookUser,
  Cable,
  CalendarDays,
  FileText,
  House,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Settings,
  Ticket,
  Users,
  Webhook,
} from 'lucide-react';
import type { PageAccess } from '../../routing/lazy-page.ts';
import { may, type Permission } from '../../session/permissions.ts';
import type { Session } from '../../session/session.ts';

/** The key of an entry's text in the texts of the frame, `src/i18n/texts.en.ts`. */
type EntryName =
  | 'home'
  | 'invoices'
  | 'tickets'
  | 'agenda'
  | 'webhooks'
  | 'connections'
  | 'tokens'
  | 'users'
  | 'directory'
  | 'settings'
  | 'audit';

export type Entry = PageAccess & {
  name: EntryName;
  href: string;
  icon: LucideIcon;
  /** The key to press after `g`. */
  key: string;
  /** Not for users who are limited to places. */
  everyPlace?: true;
};

/** The entries of the menu, in order. Each leads to the first page of an area. */
const entries: Entry[] = [
  { name: 'home', href: '/', icon: House, key: 'h', permission: null },
  { name: 'invoices', href: '/invoices', icon: FileText, key: 'i', permission: 'accounting', company: 'client' },
  { name: 'tickets', href: '/tickets', icon: Ticket, key: 't', permission: 'tickets' },
  { name: 'agenda', href: '/agenda', icon: CalendarDays, key: 'e', permission: 'tickets' },
  { name: 'webhooks', href: '/webhooks', icon: Webhook, key: 'w', permission: 'api_webhooks', everyPlace: true },
  { name: 'connections', href: '/connections', icon: Cable, key: 'c', permission: 'accounting', company: 'client' },
  { name: 'tokens', href: '/tokens', icon: KeyRound, key: 'k', permission: 'api_webhooks' },
  { name: 'users', href: '/users', icon: Users, key: 'u', permission: 'admin' },
  { name: 'directory', href: '/directory', icon: BookUser, key: 'd', permission: 'tickets', company: 'client' },
  { name: 'settings', href: '/settings', icon: Settings, key: 's', permission: 'tickets', company: 'client' },
  { name: 'audit', href: '/audit', icon: ScrollText, key: 'a', permission: 'admin' },
];

/** Why this user may not see a page; null if they may. */
export function barrier(
  session: Session,
  { permission, company }: PageAccess,
): 'company' | { permission: Permission } | null {
  if (permission === 'platform') return null;
  if (company !== undefined && session.company.kind !== company) return 'company';
  return permission !== null && !may(session, permission) ? { permission } : null;
}

export function entriesFor(session: Session): Entry[] {
  const isLimited = session.place_ids.length > 0;
  return entries.filter((entry) => barrier(session, entry) === null && !(isLimited && entry.everyPlace));
}
