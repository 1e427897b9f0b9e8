import type { Permission } from '@app/contracts';
import type { Subject, User } from '../users/user.ts';

/** A company's OpenID Connect provider, and what its users may do here. */
export type SsoSettings = {
  company_id: string;
  issuer: string;
  client_id: string;
  /** The client secret, encrypted and bound to the company. */
  sealed_secret: string;
  /** Domains, lower case: e-mail addresses of other domains are refused. They count once they are proven. */
  allowed_domains: string[];
  /** The permissions of users who are created at their first sign-in. */
  default_permissions: Permission[];
  password_login: boolean;
  /** Changes with each change of the settings: a sign-in that began before is refused. */
  version: string;
  updated_at: Date;
};

/** The claims of a provider about a user. Their types are not checked yet. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

/** `subject`: the provider's own name for the user, which never changes. */
export type ProvenIdentity = { email: string; first_name: string; last_name: string; subject: Subject };
export type Refusal = 'email_missing' | 'email_not_verified' | 'domain_not_allowed';

/** Only ASCII: other letters may become ASCII in lower case (U+212A is `k`), and so turn one domain into another. */
const emailPattern = /^[!-?A-~]{1,64}@[a-z0-9.-]{1,189}$/i;
const maxNameLength = 200;

/**
 * The identity in the claims, if the provider has verified the e-mail address and the company allows its domain;
 * otherwise the reason for the refusal.
 */
export function provenIdentity(
  claims: ProviderClaims,
  { issuer, allowed_domains }: Pick<SsoSettings, 'issuer' | 'allowed_domains'>,
): ProvenIdentity | Refusal {
  const given = claims['email'];
  if (typeof given !== 'string' || !emailPattern.test(given)) return 'email_missing';
  if (claims['email_verified'] !== true) return 'email_not_verified';
  const email = given.toLowerCase();
  if (!allowed_domains.includes(domainOf(email))) return 'domain_not_allowed';
  return { email, ...namesOf(claims, email), subject: { issuer, sub: String(claims['sub']) } };
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** A user needs both names: a missing one is taken from the e-mail address, until the user changes it. */
function namesOf(claims: ProviderClaims, email: string): Pick<ProvenIdentity, 'first_name' | 'last_name'> {
  const [first, last, whole] = ['given_name', 'family_name', 'name'].map((name) => textOf(claims[name]));
  const words = (whole ?? '').split(' ').filter(Boolean);
  const local = email.slice(0, email.lastIndexOf('@'));
  return {
    first_name: first || words.slice(0, -1).join(' ') || local,
    last_name: last || words.at(-1) || local,
  };
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim.trim().slice(0, maxNameLength) || null : null;
}

/**
 * Whether a user may log in with a password. Admins always may, so that a provider that is down, or an expired client
 * secret, cannot lock a company out.
 */
export function allowsPassword(
  settings: Pick<SsoSettings, 'password_login'> | null,
  { permissions }: Pick<User, 'permissions'>,
): boolean {
  return settings === null || settings.password_login || permissions.includes('admin');
}

/**
 * Whether a browser reads the text as a path of this host: no `//host`, and no characters that it drops or reads as
 * `/`.
 */
export function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[!-[\]-~]*$/.test(path);
}

/** The context that a secret is sealed for: it cannot be opened as another company's. */
export function sealContext(companyId: string): string {
  return `${companyId} sso`;
}
