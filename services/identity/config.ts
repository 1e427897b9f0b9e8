import { Resolver } from 'node:dns';
import { encryptionKeys, loadConfig, type NamedKey, namedKeys, secret, webUrl } from '@app/runtime';
import { networkList } from '@app/runtime/ssrf-guard';
import { type ServiceSettings, serviceSettings } from '@app/service';
import Joi from 'joi';
import type { AnswerSettings } from './mail/mail.ts';
import type { MailServer } from './mail/mail-client.ts';

export type Settings = ServiceSettings & {
  SESSION_KEYS: NamedKey[];
  PLATFORM_ADMIN_TOKEN: string;
  PLATFORM_ADMIN_TOKEN_PREVIOUS?: string;
  PUBLIC_TS_API_URL: string;
  SMTP_URL?: string;
  SMTP_FROM?: string;
  REPLY_DOMAIN?: string;
  MAIL_INBOUND_SECRET?: string;
  IMAP_URL?: string;
  GATEWAY_URL?: string;
  NOTIFICATION_MAILS_PER_DAY: number;
  CREDENTIALS_KEYS?: NamedKey[];
  SSO_ALLOW_NETWORKS: string[];
  SSO_DNS_SERVERS: string[];
};

/** Without it REPLY_DOMAIN would do nothing. */
const neededWith = { not: Joi.exist(), otherwise: Joi.required() };

export const settingSchemas = {
  ...serviceSettings,
  SESSION_KEYS: namedKeys.required().description('the first signs sessions, all verify them'),
  PLATFORM_ADMIN_TOKEN: secret(
    Joi.string()
      .min(24)
      .required()
      .unit('at least 24 characters')
      .description('bearer token of platform administration; has no default anywhere'),
  ),
  PLATFORM_ADMIN_TOKEN_PREVIOUS: secret(
    Joi.string()
      .min(24)
      .unit('at least 24 characters')
      .description('the token before it, accepted as well while those who have it change to the new one'),
  ),
  PUBLIC_TS_API_URL: webUrl
    .required()
    .description(
      'the second API as users see it, where links for passwords lead; its cookie is Secure unless this is plain http',
    ),
  SMTP_URL: secret(
    Joi.string()
      .uri({ scheme: ['smtp', 'smtps'] })
      .unit('smtp://user:password@host:port, or smtps://…')
      .description('server for invitations, new passwords and notifications; unset: admins pass the links on')
      .when('REPLY_DOMAIN', neededWith),
  ),
  SMTP_FROM: Joi.string()
    .pattern(/^(?:[^<>@\s]+@[^<>@\s]+|[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>)$/, 'Somebody <somebody@example.com>')
    .unit('Somebody <somebody@example.com>')
    .description('sender of these e-mails, by default accounts@ and the host of PUBLIC_TS_API_URL'),
  REPLY_DOMAIN: Joi.string()
    .domain({ tlds: false })
    .unit('reply.example.com')
    .description(
      'domain of the addresses by which e-mails are answered, and to which those come back that cannot be delivered; unset: neither (docs/mail.md)',
    ),
  MAIL_INBOUND_SECRET: secret(
    Joi.string()
      .min(24)
      .unit('at least 24 characters')
      .description('with it `POST /mail/inbound` takes e-mails to REPLY_DOMAIN; unset: it takes none'),
  ),
  IMAP_URL: secret(
    Joi.string()
      .uri({ scheme: ['imap', 'imaps'] })
      .unit('imaps://user:password@host:port/folder')
      .description('mailbox of REPLY_DOMAIN, emptied every 30 s; needed with that without MAIL_INBOUND_SECRET')
      .when('MAIL_INBOUND_SECRET', { is: Joi.exist(), otherwise: Joi.when('REPLY_DOMAIN', neededWith) }),
  ),
  GATEWAY_URL: webUrl
    .description('where the gateway serves the ticket API, for notes of answered e-mails; needed with REPLY_DOMAIN')
    .when('REPLY_DOMAIN', neededWith),
  NOTIFICATION_MAILS_PER_DAY: Joi.number()
    .integer()
    .min(0)
    .default(2_000)
    .unit('e-mails')
    .description('notifications that users of a company are sent at once on a day; more go with their daily digests'),
  CREDENTIALS_KEYS: encryptionKeys.description(
    'the first seals the client secrets of single sign-on, all open them; unset: there is no single sign-on',
  ),
  SSO_ALLOW_NETWORKS: networkList
    .default([])
    .description('networks where providers of single sign-on may be although they are not public'),
  SSO_DNS_SERVERS: Joi.string()
    .allow('')
    .custom(dnsServers)
    .default([])
    .unit('addresses with commas')
    .description('DNS servers that are asked for the records of e-mail domains; unset: those of the system'),
};

function dnsServers(text: string, helpers: Joi.CustomHelpers) {
  const servers = text.split(',').flatMap((server) => server.trim() || []);
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch (error) {
    return helpers.message({ custom: `{{#label}}: ${(error as Error).message}` });
  }
}

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}

export function platformAdminTokensOf(settings: Settings): string[] {
  const { PLATFORM_ADMIN_TOKEN: token, PLATFORM_ADMIN_TOKEN_PREVIOUS: previous } = settings;
  return previous === undefined ? [token] : [token, previous];
}

type MailSettings = Pick<Settings, 'SMTP_URL' | 'SMTP_FROM' | 'PUBLIC_TS_API_URL'>;

/** Null without SMTP_URL. */
export function mailServerOf({ SMTP_URL: url, SMTP_FROM, PUBLIC_TS_API_URL }: MailSettings): MailServer | null {
  return url ? { url, from: SMTP_FROM ?? `accounts@${new URL(PUBLIC_TS_API_URL).hostname}` } : null;
}

/** Null unless e-mails can be answered. */
export function answersOf(settings: Settings): AnswerSettings | null {
  const { REPLY_DOMAIN: domain, GATEWAY_URL: gatewayUrl } = settings;
  if (domain === undefined || gatewayUrl === undefined) return null;
  return { domain, gatewayUrl, inboundSecret: settings.MAIL_INBOUND_SECRET, imapUrl: settings.IMAP_URL };
}
