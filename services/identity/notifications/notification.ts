import {
  type NotificationKind,
  type NotificationRaised,
  type NotificationSubject,
  notificationKinds,
} from '@app/contracts';
import { id, named } from '@app/http';
import { newId } from '@app/kernel';
import Joi from 'joi';
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
    mail: { mode: Exclude<EmailMode, 'never'>; due_at: Date; lease: string | null; tries?: number } | null;
    mailed_at?: Date;
  };

type Person = Pick<User, 'id' | 'first_name' | 'last_name'>;
type Recipient = { user: User; setting: Setting; timeZone: string | null };

/** What this user is told, by their setting; null: nothing. An invited user has no address yet that is known to be theirs. */
export function notificationFor(event: NotificationRaised, recipient: Recipient, at: Date): Notification | null {
  const { to: _, actor, created_at, ...what } = event;
  const { user, setting, timeZone } = recipient;
  const mode = user.invited ? 'never' : setting.email;
  if (!setting.console && mode === 'never') return null;
  return {
    ...what,
    _id: newId(at),
    user_id: user.id,
    ...(actor ? { actor_id: actor.id } : {}),
    created_at: new Date(created_at),
    read_at: null,
    console: setting.console,
    mail: mode === 'never' ? null : { mode, due_at: emailDueAt(mode, at, timeZone), lease: null },
  };
}

const text = Joi.string().allow('');

export const notificationReply = named('Notification', {
  id,
  kind: Joi.string().valid(...notificationKinds),
  ticket: Joi.object({ id: id.required(), number: text.required(), title: text.required() }).allow(null),
  invoice: Joi.object({ id: id.required(), number: text.required() }).allow(null),
  endpoint: Joi.object({ id: id.required(), host: text.required() }).allow(null).description('of webhooks'),
  actor: Joi.object({ id: id.required(), firstName: text.required(), lastName: text.required() })
    .allow(null)
    .description('who did it; null: nobody, or a time that came'),
  text: text
    .allow(null)
    .description(
      'the beginning of the note, the reference of the quote, the start of the date, the name of the endpoint',
    ),
  visibility: Joi.string().valid('shared', 'internal', 'managers').allow(null).description('of the note'),
  created_at: Joi.string().isoDate(),
  read_at: Joi.string().isoDate().allow(null),
});

/** `people`: those among them who are actors. */
export function notificationResponse(found: Notification, people: readonly Person[]) {
  const { _id, kind, ticket = null, invoice = null, endpoint = null, actor_id, text: words = null } = found;
  const actor = people.find((person) => person.id === actor_id);
  return {
    id: _id,
    kind: kind satisfies NotificationKind,
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
