import { type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import { sameSecret } from '../../random-secret.ts';
import type { InboundMailStore } from './inbound-mail-store.ts';

type Deps = {
  inboundMails: Pick<InboundMailStore, 'add'>;
  /** What whoever delivers e-mails has to know; null: nobody does. */
  secret: string | null;
  mailWorker: { notifyInbound(userId: string): void } | null;
  now: () => Date;
};

export const maxMailMb = 10;

/** Takes e-mails that a mail server, or a provider of one, delivers. */
export function inboundRoutes({ inboundMails, secret, mailWorker, now }: Deps): Route[] {
  return [
    route<object, object, Buffer>({
      host: 'ts',
      method: 'post',
      path: '/mail/inbound',
      summary: 'Deliver an e-mail that answers one of ours',
      errors: ['401 mail_secret_wrong'],
      description:
        'The e-mail as RFC 5322 has it, of at most 10 MB, with the header `X-Mail-Secret`: the setting MAIL_INBOUND_SECRET. Answered once it ' +
        'is stored; the same e-mail again, by its Message-ID, has no effect. docs/mail.md says what becomes of it.',
      tag: 'E-mail',
      access: 'public',
      raw: { type: 'message/rfc822', maxMb: maxMailMb },
      reply: { status: 202 },
      // Before the body is read.
      async load({ req }) {
        if (secret !== null && sameSecret(String(req.headers['x-mail-secret'] ?? ''), secret)) return undefined;
        throw new AppError('unauthenticated', 'mail_secret_wrong', 'X-Mail-Secret is not MAIL_INBOUND_SECRET');
      },
      async handle({ body }) {
        mailWorker?.notifyInbound(await inboundMails.add(body, now()));
      },
    }),
  ];
}
