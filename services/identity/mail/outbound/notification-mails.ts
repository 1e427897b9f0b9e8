import type { Logger } from '@app/runtime';
import { findOwner, type OwnerDeps } from '../../credentials/authenticate.ts';
import type { Notification } from '../../notifications/notification.ts';
import { emailDueAt, settingsOf } from '../../notifications/notification-settings.ts';
import type { NotificationStore } from '../../notifications/notification-store.ts';
import { callerOf } from '../../sessions/session.ts';
import type { Preferences, PreferencesStore } from '../../users/preferences-store.ts';
import type { User } from '../../users/user.ts';
import type { UserStore } from '../../users/user-store.ts';
import { isFrench, retryAt } from '../account-mail.ts';
import type { ReplyAddresses } from '../inbound/reply-address.ts';
import { type MailClient, MailError } from '../mail-client.ts';
import type { Mail } from '../mail-message.ts';
import { countSent } from '../mail-metrics.ts';
import type { MailSource } from '../mail-worker.ts';
import { digestOf, mailOf, type Told } from './notification-mail.ts';
import type { NotificationMail, NotificationMailStore } from './notification-mail-store.ts';
import type { UnsubscribeLinks } from './unsubscribe-routes.ts';

export type NotificationMailDeps = OwnerDeps & {
  notificationMails: NotificationMailStore;
  notifications: Pick<NotificationStore, 'chosen' | 'readable'>;
  users: Pick<UserStore, 'named' | 'noteBounce' | 'clearBounce'>;
  preferences: Pick<PreferencesStore, 'find'>;
  /** Null: e-mails cannot be answered. */
  answerable: ReplyAddresses | null;
  unsubscribe: Pick<UnsubscribeLinks, 'urlOf'>;
  /** E-mails of a company and day that are sent at once; the rest goes with the next digests. */
  mailsPerDay: number;
  client: MailClient;
  publicUrl: string;
  logger: Logger;
  now: () => Date;
};

/** About a day. */
const maxTries = 27;
/** Of a digest: the others are in the list. */
const maxEntries = 100;
/** By then whatever cannot be delivered has come back. */
const provenAfterMs = 7 * 24 * 3_600_000;
const replyKinds = { shared: 'public', internal: 'internal', managers: 'managers' } as const;

/** Sends notifications by e-mail, each at least once: the same again, for which a process had to die, has the same Message-ID. */
export function notificationMailSource(deps: NotificationMailDeps): MailSource<NotificationMail> {
  const { notificationMails: store } = deps;
  return {
    name: 'notification',
    dueKeys: store.dueKeys,
    claim: store.claim,
    release: store.release,
    renew: store.renew,
    run: (mail) => send(deps, mail),
  };
}

async function send(deps: NotificationMailDeps, mail: NotificationMail): Promise<void> {
  const { notificationMails: store, preferences, now } = deps;
  const owner = await findOwner(deps, mail);
  const told = owner ? await stillTold(deps, owner, mail) : [];
  if (!owner || owner.user.invited || told.length === 0) return store.end(mail);
  const { user } = owner;
  const preferred = await preferences.find(user.id);
  if (mail.mode === 'now' && (await store.countOf(user.company_id, deps.mailsPerDay, now())) >= deps.mailsPerDay) {
    return store.delay(mail, emailDueAt('daily', now(), preferred.time_zone));
  }
  await deliver(deps, mail, user, await compose(deps, { mail, told, user, preferred }));
}

/** Those that the user may still read, and still wants. */
async function stillTold({ notifications }: NotificationMailDeps, { user, company }: Owner, mail: NotificationMail) {
  const chosen = await notifications.chosen(company.id, [user.id]);
  const settings = settingsOf(chosen.get(user.id) ?? {}, user, company.kind);
  const wanted = mail.notifications.filter(({ kind }) => (settings[kind]?.email ?? 'never') !== 'never');
  const ids = wanted.map(({ _id }) => _id);
  const readable = await notifications.readable(callerOf(user, company, 'session'), ids);
  return wanted.filter(({ _id }) => readable.has(_id));
}

type Owner = NonNullable<Awaited<ReturnType<typeof findOwner>>>;

async function withActors({ users }: NotificationMailDeps, notifications: Notification[]): Promise<Told[]> {
  const people = await users.named(notifications.flatMap(({ actor_id }) => actor_id ?? []));
  const names = new Map(people.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()]));
  return notifications.map((notification) => ({ notification, actor: names.get(notification.actor_id ?? '') ?? null }));
}

type Composing = { mail: NotificationMail; told: Notification[]; user: User; preferred: Preferences };

async function compose(deps: NotificationMailDeps, { mail, told, user, preferred }: Composing): Promise<Mail> {
  const { answerable, publicUrl, now } = deps;
  const shown = await withActors(deps, told.slice(0, maxEntries));
  const [first] = shown as [Told, ...Told[]];
  const { _id, kind, ticket, visibility } = first.notification;
  const { locale, time_zone: timeZone } = preferred;
  const reader = { isFrench: isFrench(locale), locale, timeZone };
  const isDigest = mail.mode !== 'now';
  const unsubscribeUrl = await deps.unsubscribe.urlOf(user.id, mail.mode === 'now' ? kind : mail.mode, now());
  const to = { consoleUrl: `${publicUrl.replace(/\/$/, '')}/console`, unsubscribeUrl };
  const bounceTo = answerable?.addressOf({ userId: user.id, ticketId: null, kind: 'bounce' }, now());
  const sent = { id: `notification.${_id}`, to: [user.email], unsubscribeUrl, ...(bounceTo ? { bounceTo } : {}) };
  const digest = { shown, total: told.length, mode: mail.mode as 'daily' | 'weekly' };
  if (isDigest) return { ...sent, ...digestOf(digest, reader, to) };
  // What is about no note may be answered among colleagues: that shows it to nobody else.
  const answers = answerable && ticket ? replyKinds[visibility ?? 'internal'] : null;
  return {
    ...sent,
    ...mailOf(first, reader, { ...to, answers }),
    ...(ticket ? { thread: `ticket.${ticket.id}.${user.id}` } : {}),
    ...(answers && answerable && ticket
      ? { replyTo: answerable.addressOf({ userId: user.id, ticketId: ticket.id, kind: answers }, now()) }
      : {}),
  };
}

async function deliver(deps: NotificationMailDeps, mail: NotificationMail, user: User, composed: Mail): Promise<void> {
  const { notificationMails: store, users, client, logger, now } = deps;
  const log = { userId: user.id, mode: mail.mode, notifications: mail.notifications.length };
  try {
    await client.send(composed);
  } catch (error) {
    const { message, final } = error instanceof MailError ? error : { message: String(error), final: false };
    const { tries = 0 } = mail.notifications[0]?.mail ?? {};
    const givenUp = final || tries >= maxTries;
    logger.warn('notification not sent', { ...log, reason: message, givenUp });
    if (!givenUp) return store.retryAt(mail, retryAt(tries, now()));
    if (error instanceof MailError && error.noRecipient) await users.noteBounce(user.id, now());
    countSent.inc({ result: 'failed' });
    return store.end(mail);
  }
  // Digests don't count: what is too much for a day goes into them.
  await store.end(mail, mail.mode === 'now' ? { mailed_at: now() } : {});
  await users.clearBounce(user.id, new Date(now().getTime() - provenAfterMs));
  countSent.inc({ result: 'sent' });
  logger.info('notification sent', log);
}
