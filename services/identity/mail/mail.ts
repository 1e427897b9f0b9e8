import { domainOf } from '../sso/sso-settings.ts';
import { type AccountMailDeps, createAccountMails } from './account-mails.ts';
import { type AnswerDeps, createAnswers } from './inbound/answers.ts';
import { createMailbox } from './inbound/mailbox.ts';
import type { MailboxStore } from './inbound/mailbox-store.ts';
import { createTicketApi } from './inbound/ticket-api.ts';
import { createMailClient, type MailServer } from './mail-client.ts';
import { createMailWorker } from './mail-worker.ts';
import { type NotificationMailDeps, notificationMailSource } from './outbound/notification-mails.ts';

/** How e-mails are answered. `gatewayUrl`: where the ticket API is. `inboundSecret`, `imapUrl`: the ways in, if there are any. */
export type AnswerSettings = {
  domain: string;
  gatewayUrl: string;
  inboundSecret?: string | undefined;
  imapUrl?: string | undefined;
};

type Made = 'client' | 'tickets' | 'answerable';
type Deps = Omit<AccountMailDeps & AnswerDeps & NotificationMailDeps, Made> & {
  mailboxes: MailboxStore;
  server: MailServer;
  answers: AnswerSettings | null;
  leaseMs?: number | undefined;
};

export type MailParts = ReturnType<typeof createMail>;

/** All that sends e-mails and takes them, over one queue and one client. */
export function createMail({ server, answers: settings, leaseMs, ...deps }: Deps) {
  const { mailboxes, inboundMails, logger, now } = deps;
  const client = createMailClient(server);
  const accounts = createAccountMails({ ...deps, client });
  const answers = settings && createAnswers({ ...deps, tickets: createTicketApi(settings.gatewayUrl) });
  const url = settings?.imapUrl;
  const mailbox = url ? createMailbox({ mailboxes, url, inboundMails, logger, now }) : null;
  const notifications = notificationMailSource({ ...deps, client, answerable: settings && deps.addresses });
  const inward = [...(answers ? [answers.source] : []), ...(mailbox ? [mailbox] : [])];
  const sources = [accounts.source, notifications, ...inward];
  const queue = createMailWorker({ sources, logger, now, leaseMs });
  return {
    start: () => queue.start(),
    /** Tells the worker that an e-mail to this address was added. */
    notify: (email: string) => queue.notify(`account:${domainOf(email)}`),
    notifyInbound: (userId: string) => queue.notify(`inbound:${userId}`),
    invite: accounts.invite,
    async stop(): Promise<void> {
      await queue.stop();
      await answers?.close();
      client.close();
    },
  };
}
