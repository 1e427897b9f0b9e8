import Joi from 'joi';
import { defineEvent, type NewEvent } from '../define-event.ts';
import { id, isoDate, oneOf, text } from '../fields.ts';
import { type Permission, permissions } from '../permissions.ts';
import type { Visibility } from './ticket-events.ts';

/** What users are told of. A name never changes: settings of users hold it. */
export const notificationKinds = [
  'assigned',
  'proposal',
  'quote',
  'date',
  'note',
  'mention',
  'due_soon',
  'overdue',
  'invoice_waits',
  'endpoint_fails',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** Of the places of a ticket with all above them: users limited to others get nothing. Null: who is limited gets it, too. */
type AtPlaces = { place_ids: string[] | null };
/**
 * By `permission`: the ticket's managers; if none of them can get it, everybody of the company who may do this. Of a note for managers
 * `manager_ids` say who they are beside `user_ids`, too.
 */
export type NotificationRecipients = AtPlaces &
  ({ user_ids: string[]; manager_ids?: string[] } | { permission: Permission; manager_ids: string[] });

/** What a notification is about, and who caused it. Names are those of that time. */
export type NotificationSubject = {
  ticket?: { id: string; number: string; title: string };
  invoice?: { id: string; number: string };
  endpoint?: { id: string; host: string };
  /** Never gets it. */
  actor?: { id: string; firstName: string; lastName: string };
  /**
   * At most 500 characters: of the note, the reference of the quote, the ISO start of the date, the clock and its ISO due date,
   * the supplier of the invoice, the name of the endpoint.
   */
  text?: string;
  /** Of the note. */
  visibility?: Visibility;
};

export type NotificationRaised = NotificationSubject & {
  company_id: string;
  kind: NotificationKind;
  /** Names what happened, once in the company: `ticket:<id>:quote:<id>`. The same key again is no new notification. */
  key: string;
  to: NotificationRecipients;
  created_at: string;
};

const maxText = 500;
const name = text.required();
const ids = Joi.array().items(id);
const unlessByUser = { is: Joi.exist(), otherwise: Joi.required() };

const recipients = Joi.object({
  user_ids: ids.optional(),
  permission: oneOf(permissions).when('user_ids', unlessByUser),
  manager_ids: ids.when('user_ids', unlessByUser),
  place_ids: ids.allow(null).required(),
}) as unknown as Joi.AlternativesSchema<NotificationRecipients>;

/** Something happened that users of one company are to know of. Identity decides who, by rules and settings of each. */
export const notificationRaised = defineEvent<NotificationRaised>(
  'notification.raised.v1',
  Joi.object<NotificationRaised, true>({
    company_id: id.required(),
    kind: oneOf(notificationKinds).required(),
    key: Joi.string().max(200).required(),
    to: recipients.required(),
    ticket: Joi.object({ id: id.required(), number: Joi.string().required(), title: name }).optional(),
    invoice: Joi.object({ id: id.required(), number: name }).optional(),
    endpoint: Joi.object({ id: id.required(), host: Joi.string().required() }).optional(),
    actor: Joi.object({ id: id.required(), firstName: name, lastName: name }).optional(),
    text: text.max(maxText).optional(),
    visibility: Joi.string<Visibility>().valid('shared', 'internal', 'managers').optional(),
    created_at: isoDate.required(),
  }),
);

/** A client's ticket has other managers or places by now: users are shown no more what they were told of it and may read no longer. */
type NotificationReadersChanged = { company_id: string; ticket_id: string; manager_ids: string[]; place_ids: string[] };

export const notificationReadersChanged = defineEvent<NotificationReadersChanged>(
  'notification.readers_changed.v1',
  Joi.object<NotificationReadersChanged, true>({
    company_id: id.required(),
    ticket_id: id.required(),
    manager_ids: ids.required(),
    place_ids: ids.required(),
  }),
);

/** The event for what happened at `at`, to be saved with it. A longer text is cut. */
export function notification({ text, ...given }: Omit<NotificationRaised, 'created_at'>, at: Date): NewEvent {
  const subject = given.ticket?.id ?? given.invoice?.id ?? given.endpoint?.id;
  const cut = text === undefined ? {} : { text: text.slice(0, maxText) };
  return notificationRaised({ ...given, ...cut, created_at: at.toISOString() }, at, subject);
}
