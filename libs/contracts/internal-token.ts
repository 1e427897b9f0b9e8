import Joi from 'joi';
import { id, oneOf, text } from './fields.ts';
import { type Permission, permissions, type Scope, scopes } from './permissions.ts';

export type CompanyKind = 'client' | 'contractor';

/** The user who calls, as the gateway authenticated it, with an API token or a session (`via`). */
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
  /** The scopes of the API token; absent if it may do everything that its user may. */
  scopes?: Scope[];
  /** The id of the API token, for the audit log; absent in a session. */
  apiTokenId?: string;
  /** The user sees what is at these places, and below them, alone; absent: at every place. */
  placeIds?: string[];
};

/** The subject of an internal token: a user of a company, the platform's administrator, or a service itself. */
export type Principal =
  | { kind: 'caller'; caller: Caller }
  | { kind: 'platform' }
  | { kind: 'service'; service: string };

export const callerSchema = Joi.object<Caller, true>({
  companyId: id.required(),
  companyName: text.required(),
  companyKind: Joi.string<CompanyKind>().valid('client', 'contractor').required(),
  userId: id.required(),
  firstName: text.required(),
  lastName: text.required(),
  email: text.required(),
  permissions: Joi.array<Permission[]>().items(oneOf(permissions)).required(),
  via: Joi.string<'token' | 'session'>().valid('token', 'session').required(),
  scopes: Joi.array<Scope[]>().items(oneOf(scopes)),
  apiTokenId: id,
  placeIds: Joi.array<string[]>().items(id),
});

export const principalSchema = Joi.alternatives().try(
  Joi.object({ kind: Joi.string().valid('caller').required(), caller: callerSchema.required() }),
  Joi.object({ kind: Joi.string().valid('platform').required() }),
  Joi.object({ kind: Joi.string().valid('service').required(), service: Joi.string().required() }),
);
