import nodemailer from 'nodemailer';
import type { Mail } from './mail-message.ts';

export type MailClient = ReturnType<typeof createMailClient>;

/** `final`: the server will not take this e-mail at another time either. `noRecipient`: no e-mail to these addresses. */
export class MailError extends Error {
  readonly final: boolean;
  readonly noRecipient: boolean;

  constructor(message: string, given: { final: boolean; noRecipient: boolean; cause: unknown }) {
    super(message, { cause: given.cause });
    this.final = given.final;
    this.noRecipient = given.noRecipient;
  }
}

/**
 * `url`: `smtp://user:password@host:port` or `smtps://…`; `from`: `Somebody <somebody@example.com>`; `stepMs`: how long each step may
 * take, 10 s.
 */
export type MailServer = { url: string; from: string; stepMs?: number };

/** E-mail through an SMTP server, with every step bounded in time. */
export function createMailClient({ url, from, stepMs = 10_000 }: MailServer) {
  const timeouts = { connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs };
  const transport = nodemailer.createTransport({ url, ...timeouts });
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    /** Resolves once the server has accepted the e-mail for at least one of its addresses. @throws MailError */
    async send({ id, to, thread, bounceTo, unsubscribeUrl, ...shown }: Mail): Promise<void> {
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
        const { code, command, responseCode = 0 } = cause as { code?: string; command?: string; responseCode?: number };
        // The addresses or the message were refused for good. Anything else may pass, even a wrong password or sender:
        // somebody may correct it.
        const noRecipient = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500;
        const final = noRecipient || (code === 'EMESSAGE' && responseCode >= 500);
        throw new MailError(`${code ?? 'error'} ${responseCode || ''}`.trim(), { final, noRecipient, cause });
      });
    },
    close: (): void => transport.close(),
  };
}
