import { defaultSettings } from '@app/matching';
import { duration, loadConfig, type NamedKey, namedKeys, webUrl } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';
import Joi from 'joi';
import { stepRetryDelaysMs } from './invoices/state-machine.ts';

export type Settings = ServiceSettings &
  StorageSettings & {
    DOWNLOAD_LINK_KEYS: NamedKey[];
    PUBLIC_DOWNLOAD_URL: string;
    TICKET_URL: string;
    CONNECTION_URL: string;
    REMATCH_DELAY: number;
    SWEEP_INTERVAL: number;
    INVOICE_CONCURRENCY: number;
    MATCH_AUTO_SCORE: number;
    MATCH_AUTO_MARGIN: number;
    MATCH_SUGGEST_SCORE: number;
  };

const points = Joi.number().integer().min(0).max(100).unit('points');

export const settingSchemas = {
  ...serviceSettings,
  ...storageSettings,
  DOWNLOAD_LINK_KEYS: namedKeys.required().description('the first signs download links, all verify them'),
  PUBLIC_DOWNLOAD_URL: webUrl.required().description('{download_host} as users see it; in download links'),
  TICKET_URL: webUrl
    .required()
    .description(
      'the ticket service: tickets that are not projected yet are read from it, lines of invoices pushed to it',
    ),
  CONNECTION_URL: webUrl.required().description('the connection service, which fetches an invoice again'),
  REMATCH_DELAY: duration.default(30_000).description('from a change to the rematch that it causes'),
  SWEEP_INTERVAL: duration.default(1_000).description('interval of the background worker'),
  INVOICE_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(256)
    .default(32)
    .unit('events')
    .description('events handled at once, per queue'),
  MATCH_AUTO_SCORE: points
    .default(defaultSettings.autoScore)
    .description('minimum points for a match without a person'),
  MATCH_AUTO_MARGIN: points
    .default(defaultSettings.autoMargin)
    .description('minimum lead of points over the second best ticket'),
  MATCH_SUGGEST_SCORE: points.default(defaultSettings.suggestScore).description('minimum points for a suggestion'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}

export function workOf(settings: Settings) {
  return {
    matching: {
      autoScore: settings.MATCH_AUTO_SCORE,
      autoMargin: settings.MATCH_AUTO_MARGIN,
      suggestScore: settings.MATCH_SUGGEST_SCORE,
    },
    rematchDelayMs: settings.REMATCH_DELAY,
    retryDelaysMs: stepRetryDelaysMs,
    pollEveryMs: settings.SWEEP_INTERVAL,
    concurrency: settings.INVOICE_CONCURRENCY,
  };
}
