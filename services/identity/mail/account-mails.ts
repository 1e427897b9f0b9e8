import { newId } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { addressOf, createPasswordLink } from '../administration/password-link.ts';
import type { PasswordLinkStore } from '../administration/password-link-store.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import type { PreferencesStore } from '../users/preferences-store.ts';
import type { Invitation, User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { closedRetryMs, isFrench, linkLifetimeMs, mailRetryAt, mailText } from './account-mail.ts';
import type { AccountMailStore, ClaimedMail } from './account-mail-store.ts';
import { refusalMail } from './inbound/refusal-mail.ts';
import { type MailClient, MailError } from './mail-client.ts';
import type { Mail } from './mail-message.ts';
import type { MailSource } from './mail-worker.ts';

export type AccountMailDeps = {
  mails: AccountMailStore;
  users: Pick<UserStore, 'find' | 'findForLogin' | 'noteInvitation' | 'noteInvited'>;
  companies: Pick<CompanyStore, 'find'>;
  preferences: Pick<PreferencesStore, 'find'>;
  passwordLinks: Pick<PasswordLinkStore, 'put'>;
  /** Whether the user may log in with a password. */
  allowsPassword: (user: User) => Promise<boolean>;
  /** Runs work in a transaction of the database that the stores are in. */
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
  client: MailClient;
  /** The public address of the second API. */
  publicUrl: string;
  logger: Logger;
  now: () => Date;
};

/**
 * Sends e-mails about accounts, each at least once. The user of an address is looked up here, long
 * after the response, so that the time of the response does not reveal whether there is one. Each
 * try makes a new link, since links are only stored as hashes: of two e-mails only the newer one's
 * link works.
 */
export function createAccountMails(deps: AccountMailDeps) {
  const { mails, users, preferences, now } = deps;
  const source: MailSource<ClaimedMail> = {
    name: 'account',
    dueKeys: mails.dueDomains,
    claim: mails.claim,
    release: mails.release,
    renew: mails.renew,
    run: (mail) => send(deps, mail),
  };
  return {
    source,
    /**
     * Adds an invitation in the given transaction, in place of one that waits. It is in the user's language, or else in that of
     * the admin `by`.
     */
    async invite(user: User, by: string, within: Within): Promise<Invitation> {
      const { id: userId, email } = user;
      const { locale } = await preferences.find(by);
      const at = now();
      const id = newId(at);
      const invitation = { mail_id: id, asked_at: at.toISOString(), result: null };
      await mails.removeOf(user, within);
      const mail = { id, kind: 'invitation' as const, email, user_id: userId, locale, created_at: at, tries: 0 };
      await mails.add(mail, within);
      await users.noteInvitation(userId, invitation, within);
      return invitation;
    },
  };
}

async function send(deps: AccountMailDeps, mail: ClaimedMail): Promise<void> {
  const { mails, users, now } = deps;
  const { refusal } = mail;
  if (refusal) return deliver(deps, mail, refusalMail(refusal, isFrench(mail.locale)), () => mails.remove(mail));
  const user = mail.user_id === null ? (await users.findForLogin(mail.email))?.user : await users.find(mail.user_id);
  const company = user && (await deps.companies.find(user.company_id));
  // The result first: if the process dies in between, the e-mail is still there and both are
  // repeated.
  const remove = async (result: 'sent' | 'failed') => {
    if (user) await users.noteInvited(user.id, mail.id, result);
    await mails.remove(mail);
  };
  if (!user?.active || !company) return remove('failed');
  // Nothing is sent for a closed company. Invitations wait until it is opened again. Links for a
  // new password do not: nobody waits that long for one.
  if (company.closed_at !== null) {
    if (mail.kind !== 'invitation') return remove('failed');
    return mails.postpone(mail, now(), new Date(now().getTime() + closedRetryMs));
  }
  const composed = await compose(deps, mail, user);
  if (composed) await deliver(deps, mail, composed, remove, user.id);
}

/** `end`: removes the e-mail. */
async function deliver(
  { mails, client, logger, now }: AccountMailDeps,
  mail: ClaimedMail,
  composed: Pick<Mail, 'subject' | 'text'>,
  end: (result: 'sent' | 'failed') => Promise<void>,
  userId?: string,
): Promise<void> {
  const log = { ...(userId ? { userId } : {}), kind: mail.kind, tries: mail.tries };
  try {
    await client.send({ id: `${mail.id}.${mail.tries}`, to: [mail.email], ...composed });
  } catch (error) {
    const { message, final } = error instanceof MailError ? error : { message: String(error), final: false };
    const next = final ? null : mailRetryAt(mail, now());
    logger.warn('account mail not sent', { ...log, reason: message, givenUp: next === null });
    return next === null ? end('failed') : mails.retryAt(mail, next);
  }
  logger.info('account mail sent', log);
  return end('sent');
}

/** Null if the e-mail was removed meanwhile. */
async function compose(deps: AccountMailDeps, mail: ClaimedMail, user: User) {
  const { mails, passwordLinks, preferences, companies, transaction, publicUrl, now } = deps;
  const [{ locale }, company] = await Promise.all([preferences.find(user.id), companies.find(user.company_id)]);
  const texts = { locale: locale ?? mail.locale, company: company?.name ?? '' };
  if (!(await deps.allowsPassword(user))) {
    return mailText({ ...texts, purpose: 'single_sign_on', url: `${publicUrl.replace(/\/$/, '')}/console` });
  }
  // A user who has not accepted the invitation yet is invited again.
  const purpose = user.invited || mail.kind === 'invitation' ? 'invitation' : 'password_reset';
  const created = createPasswordLink(user.id, now(), linkLifetimeMs[purpose]);
  // A password set meanwhile has removed the e-mail, and no link may outlive that.
  const isStored = await transaction(async (session) => {
    if (!(await mails.noteLink(mail, { session }))) return false;
    await passwordLinks.put(created, { session });
    return true;
  });
  return isStored ? mailText({ ...texts, purpose, url: addressOf(created.token, publicUrl) }) : null;
}
