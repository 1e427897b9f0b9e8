import type { NotificationRaised, NotificationSubject } from '@app/contracts';
import { newId } from '@app/kernel';
import type { User } from '../users/user.ts';
import { type EmailMode, emailDueAt, type Setting } from './notification-settings.ts';

/**
 * What one user is told of. `console`: it stands in their list. `mail`: it waits to be sent by e-mail, with the lease of who sends it;
 * null: it was sent, or is not to be. People are named as they are called when it is read: only `actor_id` is kept.
 */
export type Notification = Pick<NotificationRaised, 'company_id' | 'kind' | 'key'> &
  Omit<NotificationSubject, 'actor'> & {
    _id: string;
    user_id: string;
    actor_id?: string;
    created_at: Date;
    read_at: Date | null;
    console: boolean;
    /** As of `NotificationRecipients`, and of its ticket since. */
    place_ids: string[] | null;
    /** Whether the user is a manager of the ticket: known of notes for managers, and once it has others than when this happened. */
    manages?: boolean;
    /** When the two were true. */
    readers_at: Date;
    mail: { mode: Exclude<EmailMode, 'never'>; due_at: Date; lease: string | null; tries?: number } | null;
    mailed_at?: Date;
  };

type Person = Pick<User, 'id' | 'first_name' | 'last_name'>;
type Recipient = { user: User; setting: Setting; timeZone: string | null };

/** What this user is told, by their setting; null: nothing. An invited user has no address yet that is known to be theirs. */
export function notificationFor(event: NotificationRaised, recipient: Recipient, at: Date): Notification | null {
  const { company_id, kind, key, ticket, invoice, endpoint, actor, text, visibility, to, created_at } = event;
  const { user, setting, timeZone } = recipient;
  const mode = user.invited ? 'never' : setting.email;
  if (!setting.console && mode === 'never') return null;
  return {
    _id: newId(at),
    company_id,
    user_id: user.id,
    kind,
    key,
    ...(ticket && { ticket }),
    ...(invoice && { invoice }),
    ...(endpoint && { endpoint }),
    ...(actor && { actor_id: actor.id }),
    ...(text && { text }),
    ...(visibility && { visibility }),
    created_at: new Date(created_at),
    read_at: null,
    console: setting.console,
    place_ids: to.place_ids,
    ...(visibility === 'managers' ? { manages: to.manager_ids?.includes(user.id) ?? false } : {}),
    readers_at: new Date(created_at),
    mail: mode === 'never' ? null : { mode, due_at: emailDueAt(mode, at, timeZone), lease: null },
  };
}

/** `people`: those among them who are actors. */
export function notificationResponse(found: Notification, people: readonly Person[]) {
  const { _id, kind, ticket = null, invoice = null, endpoint = null, actor_id, text: words = null } = found;
  const actor = people.find((person) => person.id === actor_id);
  return {
    id: _id,
    kind,
    ticket,
    invoice,
    endpoint,
    actor: actor ? { id: actor.id, firstName: actor.first_name, lastName: actor.last_name } : null,
    text: words,
    visibility: found.visibility ?? null,
    created_at: found.created_at.toISOString(),
    read_at: found.read_at?.toISOString() ?? null,
  };
}
