import Joi from 'joi';
import { defineEvent, type NewEvent } from '../define-event.ts';
import { id } from '../fields.ts';
import type { Principal } from '../internal-token.ts';

/** The actions that a company's audit log records. A name never changes: entries are kept for 400 days. */
export const auditActions = [
  'login.accepted',
  'login.refused',
  'login.locked',
  'session.ended',
  'password.changed',
  'password.refused',
  'password.set',
  'password_link.created',
  'user.created',
  'user.changed',
  'user.deactivated',
  'user.reactivated',
  'user.erased',
  'api_token.created',
  'api_token.revoked',
  'api_token.taken_over',
  'agenda_feed.created',
  'agenda_feed.revoked',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.deleted',
  'invoice_connection.created',
  'invoice_connection.changed',
  'invoice_connection.deleted',
  'invoice.linked',
  'invoice.unlinked',
  'invoice.concluded',
  'invoice.reopened',
  'invoice.status_told',
  'clock_settings.changed',
  'export.requested',
  'export.downloaded',
  'single_sign_on.set',
  'single_sign_on.ended',
  'company.created',
  'company.changed',
  'company.closed',
  'company.reopened',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What the actor was authenticated by, and the kinds of what actions change. Like those of `auditActions`, these names never change. */
export const auditCredentials = [
  'session',
  'password',
  'single_sign_on',
  'password_link',
  'api_token',
  'platform_token',
];
export const auditTargetKinds = [
  'user',
  'session',
  'api_token',
  'company',
  'webhook_endpoint',
  'invoice_connection',
  'invoice',
  'export',
];

/** Who did it. `user_id` and `api_token_id` are null if they are not known, or if there is none. */
type AuditActor = {
  kind: 'user' | 'platform' | 'unknown';
  user_id: string | null;
  credential: string | null;
  api_token_id: string | null;
};

/** Where the request came from; null: not known. */
export type AuditOrigin = { address: string | null; user_agent: string | null };

/** What the action changed. `name` is null for users: whoever shows the entry looks up their present name. */
type AuditTarget = { kind: string; id: string; name: string | null };

/** Null before or after: the field was absent, or its value does not belong in a log (a secret, personal data). */
type AuditValue = string | boolean | string[] | null;
export type AuditChange = { field: string; before: AuditValue; after: AuditValue };
type AuditDetails = { changes: AuditChange[]; reason: string | null; count: number | null };

export type AuditSource = { actor: AuditActor; from: AuditOrigin };
export type AuditRecord = AuditSource & {
  company_id: string;
  action: string;
  target: AuditTarget | null;
  details: AuditDetails;
};

const maxText = 200;
const maxItems = 100;
/** Not a closed list: this release must also read the actions that a later one adds. */
const word = Joi.string()
  .pattern(/^[a-z][a-z_.]*$/)
  .max(60);
const short = Joi.string().allow('').max(maxText);
const orNull = (schema: Joi.StringSchema) => schema.allow(null).required();
const value = Joi.alternatives()
  .try(short, Joi.boolean(), Joi.array().items(short).max(maxItems))
  .allow(null)
  .required();

const auditSchemas = {
  actor: Joi.object<AuditActor, true>({
    kind: Joi.string<AuditActor['kind']>().valid('user', 'platform', 'unknown').required(),
    user_id: orNull(id),
    credential: orNull(word),
    api_token_id: orNull(id),
  }),
  from: Joi.object<AuditOrigin, true>({ address: orNull(short), user_agent: orNull(short) }),
  target: Joi.object<AuditTarget, true>({ kind: word.required(), id: short.required(), name: orNull(short) }),
  details: Joi.object<AuditDetails, true>({
    changes: Joi.array()
      .items(Joi.object<AuditChange, true>({ field: short.required(), before: value, after: value }))
      .max(maxItems)
      .required(),
    reason: orNull(word),
    count: Joi.number().integer().allow(null).required(),
  }),
};

/** An entry for the audit log of a company, which identity keeps. Save it with the change that it records. */
export const auditRecorded = defineEvent<AuditRecord>(
  'audit.recorded.v1',
  Joi.object<AuditRecord, true>({
    company_id: id.required(),
    action: word.required(),
    actor: auditSchemas.actor.required(),
    from: auditSchemas.from.required(),
    target: auditSchemas.target.allow(null).required(),
    details: auditSchemas.details.required(),
  }),
);

export type Audited = AuditSource & {
  companyId: string;
  action: AuditAction;
  target?: AuditTarget | null;
  changes?: AuditChange[];
  reason?: string;
  count?: number;
};

/** The record as it is stored: texts that are too long for a log are cut. */
export function auditRecord({ companyId, action, actor, from, target, changes = [], reason, count }: Audited) {
  const cutTarget = target ? { ...target, name: target.name?.slice(0, maxText) ?? null } : null;
  const details = { changes: changes.slice(0, maxItems).map(cutChange), reason: reason ?? null, count: count ?? null };
  return { company_id: companyId, action, actor, from, target: cutTarget, details } satisfies AuditRecord;
}

/** The event for an audit entry: return it from the rule that makes the change, or give it to the store. */
export function audited(entry: Audited, at: Date): NewEvent {
  return auditRecorded(auditRecord(entry), at, entry.target?.kind === 'company' ? entry.target.id : entry.companyId);
}

/** The caller, as the audit log names it. */
export function auditActor(principal: Principal | null): AuditActor {
  const nobody = { user_id: null, credential: null, api_token_id: null };
  if (principal?.kind === 'platform') return { ...nobody, kind: 'platform', credential: 'platform_token' };
  if (principal?.kind !== 'caller') return { ...nobody, kind: 'unknown' };
  const { userId, via, apiTokenId = null } = principal.caller;
  const credential = via === 'token' ? 'api_token' : 'session';
  return { kind: 'user', user_id: userId, credential, api_token_id: apiTokenId };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of `names` in which two states differ, by name. Only the fields in `shown` give their values: name no
 * secret there, nothing that may hold one (an address with a token in it), and no personal data.
 */
export function auditChanges(
  before: Fields | null,
  after: Fields | null,
  { names, shown = [] }: { names: readonly string[]; shown?: readonly string[] },
): AuditChange[] {
  const shownOf = (state: Fields | null, name: string) => (shown.includes(name) ? shownValue(state?.[name]) : null);
  return names
    .filter((name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null))
    .map((field) => ({ field, before: shownOf(before, field), after: shownOf(after, field) }));
}

function shownValue(given: unknown): AuditValue {
  if (given === undefined || given === null) return null;
  if (typeof given === 'boolean') return given;
  return Array.isArray(given) ? given.map(String) : String(given);
}

function cutChange({ field, before, after }: AuditChange): AuditChange {
  return { field: field.slice(0, maxText), before: cutValue(before), after: cutValue(after) };
}

function cutValue(given: AuditValue): AuditValue {
  if (typeof given === 'string') return given.slice(0, maxText);
  return Array.isArray(given) ? given.slice(0, maxItems).map((item) => item.slice(0, maxText)) : given;
}
