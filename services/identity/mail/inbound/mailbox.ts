import { gaugeOnScrape, type Logger } from '@app/runtime';
import { ImapFlow } from 'imapflow';
import type { MailSource } from '../mail-worker.ts';
import type { InboundMailStore } from './inbound-mail-store.ts';
import { maxMailMb } from './inbound-routes.ts';
import type { ClaimedMailbox, MailboxStore } from './mailbox-store.ts';

const everyMs = 30_000;
const stepMs = 10_000;
/** Within one lease. */
const perRun = { messages: 50, ms: 60_000 };
const maxBytes = maxMailMb * 1024 * 1024;
/** Of an e-mail that is too large: enough to know who sent it. */
const headBytes = 256 * 1024;

type Deps = {
  mailboxes: MailboxStore;
  /** `imaps://user:password@host:port/folder`, by default the folder INBOX. */
  url: string;
  inboundMails: Pick<InboundMailStore, 'add'>;
  logger: Logger;
  now: () => Date;
};

/** Takes e-mails out of an IMAP mailbox, which is the platform's own: each is deleted there once it is stored here. */
export function createMailbox({ mailboxes, url, inboundMails, logger, now }: Deps): MailSource<ClaimedMailbox> {
  gaugeOnScrape({
    name: 'mailbox_unread_seconds',
    help: 'Seconds since the mailbox of answers was last read',
    read: async () => {
      const readAt = await mailboxes.readAt();
      return readAt ? [{ value: (now().getTime() - readAt.getTime()) / 1_000 }] : [];
    },
  });
  return {
    name: 'mailbox',
    dueKeys: mailboxes.dueKeys,
    claim: (_key, _limit, lease) => mailboxes.claim(lease),
    release: (mailbox, dueAt) => mailboxes.end(mailbox, { dueAt }),
    async run(mailbox, signal) {
      const begun = now();
      try {
        const hasMore = await readMessages(url, signal, (raw, isTooLarge) =>
          inboundMails.add(raw, now(), { isTooLarge }),
        );
        const dueAt = new Date(now().getTime() + (hasMore ? 0 : everyMs));
        await mailboxes.end(mailbox, { dueAt, read_at: begun });
      } catch (error) {
        logger.warn('the mailbox of answers could not be read', { error: withoutSecrets(error) });
        await mailboxes.end(mailbox, { dueAt: new Date(now().getTime() + everyMs) });
      }
    },
  };
}

/** @returns whether there is more to read */
async function readMessages(
  url: string,
  signal: AbortSignal,
  store: (raw: Buffer, isTooLarge: boolean) => Promise<unknown>,
): Promise<boolean> {
  const { client, folder } = clientOf(url);
  const close = () => client.close();
  signal.addEventListener('abort', close);
  const until = performance.now() + perRun.ms;
  try {
    await client.connect();
    const { exists } = await client.mailboxOpen(folder);
    if (exists === 0) return false;
    const listed = await client.fetchAll(`1:${perRun.messages}`, { uid: true, size: true });
    for (const { uid, size = 0 } of listed) {
      if (performance.now() > until) return true;
      const isTooLarge = size > maxBytes;
      const source = { start: 0, maxLength: isTooLarge ? headBytes : maxBytes };
      const { source: raw } = (await client.fetchOne(String(uid), { source }, { uid: true })) || {};
      // Deleted only then: if the process dies in between, it is read again, and known.
      if (raw) await store(raw, isTooLarge);
      await client.messageDelete(String(uid), { uid: true });
    }
    await client.logout();
    return exists > listed.length;
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function clientOf(text: string): { client: ImapFlow; folder: string } {
  const url = new URL(text);
  const secure = url.protocol === 'imaps:';
  const client = new ImapFlow({
    host: url.hostname,
    port: Number(url.port || (secure ? 993 : 143)),
    secure,
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    logger: false,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
  });
  // What it fails with, the call that waits for it is told, too.
  client.on('error', () => undefined);
  return { client, folder: decodeURIComponent(url.pathname.slice(1)) || 'INBOX' };
}

/** What the server answered may quote the command, with the password. */
function withoutSecrets(error: unknown): string {
  const { code, responseStatus } = error as { code?: string; responseStatus?: string };
  return [code, responseStatus].filter(Boolean).join(' ') || (error instanceof Error ? error.name : 'unknown');
}
