import { newId } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { createMailClient, type MailClient, MailError, type MailServer } from '@app/runtime/mail';
import { WorkQueue } from '@app/work-queue';
import { addressOf, createPasswordLink } from '../administration/password-link.ts';
import type { PasswordLinkStore } from '../administration/password-link-store.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import { domainOf } from '../sso/sso-settings.ts';
import type { PreferencesStore } from '../users/preferences-store.ts';
import type { Invitation, User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { closedRetryMs, linkLifetimeMs, type MailPurpose, mailRetryAt, mailText } from './account-mail.ts';
import type { AccountMailStore, ClaimedMail } from './account-mail-store.ts';

export type AccountMailWorker = ReturnType<typeof createAccountMailWorker>;

type AccountMailDeps = {
  mails: AccountMailStore;
  users: Pick<UserStore, 'find' | 'findForLogin' | 'noteInvitation' | 'noteInvited'>;
  companies: Pick<CompanyStore, 'find'>;
  preferences: Pick<PreferencesStore, 'find'>;
  passwordLinks: Pick<PasswordLinkStore, 'put'>;
  /** Whether the user may log in with a password. */
  allowsPassword: (user: User) => Promise<boolean>;
  /** Runs work in a transaction of the database that the stores are in. */
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
  server: MailServer;
  /** The public address of the second API. */
  publicUrl: string;
  logger: Logger;
  now: () => Date;
};

/** Domains of addresses take turns: one that hangs, or gets very many e-mails, holds up no other. */
const limits = { perKey: 4, total: 8 };
/** Longer than all time-outs of sending one e-mail. */
const leaseMs = 120_000;
const abortAfterMs = 3_000;

/**
 * Sends e-mails about accounts, each at least once. The user of an address is looked up here, long
 * after the response, so that the time of the response does not reveal whether there is one. Each
 * try makes a new link, since links are only stored as hashes: of two e-mails only the newer one's
 * link works.
 */
export function createAccountMailWorker(deps: AccountMailDeps) {
  const { mails, users, preferences, logger, now } = deps;
  const client = createMailClient(deps.server);
  const queue = new WorkQueue<ClaimedMail>({
    dueKeys: (after, limit, at) => mails.dueDomains(after, limit, at),
    claim: (domain, limit, lease) => mails.claim(domain, limit, lease),
    release: (unstarted) => mails.release(unstarted, now()),
    run: (mail) => send(deps, client, mail),
    spanOf: () => ({ name: 'account mail', kind: 'internal' }),
    limits,
    leaseMs,
    abortAfterMs,
    now,
    logger,
  });
  return {
    start: (): void => queue.start(),
    /** Tells the worker that an e-mail to this address was added. */
    notify: (email: string): void => queue.notify(domainOf(email)),
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
    async stop(): Promise<void> {
      await queue.stop();
      client.close();
    },
  };
}

async function send(deps: AccountMailDeps, client: MailClient, mail: ClaimedMail): Promise<void> {
  const { mails, users, logger, now } = deps;
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
  const log = { userId: user.id, kind: mail.kind, tries: mail.tries };
  const composed = await compose(deps, mail, user);
  if (!composed) return;
  try {
    await client.send({ id: `${mail.id}.${mail.tries}`, to: [mail.email], ...composed });
  } catch (error) {
    const { message, final } = error instanceof MailError ? error : { message: String(error), final: false };
    const next = final ? null : mailRetryAt(mail, now());
    logger.warn('account mail not sent', { ...log, reason: message, givenUp: next === null });
    return next === null ? remove('failed') : mails.retryAt(mail, next);
  }
  logger.info('account mail sent', log);
  return remove('sent');
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
  const purpose: MailPurpose & keyof typeof linkLifetimeMs = user.invited ? 'invitation' : mail.kind;
  const created = createPasswordLink(user.id, now(), linkLifetimeMs[purpose]);
  // A password set meanwhile has removed the e-mail, and no link may outlive that.
  const isStored = await transaction(async (session) => {
    if (!(await mails.noteLink(mail, { session }))) return false;
    await passwordLinks.put(created, { session });
    return true;
  });
  return isStored ? mailText({ ...texts, purpose, url: addressOf(created.token, publicUrl) }) : null;
}
