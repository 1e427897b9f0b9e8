import nodemailer from 'nodemailer';
import type { Mail } from './mail.ts';

export type MailClient = {
  /** Resolves once the server has accepted the e-mail for at least one of its addresses. @throws MailError */
  send(mail: Mail): Promise<void>;
  close(): void;
};

/** `final`: the server will not take this e-mail at another time either. */
export class MailError extends Error {
  readonly final: boolean;

  constructor(message: string, { final, cause }: { final: boolean; cause: unknown }) {
    super(message, { cause });
    this.final = final;
  }
}

/** `url`: `smtp://user:password@host:port` or `smtps://…`; `from`: `Somebody <somebody@example.com>`. */
export type MailServer = { url: string; from: string };

const stepMs = 10_000;

/** E-mail through an SMTP server, with every step bounded in time. */
export function createMailClient({ url, from }: MailServer): MailClient {
  const timeouts = { connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs };
  const transport = nodemailer.createTransport({ url, ...timeouts });
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ id, to, thread, bounceTo, unsubscribeUrl, ...shown }) {
      const headers = {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl
          ? { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
          : {}),
      };
      const content = {
        ...shown,
        from,
        to,
        headers,
        messageId: `<${id}@${domain}>`,
        ...(thread ? { references: `<${thread}@${domain}>`, inReplyTo: `<${thread}@${domain}>` } : {}),
        ...(bounceTo ? { envelope: { from: bounceTo, to } } : {}),
      };
      await transport.sendMail({ ...content, disableFileAccess: true, disableUrlAccess: true }).catch((cause) => {
        const { code, responseCode = 0 } = cause as { code?: string; responseCode?: number };
        // The addresses or the message were refused for good. Anything else may pass, even a wrong password: somebody
        // may correct it.
        const final = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
        throw new MailError(`${code ?? 'error'} ${responseCode || ''}`.trim(), { final, cause });
      });
    },
    close: () => transport.close(),
  };
}
