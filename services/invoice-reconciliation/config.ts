import { defaultSettings } from '@app/matching';
import { duration, loadConfig, type NamedKey, namedKeys } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';
import Joi from 'joi';
import { retryDelaysMs } from './invoices/state-machine.ts';

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

const web = Joi.string().uri({ scheme: ['http', 'https'] });
const points = Joi.number().integer().min(0).max(100);

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(
    {
      ...serviceSettings,
      ...storageSettings,
      DOWNLOAD_LINK_KEYS: namedKeys
        .required()
        .description('id:base64,… the first signs download links and cursors of the queue, all verify them'),
      PUBLIC_DOWNLOAD_URL: web.required().description('{download_host} as users see it; in download links'),
      TICKET_URL: web
        .required()
        .description('the ticket service, asked of tickets not yet known, given lines of invoices'),
      CONNECTION_URL: web.required().description('the connection service, asked to fetch an invoice again'),
      REMATCH_DELAY: duration.default(30_000).description('from a change to the matching it sets off, 30s'),
      SWEEP_INTERVAL: duration.default(1_000).description('how often what is due by itself is looked for, 1s'),
      INVOICE_CONCURRENCY: Joi.number()
        .integer()
        .min(1)
        .max(256)
        .default(32)
        .description('events handled at once, per queue: they share what they ask and write'),
      MATCH_AUTO_SCORE: points
        .default(defaultSettings.autoScore)
        .description('points from which a ticket is matched without a person'),
      MATCH_AUTO_MARGIN: points
        .default(defaultSettings.autoMargin)
        .description('points that it must have over the second one'),
      MATCH_SUGGEST_SCORE: points
        .default(defaultSettings.suggestScore)
        .description('points from which a ticket is suggested'),
    },
    env,
  );
}

export function workOf(settings: Settings) {
  return {
    matching: {
      autoScore: settings.MATCH_AUTO_SCORE,
      autoMargin: settings.MATCH_AUTO_MARGIN,
      suggestScore: settings.MATCH_SUGGEST_SCORE,
    },
    rematchDelayMs: settings.REMATCH_DELAY,
    retryDelaysMs,
    pollEveryMs: settings.SWEEP_INTERVAL,
    concurrency: settings.INVOICE_CONCURRENCY,
  };
}
