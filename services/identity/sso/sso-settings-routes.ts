import { erasedDomain, oneOf, type Permission, permissions } from '@app/contracts';
import { answer, auditSource, named, type Route, route } from '@app/http';
import { AppError, newId, ValidationError } from '@app/kernel';
import type { Logger, SecretBox } from '@app/runtime';
import type { AddressPolicy } from '@app/runtime/ssrf-guard';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import { type AuditedWriteDeps, auditedWrite } from '../audit/audited-write.ts';
import type { UserStore } from '../users/user-store.ts';
import { type DomainProof, recordOf, stateOf } from './domains/domain-proof.ts';
import type { DomainProver } from './domains/prove-domains.ts';
import type { ProviderClient } from './provider-client.ts';
import { type SsoSettings, sealContext } from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

type SsoSettingsDeps = AuditedWriteDeps & {
  users: Pick<UserStore, 'passwordHash'>;
  ssoSettings: SsoSettingsStore;
  provider: ProviderClient;
  policy: AddressPolicy;
  domains: DomainProver;
  /** Null if no keys are configured: then there is no single sign-on. */
  secretBox: SecretBox | null;
  callbackUrlOf: (companyId: string) => string;
  logger: Logger;
  now: () => Date;
};

type Body = {
  issuer: string;
  client_id: string;
  client_secret?: string;
  allowed_domains: string[];
  default_permissions: Permission[];
  password_login: boolean;
};

const base = {
  host: 'ts',
  path: '/company/sso',
  tag: 'Single sign-on',
  access: { permission: 'admin' },
} as const;

export const domainSchema = Joi.string()
  .domain({ tlds: false, allowUnderscore: false, allowUnicode: false })
  .max(189)
  .lowercase()
  .invalid(erasedDomain);
