import { type CommonSettings, duration, loadConfig, mongoUrl, secret, webUrl } from '@app/runtime';
import Joi from 'joi';
import type { HostName, ServiceName } from './routing/routes.ts';

type OwnSettings = {
  TICKET_API_PORT: number;
  TS_API_PORT: number;
  DOWNLOAD_PORT: number;
  PUBLIC_TICKET_API_URL: string;
  PUBLIC_TS_API_URL: string;
  PUBLIC_DOWNLOAD_URL: string;
  IDENTITY_URL: string;
  TICKET_URL: string;
  WEBHOOK_DISPATCHER_URL: string;
  PURCHASE_URL?: string;
  CONNECTION_URL?: string;
  INVOICE_RECONCILIATION_URL?: string;
  CONSOLE_URL?: string;
  INTERNAL_TOKEN_PRIVATE_KEY: string;
  RATE_LIMIT_PER_MINUTE: number;
  RATE_LIMIT_PER_COMPANY?: number;
  RATE_LIMIT_STORE_URL?: string;
  MAX_IN_FLIGHT: number;
  MAX_IN_FLIGHT_PER_ADDRESS: number;
  MAX_IN_FLIGHT_PER_CREDENTIAL: number;
  MAX_CONNECTIONS_PER_ADDRESS: number;
  UPSTREAM_TIMEOUT: number;
  TRUSTED_PROXIES: number;
  ACCESS_LOG_SAMPLE_RATE: number;
  ALLOWED_ORIGINS: string;
};

export type Settings = CommonSettings & OwnSettings;

const requests = Joi.number().integer().min(1).unit('requests');
const port = Joi.number().port().required().unit('port');

export const settingSchemas = {
  TICKET_API_PORT: port.description('port of the ticket API; hosts may share a port, Host then distinguishes them'),
  TS_API_PORT: port.description('port of the second API'),
  DOWNLOAD_PORT: port.description('port of the downloads'),
  PUBLIC_TICKET_API_URL: webUrl.required().description('the ticket API as users see it'),
  PUBLIC_TS_API_URL: webUrl.required().description('the second API as users see it'),
  PUBLIC_DOWNLOAD_URL: webUrl.required().description('the downloads as users see them'),
  IDENTITY_URL: webUrl.required().description('where the identity service listens'),
  TICKET_URL: webUrl.required().description('where the ticket service listens'),
  WEBHOOK_DISPATCHER_URL: webUrl.required().description('where the webhook dispatcher listens'),
  PURCHASE_URL: webUrl.description('where the purchase service listens; without it its paths are 404'),
  CONNECTION_URL: webUrl.description('where the connection service listens; without it its paths are 404'),
  INVOICE_RECONCILIATION_URL: webUrl.description('where invoice-reconciliation listens; without it its paths are 404'),
  CONSOLE_URL: webUrl.description(
    'where the console listens; without it its paths are 404: the pages under /console, the API documents, the guide',
  ),
  INTERNAL_TOKEN_PRIVATE_KEY: secret(
    Joi.string()
      .pattern(/^[\w.-]{1,64}:[\w-]+$/)
      .required()
      .unit('kid:base64url(PKCS#8 DER)')
      .description('the Ed25519 key that signs internal tokens; only the gateway has it'),
  ),
  RATE_LIMIT_PER_MINUTE: Joi.number()
    .integer()
    .min(1)
    .default(600)
    .unit('requests a minute')
    .description('per token or session, per address without either; per replica, unless RATE_LIMIT_STORE_URL is set'),
  RATE_LIMIT_PER_COMPANY: Joi.number()
    .integer()
    .min(1)
    .unit('requests a minute')
    .description(
      'of a company with all its tokens and sessions together; per replica, unless RATE_LIMIT_STORE_URL is set; unset: ten times RATE_LIMIT_PER_MINUTE',
    ),
  RATE_LIMIT_STORE_URL: secret(
    mongoUrl.description(
      'MongoDB in which all replicas of the gateway count requests together, in a database `gateway`; costs each request a round trip or two. Unset: each counts by itself',
    ),
  ),
  MAX_IN_FLIGHT: requests.default(1000).description('requests at once, then 503 overloaded'),
  MAX_IN_FLIGHT_PER_ADDRESS: requests
    .default(500)
    .description(
      'requests of one address at once, those still sending their body included, then 429; see TRUSTED_PROXIES',
    ),
  MAX_IN_FLIGHT_PER_CREDENTIAL: requests
    .default(300)
    .description('requests of one token or session at once, then 429 concurrency_limited'),
  MAX_CONNECTIONS_PER_ADDRESS: requests
    .default(1000)
    .unit('connections')
    .description('connections of one address, then 429; not counted if TRUSTED_PROXIES is above 0'),
  UPSTREAM_TIMEOUT: duration
    .default(15_000)
    .description('how long a service may take to respond, from the last byte of the request'),
  TRUSTED_PROXIES: Joi.number()
    .integer()
    .min(0)
    .max(16)
    .default(0)
    .unit('proxies')
    .description('number of our own proxies before the gateway, whose X-Forwarded-For is trusted'),
  ACCESS_LOG_SAMPLE_RATE: Joi.number()
    .min(0)
    .max(1)
    .default(1)
    .unit('0 to 1')
    .description('the share of requests that are logged; errors other than 429 always are'),
  ALLOWED_ORIGINS: Joi.string()
    .allow('')
    .default('')
    .custom(
      (list: string) =>
        list
          .split(',')
          .filter(Boolean)
          .map((origin) => new URL(origin.trim())) && list,
    )
    .unit('https://a.example,…')
    .description("origins, besides the second API's own, whose pages may use the session cookie"),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<OwnSettings>(settingSchemas, env);
}

export function portsOf(settings: Settings): Record<HostName, number> {
  return { ticket: settings.TICKET_API_PORT, ts: settings.TS_API_PORT, download: settings.DOWNLOAD_PORT };
}

export function publicUrlsOf(settings: Settings): Record<HostName, string> {
  return {
    ticket: settings.PUBLIC_TICKET_API_URL,
    ts: settings.PUBLIC_TS_API_URL,
    download: settings.PUBLIC_DOWNLOAD_URL,
  };
}

export function servicesOf(settings: Settings): Map<ServiceName, string> {
  const urls: Record<ServiceName, string | undefined> = {
    identity: settings.IDENTITY_URL,
    ticket: settings.TICKET_URL,
    'webhook-dispatcher': settings.WEBHOOK_DISPATCHER_URL,
    purchase: settings.PURCHASE_URL,
    connection: settings.CONNECTION_URL,
    'invoice-reconciliation': settings.INVOICE_RECONCILIATION_URL,
    console: settings.CONSOLE_URL,
  };
  return new Map(Object.entries(urls).filter(([, url]) => url !== undefined) as [ServiceName, string][]);
}
