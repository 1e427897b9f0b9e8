import { loadConfig, webUrl } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';

export type Settings = ServiceSettings &
  StorageSettings & {
    TICKET_URL: string;
  };

export const settingSchemas = {
  ...serviceSettings,
  ...storageSettings,
  TICKET_URL: webUrl
    .required()
    .description('the ticket service, asked of the ticket at each write and told what was written'),
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(settingSchemas, env);
}
