import {
  type CommonSettings,
  type DataSettings,
  dataSettings,
  loadConfig,
  type NamedKey,
  namedKeys,
} from '@app/runtime';
import Joi from 'joi';

type OwnSettings = DataSettings & {
  PORT: number;
  INTERNAL_TOKEN_PUBLIC_KEYS: string;
  SESSION_KEYS: NamedKey[];
  PLATFORM_ADMIN_TOKEN: string;
  PUBLIC_TS_API_URL: string;
};

export type Settings = CommonSettings & OwnSettings;

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<OwnSettings>(
    {
      ...dataSettings,
      PORT: Joi.number().port().required().description('port of this service, for the gateway and other services'),
      INTERNAL_TOKEN_PUBLIC_KEYS: Joi.string()
        .required()
        .description('kid:base64url(SPKI DER),… of the Ed25519 keys with which the gateway signs internal tokens'),
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
