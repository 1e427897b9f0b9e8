import { principalSchema } from '@app/contracts';
import { type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { type Credential, type RecogniseDeps, recognise } from './recognise.ts';

const credential = Joi.object<Credential>({
  kind: Joi.string().valid('bearer', 'cookie').required(),
  // As long as a request's headers can be: what a client sends is never the gateway's fault.
  value: Joi.string().allow('').max(32_768).required(),
  host: Joi.string().valid('ticket', 'ts').required(),
});

export function credentialRoutes(deps: RecogniseDeps): Route[] {
  return [
    route({
      host: 'internal',
      method: 'post',
      path: '/internal/credentials',
      summary: 'Whom a credential stands for, asked by the gateway',
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
        const recognised = await recognise(deps, body);
        if (!recognised) throw new AppError('unauthenticated', 'unauthorized', 'these credentials are not valid');
        return recognised;
      },
    }),
  ];
}
