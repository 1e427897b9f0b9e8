import { principalSchema } from '@app/contracts';
import { type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { type AuthenticateDeps, authenticate, type Credential } from './authenticate.ts';

const credential = Joi.object<Credential>({
  kind: Joi.string().valid('bearer', 'cookie', 'feed').required(),
  // As long as request headers can be, so that no credential of a client makes the gateway's request invalid.
  value: Joi.string().allow('').max(32_768).required(),
  host: Joi.string().valid('ticket', 'ts').required(),
});

export function credentialRoutes(deps: AuthenticateDeps): Route[] {
  return [
    route({
      host: 'internal',
      method: 'post',
      path: '/internal/credentials',
      summary: 'Whom a credential belongs to, asked by the gateway',
      tag: 'Internal',
      access: 'service',
      body: credential,
      reply: {
        status: 200,
        schema: Joi.object({
          principal: principalSchema.required(),
          expiresAt: Joi.string().isoDate().allow(null).required(),
        }),
      },
      async handle({ body }) {
        const authenticated = await authenticate(deps, body);
        if (!authenticated) throw new AppError('unauthenticated', 'unauthorized', 'these credentials are not valid');
        return authenticated;
      },
    }),
  ];
}
