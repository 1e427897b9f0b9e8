import { loadConfig } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import { type StorageSettings, storageSettings } from '@app/storage';
import Joi from 'joi';

export type Settings = ServiceSettings &
  StorageSettings & {
    TICKET_URL: string;
  };

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(
    {
      ...serviceSettings,
      ...storageSettings,
      TICKET_URL: Joi.string()
        .uri({ scheme: ['http', 'https'] })
        .required()
        .description('the ticket service, asked of the ticket at each write and told what was written'),
    },
    env,
  );
}