const granted = permissions.filter((one) => one !== 'admin');
const fields = {
  issuer: Joi.string()
    .uri({ scheme: ['https'] })
    .max(500)
    .pattern(/^[^?#]+$/, 'an address without a query')
    .description('of the OpenID Connect provider, as its discovery document has it'),
  client_id: Joi.string().max(500).description('which the provider has given for this platform'),
  allowed_domains: Joi.array()
    .items(domainSchema)
    .unique()
    .min(1)
    .max(50)
    .description('e-mail addresses of these domains alone sign in, of each once it is proven (`domains`)'),
  default_permissions: Joi.array()
    .items(oneOf(granted))
    .unique()
    .description('of users who are made at their first sign-in; never `admin`'),
  password_login: Joi.boolean().description('false: users of the company sign in here alone, but for admins'),
};

const settingsBody = Joi.object<Body>({
  issuer: fields.issuer.required(),
  client_id: fields.client_id.required(),
  client_secret: Joi.string().max(1_000).description('write-only; may be left out while issuer and client stay'),
  allowed_domains: fields.allowed_domains.required(),
  default_permissions: fields.default_permissions.required(),
  password_login: fields.password_login.required(),
});

const settingsReply = named('SingleSignOn', {
  ...fields,
  domains: Joi.array().items(
    answer({
      domain: Joi.string(),
      state: Joi.string()
        .valid('granted', 'proven', 'unproven')
        .description('granted: by the operator of the platform'),
      record: answer({ name: Joi.string(), value: Joi.string() }).description('the TXT record that proves it'),
      looked_up_at: Joi.string().isoDate().allow(null).description('when DNS answered last'),
    }),
  ),
  has_client_secret: Joi.boolean(),
  callback_url: Joi.string().description('of this company alone: register it with the provider'),
  updated_at: Joi.string().isoDate(),
});

export function ssoSettingsRoutes(deps: SsoSettingsDeps): Route[] {
  return [readRoute(deps), putRoute(deps), removeRoute(deps)];
}

function readRoute(deps: SsoSettingsDeps): Route {
  return route({
    ...base,
    method: 'get',
    summary: 'Read the single sign-on of your company',
    errors: ['404 sso_not_set'],
    reply: { status: 200, schema: settingsReply },
    async handle({ caller }) {
      const found = await deps.ssoSettings.find(caller.companyId);
      if (!found) throw notSet();
      return settingsResponse(deps, found, await deps.domains.proofsOf(found.company_id, found.allowed_domains));
    },
  });
}

function putRoute(deps: SsoSettingsDeps): Route {
  const { ssoSettings, secretBox, domains, logger, now } = deps;
  return route({
    ...base,
    method: 'put',
    summary: 'Set the single sign-on of your company',
    errors: ['409 sso_off', '409 password_missing'],
    description:
      'The provider is asked who it is, and DNS for the records of domains that are not granted; they are looked up again a day ' +
      'later, when somebody signs in. 409 `password_missing`: passwords cannot be switched off by an admin who has none, since admins keep ' +
      'theirs as the way back in. 409 `sso_off`: the platform has no key to keep the secret with.',
    body: settingsBody,
    reply: { status: 200, schema: settingsReply },
    async handle({ body: { client_secret: secret, ...given }, caller, principal, req }) {
      const { companyId: company_id, userId } = caller;
      if (!secretBox) throw new AppError('conflict', 'sso_off', 'this platform has no single sign-on');
      await checkIssuer(deps, given, await ssoSettings.find(company_id));
      if (!given.password_login && (await deps.users.passwordHash(userId)) === null) {
        const message = 'set a password of yours first: it is the way back in if the provider fails';
        throw new AppError('conflict', 'password_missing', message);
      }
      const proofs = await domains.proofsOf(company_id, given.allowed_domains, { again: true });
      const at = now();
      if (!given.password_login && proofs.every((proof) => stateOf(proof, at) === 'unproven')) {
        throw fault('password_login', 'needs a proven domain: without one nobody but admins could sign in');
      }
      const settings = { ...given, company_id, version: newId(at), updated_at: at };
      const audited = {
        companyId: company_id,
        action: 'single_sign_on.set' as const,
        ...auditSource({ principal, req }),
      };
      await auditedWrite(deps, null, async (within) => {
        if (secret !== undefined) {
          await ssoSettings.put(
            { ...settings, sealed_secret: secretBox.seal(secret, sealContext(company_id)) },
            within,
          );
        } else if (!(await ssoSettings.putKeepingSecret(settings, within))) {
          throw fault('client_secret', 'is required, as none is stored for this issuer and client');
        }
        return { result: null, entries: [auditEntry({ ...audited, target: targetOf(company_id) }, at)] };
      });
      logger.info('single sign-on configured', {
        companyId: company_id,
        by: userId,
        passwordLogin: given.password_login,
      });
      return settingsResponse(deps, settings, proofs);
    },
  });
}

function removeRoute(deps: SsoSettingsDeps): Route {
  const { ssoSettings, logger, now } = deps;
  return route({
    ...base,
    method: 'delete',
    summary: 'End the single sign-on of your company',
    errors: ['404 sso_not_set'],
    description:
      'Passwords count again for everybody; who has none asks for one. Sessions last as long as they would have.',
    reply: { status: 204 },
    async handle({ caller: { companyId, userId }, principal, req }) {
      const audited = { companyId, action: 'single_sign_on.ended' as const, ...auditSource({ principal, req }) };
      await auditedWrite(deps, null, async (within) => {
        if (!(await ssoSettings.remove(companyId, within))) throw notSet();
        return { result: null, entries: [auditEntry({ ...audited, target: targetOf(companyId) }, now())] };
      });
      logger.info('single sign-on removed', { companyId, by: userId });
    },
  });
}

/**
 * Checks that a new issuer is a provider. An unchanged issuer is not asked: while it is down, the settings must stay
 * changeable. @throws ValidationError
 */
async function checkIssuer(
  { policy, provider, logger }: SsoSettingsDeps,
  given: Pick<Body, 'issuer' | 'client_id'>,
  stored: SsoSettings | null,
): Promise<void> {
  if (stored?.issuer === given.issuer) return;
  const violation = policy.violation(given.issuer);
  if (violation !== null) throw fault('issuer', violation);
  try {
    await provider.check(given);
  } catch (error) {
    logger.info('issuer is not an OpenID Connect provider', { issuer: given.issuer, error });
    throw fault('issuer', 'does not answer as an OpenID Connect provider');
  }
}

function settingsResponse(
  { callbackUrlOf, now }: SsoSettingsDeps,
  settings: Omit<SsoSettings, 'sealed_secret'>,
  proofs: DomainProof[],
) {
  const { issuer, client_id, allowed_domains, default_permissions, password_login, updated_at } = settings;
  return {
    issuer,
    client_id,
    allowed_domains,
    default_permissions,
    password_login,
    domains: proofs.map((proof) => ({
      domain: proof.domain,
      state: stateOf(proof, now()),
      record: recordOf(proof),
      looked_up_at: proof.looked_up_at?.toISOString() ?? null,
    })),
    has_client_secret: true,
    callback_url: callbackUrlOf(settings.company_id),
    updated_at: updated_at.toISOString(),
  };
}

function fault(field: string, what: string): ValidationError {
  return new ValidationError([{ path: field, message: `${field} ${what}` }]);
}

function targetOf(companyId: string) {
  return { kind: 'company', id: companyId, name: null };
}

function notSet(): AppError {
  return new AppError('not_found', 'sso_not_set', 'your company has no single sign-on');
}
