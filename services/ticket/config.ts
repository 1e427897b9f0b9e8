import { duration, loadConfig, type NamedKey, namedKeys, webUrl } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';
import Joi from 'joi';

export type Settings = ServiceSettings &
  StorageSettings & {
    DOWNLOAD_LINK_KEYS: NamedKey[];
    PUBLIC_TICKET_API_URL: string;
    PUBLIC_DOWNLOAD_URL: string;
    PUBLIC_CONSOLE_URL?: string;
    IDENTITY_URL: string;
    TIMER_INTERVAL: number;
    PROPOSAL_EXPIRES_AFTER?: number;
    STRICT_CLOSE: boolean;
  };

export const settingSchemas = {
  ...serviceSettings,
  ...storageSettings,
  DOWNLOAD_LINK_KEYS: namedKeys.required().description('the first signs download links, all verify them'),
  PUBLIC_TICKET_API_URL: webUrl.required().description('{base_url} as users see it; in addresses of tickets'),
  PUBLIC_CONSOLE_URL: webUrl.description(
    'the console as users see it, {ts_api_url}/console; in the url of tickets, which without it is their address in the API',
  ),
  PUBLIC_DOWNLOAD_URL: webUrl.required().description('{download_host} as users see it; in download links'),
  IDENTITY_URL: webUrl.required().description('the identity service, asked of companies and users not yet known'),
  TIMER_INTERVAL: duration.default(5_000).description('how often tickets are looked at whose dates have passed'),
  PROPOSAL_EXPIRES_AFTER: duration.description('how long a proposal stands unanswered; unset: for ever'),
  STRICT_CLOSE: Joi.boolean()
    .default(false)
    .description('true: only a finished ticket can be closed; false: any that is under way'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}
