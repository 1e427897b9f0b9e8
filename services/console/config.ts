import { type CommonSettings, loadConfig, webUrl } from '@app/runtime';
import Joi from 'joi';

type OwnSettings = { PORT: number; PUBLIC_DOWNLOAD_URL: string };

export type Settings = CommonSettings & OwnSettings;

export const settingSchemas = {
  PORT: Joi.number().port().required().unit('port').description('port of the pages'),
  PUBLIC_DOWNLOAD_URL: webUrl
    .required()
    .description('the downloads as users see them: the only other host that the pages may fetch from'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<OwnSettings>(settingSchemas, env);
}
