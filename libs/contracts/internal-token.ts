import Joi from 'joi';
import { id, text } from './fields.ts';
import type { CompanyKind } from './identity-events.ts';

/** What a user may do (design section 4); `admin` holds all of them within its company. */
export const permissions = ['accounting', 'api_webhooks', 'tickets', 'admin'] as const;
export type Permission = (typeof permissions)[number];

/** Who calls, as the gateway vouches for it. `via` tells an API token from a session. */
export type Caller = {
  companyId: string;
  companyName: string;
  companyKind: CompanyKind;
  userId: string;
  firstName: string;
  lastName: string;
  email: string;
  permissions: Permission[];
  via: 'token' | 'session';
};

/** The subject of an internal token: a person or machine of a company, the platform's administrator, or a service itself. */
export type Principal =
  | { kind: 'caller'; caller: Caller }
  | { kind: 'platform' }
  | { kind: 'service'; service: string };

const callerSchema = Joi.object<Caller, true>({
  companyId: id.required(),
  companyName: text.required(),
  companyKind: Joi.string<CompanyKind>().valid('client', 'contractor').required(),
  userId: id.required(),
  firstName: text.required(),
  lastName: text.required(),
  email: text.required(),
  permissions: Joi.array<Permission[]>()
    .items(Joi.string().valid(...permissions))
    .required(),
  via: Joi.string<'token' | 'session'>().valid('token', 'session').required(),
});

export const principalSchema = Joi.alternatives().try(
  Joi.object({ kind: Joi.string().valid('caller').required(), caller: callerSchema.required() }),
  Joi.object({ kind: Joi.string().valid('platform').required() }),
  Joi.object({ kind: Joi.string().valid('service').required(), service: Joi.string().required() }),
);
