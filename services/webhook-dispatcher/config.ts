import { duration, durations, encryptionKeys, loadConfig, type NamedKey, secret } from '@app/runtime';
import { networkList } from '@app/runtime/ssrf-guard';
import { type ServiceSettings, serviceSettings } from '@app/service';
import Joi from 'joi';

export type Settings = ServiceSettings & {
  CREDENTIALS_KEYS: NamedKey[];
  WEBHOOK_RETRY_DELAYS: number[];
  WEBHOOK_TIMEOUT: number;
  WEBHOOK_ALLOW_NETWORKS: string[];
  WEBHOOK_PROXY_URL?: string;
  WEBHOOK_ENDPOINT_CONCURRENCY: number;
  WEBHOOK_TOTAL_CONCURRENCY: number;
};

export const settingSchemas = {
  ...serviceSettings,
  CREDENTIALS_KEYS: encryptionKeys.required().description('the first seals stored secrets, all open them'),
  WEBHOOK_RETRY_DELAYS: durations
    .default([60_000, 300_000, 1_800_000, 7_200_000, 43_200_000])
    .description('delays of the retries'),
  WEBHOOK_TIMEOUT: duration
    .default(10_000)
    .description(
      'of an attempt, DNS to last byte; must be shorter than UPSTREAM_TIMEOUT, in which a test of an endpoint is answered',
    ),
  WEBHOOK_ALLOW_NETWORKS: networkList
    .default([])
    .description('networks that may be called although they are not public'),
  WEBHOOK_PROXY_URL: secret(
    Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .unit('http://user:password@host:port')
      .description('forward proxy that webhooks leave through, by CONNECT to an address that was checked; unset: none'),
  ),
  WEBHOOK_ENDPOINT_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(1000)
    .default(16)
    .unit('attempts')
    .description('attempts in flight per endpoint, of each replica'),
  WEBHOOK_TOTAL_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(20_000)
    .default(1000)
    .unit('attempts')
    .description('attempts in flight in all, of each replica'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}

export function sendingOf(settings: Settings) {
  return {
    timeoutMs: settings.WEBHOOK_TIMEOUT,
    retryDelaysMs: settings.WEBHOOK_RETRY_DELAYS,
    endpointConcurrency: settings.WEBHOOK_ENDPOINT_CONCURRENCY,
    totalConcurrency: settings.WEBHOOK_TOTAL_CONCURRENCY,
    allowNetworks: settings.WEBHOOK_ALLOW_NETWORKS,
    proxy: settings.WEBHOOK_PROXY_URL ? new URL(settings.WEBHOOK_PROXY_URL) : null,
  };
}
