import { loadConfig, type NamedKey, namedKeys } from '@app/runtime';
import { type ServiceSettings, serviceSettings } from '@app/service';
import Joi from 'joi';

export type Settings = ServiceSettings & {
  SESSION_KEYS: NamedKey[];
  PLATFORM_ADMIN_TOKEN: string;
  PUBLIC_TS_API_URL: string;
};

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<Settings>(
    {
      ...serviceSettings,
      SESSION_KEYS: namedKeys
        .required()
        .description('id:base64,… of at least 32 bytes each; the first signs sessions, all verify them'),
      PLATFORM_ADMIN_TOKEN: Joi.string()
        .min(24)
        .required()
        .description('bearer token of platform administration, at least 24 characters; has no default anywhere'),
      PUBLIC_TS_API_URL: Joi.string()
        .uri({ scheme: ['http', 'https'] })
        .required()
        .description('the second API as users see it; its cookie is Secure unless this is plain http'),
    },
    env,
  );
}
