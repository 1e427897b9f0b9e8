import Joi from 'joi';
import { secret } from '../index.ts';
import type { MailServer } from './mail-client.ts';

/** Joi for the address of an SMTP server. */
export const smtpUrl = secret(
  Joi.string()
    .uri({ scheme: ['smtp', 'smtps'] })
    .unit('smtp://user:password@host:port, or smtps://…'),
);

/** Joi for the sender of e-mails. */
export const smtpFrom = Joi.string()
  .pattern(/^(?:[^<>@\s]+@[^<>@\s]+|[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>)$/, 'Somebody <somebody@example.com>')
  .unit('Somebody <somebody@example.com>');

type Settings = { SMTP_URL?: string; SMTP_FROM?: string; PUBLIC_TS_API_URL?: string };

/** Null without SMTP_URL. The sender is `sender` at the host of the second API, unless the settings name another. */
export function mailServerOf(
  { SMTP_URL: url, SMTP_FROM, PUBLIC_TS_API_URL }: Settings,
  sender: string,
): MailServer | null {
  if (!url) return null;
  const host = PUBLIC_TS_API_URL ? new URL(PUBLIC_TS_API_URL).hostname : 'localhost';
  return { url, from: SMTP_FROM ?? `${sender}@${host}` };
}
