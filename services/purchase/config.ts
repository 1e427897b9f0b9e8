import { type CommonSettings, type DataSettings, dataSettings, loadConfig } from '@app/runtime';
import Joi from 'joi';

type OwnSettings = DataSettings & {
  PORT: number;
  INTERNAL_TOKEN_PUBLIC_KEYS: string;
  STORAGE_URL?: string;
  TICKET_URL: string;
};

export type Settings = CommonSettings & OwnSettings;

/** @throws ConfigError naming every setting that is missing or wrong */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return loadConfig<OwnSettings>(
    {
      ...dataSettings,
      PORT: Joi.number().port().required().description('port of this service, for the gateway'),
      INTERNAL_TOKEN_PUBLIC_KEYS: Joi.string()
        .required()
        .description('kid:base64url(SPKI DER),… of the Ed25519 keys with which the gateway signs internal tokens'),
      STORAGE_URL: Joi.string().description('mongodb://, file:// or s3://; default: GridFS at MONGODB_URL'),
      TICKET_URL: Joi.string()
        .uri({ scheme: ['http', 'https'] })
        .required()
        .description('the ticket service, asked of the ticket at each write and told what was written'),
    },
    env,
  );
}
