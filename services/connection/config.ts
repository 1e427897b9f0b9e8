import { type ProviderSettings, providerSettings } from '@app/providers';
import { duration, durations, encryptionKeys, loadConfig, type NamedKey, webUrl } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';
import Joi from 'joi';
import type { WorkLimits } from './app.ts';

export type Settings = ServiceSettings &
  StorageSettings &
  ProviderSettings & {
    CREDENTIALS_KEYS: NamedKey[];
    PUBLIC_TS_API_URL?: string;
    PROVIDER_POLL_INTERVAL: number;
    PROVIDER_RETRY_DELAYS: number[];
    PROVIDER_TIMEOUT: number;
    PROVIDER_PROBE_INTERVAL: number;
    PROVIDER_CONCURRENCY: number;
    PROVIDER_TOTAL_CONCURRENCY: number;
  };

const leaseMs = 30_000;

export const settingSchemas = {
  ...serviceSettings,
  ...storageSettings,
  ...providerSettings,
  CREDENTIALS_KEYS: encryptionKeys.required().description('the first seals stored secrets, all open them'),
  PUBLIC_TS_API_URL: webUrl.description(
    'the second API as providers reach it, where those call back that take subscriptions; unset: connections are polled alone',
  ),
  PROVIDER_POLL_INTERVAL: duration.default(300_000).description('how often a connection is polled'),
  PROVIDER_RETRY_DELAYS: durations
    .default([60_000, 300_000, 1_800_000, 7_200_000, 43_200_000])
    .description('delays of the retries of a call that failed, of fetches and feedback alike'),
  PROVIDER_TIMEOUT: duration.default(10_000).description('of each call to a provider, to its last byte'),
  PROVIDER_PROBE_INTERVAL: duration
    .default(3_600_000)
    .description('how long a connection is left alone whose key the provider refused'),
  PROVIDER_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(200)
    .default(16)
    .unit('calls')
    .description('calls at once, per connection'),
  PROVIDER_TOTAL_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(2000)
    .default(64)
    .unit('calls')
    .description('calls at once, in all'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}

export function limitsOf(settings: Settings): WorkLimits {
  return {
    pollIntervalMs: settings.PROVIDER_POLL_INTERVAL,
    retryDelaysMs: settings.PROVIDER_RETRY_DELAYS,
    timeoutMs: settings.PROVIDER_TIMEOUT,
    probeAfterMs: settings.PROVIDER_PROBE_INTERVAL,
    concurrency: settings.PROVIDER_CONCURRENCY,
    totalConcurrency: settings.PROVIDER_TOTAL_CONCURRENCY,
    leaseMs,
  };
}
