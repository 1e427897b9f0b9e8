import { Resolver } from 'node:dns';
import { dataSettings, encryptionKeys, loadConfig, type NamedKey, namedKeys, secret, webUrl } from '@app/runtime';
import { smtpFrom, smtpUrl } from '@app/runtime/mail';
import { networkList } from '@app/runtime/ssrf-guard';
import { type ServiceSettings, serviceSettings } from '@app/service';
import Joi from 'joi';

export type Settings = ServiceSettings & {
  SESSION_KEYS: NamedKey[];
  PLATFORM_ADMIN_TOKEN: string;
  PLATFORM_ADMIN_TOKEN_PREVIOUS?: string;
  PUBLIC_TS_API_URL: string;
  SMTP_URL?: string;
  SMTP_FROM?: string;
  CREDENTIALS_KEYS?: NamedKey[];
  SSO_ALLOW_NETWORKS: string[];
  SSO_DNS_SERVERS: string[];
};

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
  SMTP_URL: smtpUrl.description('server for invitations and new passwords; unset: admins pass the links on'),
  SMTP_FROM: smtpFrom.description('sender of these e-mails, by default accounts@ and the host of PUBLIC_TS_API_URL'),
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

/** Only the settings of the re-encrypt command. @throws ConfigError */
export function loadReEncryptSettings(env: NodeJS.ProcessEnv = process.env) {
  // The port is a setting of all programs; this command does not listen.
  return loadConfig<{ MONGODB_URL: string; CREDENTIALS_KEYS: NamedKey[] }>(
    { MONGODB_URL: dataSettings.MONGODB_URL, CREDENTIALS_KEYS: settingSchemas.CREDENTIALS_KEYS.required() },
    { ...env, OPS_PORT: '1' },
  );
}

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}

export function platformAdminTokensOf(settings: Settings): string[] {
  const { PLATFORM_ADMIN_TOKEN: token, PLATFORM_ADMIN_TOKEN_PREVIOUS: previous } = settings;
  return previous === undefined ? [token] : [token, previous];
}
