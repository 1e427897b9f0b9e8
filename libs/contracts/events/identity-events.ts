import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, isoDate, oneOf, text } from '../fields.ts';
import type { CompanyKind } from '../internal-token.ts';
import { type Permission, permissions } from '../permissions.ts';

/** A company. `siret` and `siren` are null if it has none. */
export type CompanySnapshot = {
  id: string;
  name: string;
  kind: CompanyKind;
  siret: string | null;
  siren: string | null;
};

/** A user, without secrets. */
export type UserSnapshot = {
  id: string;
  company_id: string;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  permissions: Permission[];
  /** An inactive user may do nothing, and nobody can choose them for anything new. */
  active: boolean;
  /** Grows with every change. */
  version: number;
  /** The places to which the user is limited, with what is below them; absent: every place. */
  place_ids?: string[];
};

export const companySchema = Joi.object<CompanySnapshot, true>({
  id: id.required(),
  name: Joi.string().required(),
  kind: Joi.string<CompanyKind>().valid('client', 'contractor').required(),
  siret: Joi.string().allow(null).required(),
  siren: Joi.string().allow(null).required(),
});

export const userSchema = Joi.object<UserSnapshot, true>({
  id: id.required(),
  company_id: id.required(),
  first_name: text.required(),
  last_name: text.required(),
  email: Joi.string().required(),
  phone: Joi.string().allow(null).required(),
  permissions: Joi.array<Permission[]>().items(oneOf(permissions)).required(),
  active: Joi.boolean().required(),
  version: Joi.number().integer().min(0).required(),
  place_ids: Joi.array<string[]>().items(id).optional(),
});

export const companyCreated = defineEvent<{ company: CompanySnapshot }>(
  'company.created.v1',
  Joi.object<{ company: CompanySnapshot }, true>({ company: companySchema.required() }),
);

/** A company with what changes after its creation. */
export type CompanyState = CompanySnapshot & {
  /** ISO date; null: it is open. Users of a closed company are refused, and nothing is sent for it. */
  closed_at: string | null;
  /** Grows with every change. */
  version: number;
};

/** The company as it is now, after a change or in answer to a request for snapshots. */
export const companyChanged = defineEvent<{ company: CompanyState }>(
  'company.changed.v1',
  Joi.object<{ company: CompanyState }, true>({
    company: (companySchema as Joi.ObjectSchema<CompanyState>)
      .keys({ closed_at: isoDate.allow(null).required(), version: Joi.number().integer().min(0).required() })
      .required(),
  }),
);

export const userCreated = defineEvent<{ user: UserSnapshot }>(
  'user.created.v1',
  Joi.object<{ user: UserSnapshot }, true>({ user: userSchema.required() }),
);

/** The user as it is now, after a change or in answer to a request for snapshots. */
export const userChanged = defineEvent<{ user: UserSnapshot }>(
  'user.changed.v1',
  Joi.object<{ user: UserSnapshot }, true>({ user: userSchema.required() }),
);
