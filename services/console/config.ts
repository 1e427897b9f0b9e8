import { type CommonSettings, loadConfig, webUrl } from '@app/runtime';
import Joi from 'joi';
import type { PublicUrls } from './reference/api-docs.ts';

type OwnSettings = {
  PORT: number;
  PUBLIC_TICKET_API_URL: string;
  PUBLIC_TS_API_URL: string;
  PUBLIC_DOWNLOAD_URL: string;
};

export type Settings = CommonSettings & OwnSettings;

export const settingSchemas = {
  PORT: Joi.number().port().required().unit('port').description('port of the pages'),
  PUBLIC_TICKET_API_URL: webUrl.required().description('the ticket API as users see it; in its document'),
  PUBLIC_TS_API_URL: webUrl.required().description('the second API as users see it; in its document'),
  PUBLIC_DOWNLOAD_URL: webUrl
    .required()
    .description('the downloads as users see them: the only other host that the pages may fetch from'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<OwnSettings>(settingSchemas, env);
}

export function publicUrlsOf(settings: Settings): PublicUrls {
  const { PUBLIC_TICKET_API_URL: ticket, PUBLIC_TS_API_URL: ts, PUBLIC_DOWNLOAD_URL: download } = settings;
  return { ticket, ts, download };
}
