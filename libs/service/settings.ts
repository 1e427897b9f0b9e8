import { type CommonSettings, type DataSettings, dataSettings } from '@app/runtime';
import Joi from 'joi';

/** Settings of every service that answers behind the gateway. */
export type ServiceSettings = CommonSettings & DataSettings & { PORT: number; INTERNAL_TOKEN_PUBLIC_KEYS: string };

export const serviceSettings = {
  ...dataSettings,
  PORT: Joi.number()
    .port()
    .required()
    .unit('port')
    .description('port of this service, for the gateway and other services'),
  INTERNAL_TOKEN_PUBLIC_KEYS: Joi.string()
    .required()
    .unit('kid:base64url(SPKI DER),…')
    .description('public parts of the Ed25519 keys with which the gateway signs internal tokens'),
};
