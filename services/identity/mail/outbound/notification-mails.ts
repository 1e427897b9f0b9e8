import type { Logger } from '@app/runtime';
import { type Mail, type MailClient, MailError } from '@app/runtime/mail';
import type { CompanyStore } from '../../companies/company-store.ts';
import { emailDueAt, settingsOf } from '../../notifications/notification-settings.ts';
import type { NotificationStore } from '../../notifications/notification-store.ts';
import type { Preferences, PreferencesStore } from '../../users/preferences-store.ts';
import type { User } from '../../users/user.ts';
import type { UserStore } from '../../users/user-store.ts';
import { isFrench, retryAt } from '../account-mail.ts';
import type { ReplyAddresses, ReplyKind } from '../inbound/reply-address.ts';
import { countSent } from '../mail-metrics.ts';
import type { MailSource } from '../mail-worker.ts';
import { digestOf, mailOf, type Told } from './notification-mail.ts';
import type { NotificationMail, NotificationMailStore } from './notification-mail-store.ts';
import type { UnsubscribeLinks } from './unsubscribe-routes.ts';

export type NotificationMailDeps = {
  notificationMails: NotificationMailStore;
  notifications: Pick<NotificationStore, 'chosen'>;
  users: Pick<UserStore, 'find' | 'noteBounce' | 'clearBounce'>;
  companies: Pick<CompanyStore, 'find'>;
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
/** By then whatever cannot be delivered has come back. */
const provenAfterMs = 7 * 24 * 3_600_000;
const replyKinds: Record<'shared' | 'internal' | 'managers', ReplyKind> = {
  shared: 'public',
  internal: 'internal',
  managers: 'managers',
};

/** Sends notifications by e-mail, each at least once: the same again, for which a process had to die, has the same Message-ID. */
export function notificationMailSource(deps: NotificationMailDeps): MailSource<NotificationMail> {
  const { notificationMails: store, now } = deps;
  return {
    name: 'notification',
    dueKeys: store.dueKeys,
    claim: store.claim,
    release: (mails) => store.release(mails, now()),
    run: (mail) => send(deps, mail),
  };
}

async function send(deps: NotificationMailDeps, mail: NotificationMail): Promise<void> {
  const { notificationMails: store, users, preferences, now } = deps;
  const user = await users.find(mail.userId);
  const told = user?.active && !user.invited ? await stillTold(deps, user, mail) : [];
  if (!user || told.length === 0) return store.end(mail);
  const preferred = await preferences.find(user.id);
  if (mail.mode === 'now' && (await store.countOf(user.company_id, deps.mailsPerDay, now())) >= deps.mailsPerDay) {
    return store.delay(mail, emailDueAt('daily', now(), preferred.time_zone));
  }
  await deliver(deps, mail, user, await compose(deps, { mail, told, user, preferred }));
}

/** Those that the user may still get, and still wants. */
async function stillTold(deps: NotificationMailDeps, user: User, { notifications }: NotificationMail): Promise<Told[]> {
  const company = await deps.companies.find(user.company_id);
  if (company?.closed_at !== null) return [];
  const chosen = await deps.notifications.chosen(company.id, [user.id]);
  const settings = settingsOf(chosen.get(user.id) ?? {}, user, company.kind);
  const told: Told[] = [];
  for (const notification of notifications) {
    if ((settings[notification.kind]?.email ?? 'never') === 'never') continue;
    const actor = notification.actor_id ? await deps.users.find(notification.actor_id) : null;
    told.push({ notification, actor: actor && `${actor.first_name} ${actor.last_name}`.trim() });
  }
  return told;
}

type Composing = { mail: NotificationMail; told: Told[]; user: User; preferred: Preferences };

async function compose(deps: NotificationMailDeps, { mail, told, user, preferred }: Composing): Promise<Mail> {
  const { answerable, publicUrl, now } = deps;
  const [first] = told as [Told, ...Told[]];
  const { _id, kind, ticket, visibility } = first.notification;
  const { locale, time_zone: timeZone } = preferred;
  const reader = { isFrench: isFrench(locale), locale, timeZone };
  const isDigest = mail.mode !== 'now';
  const unsubscribeUrl = await deps.unsubscribe.urlOf(user.id, mail.mode === 'now' ? kind : mail.mode, now());
  const to = { consoleUrl: `${publicUrl.replace(/\/$/, '')}/console`, unsubscribeUrl };
  const bounceTo = answerable?.addressOf({ userId: user.id, ticketId: null, kind: 'bounce' }, now());
  const sent = { id: `notification.${_id}`, to: [user.email], unsubscribeUrl, ...(bounceTo ? { bounceTo } : {}) };
  if (isDigest) return { ...sent, ...digestOf(told, mail.mode as 'daily' | 'weekly', reader, to) };
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
