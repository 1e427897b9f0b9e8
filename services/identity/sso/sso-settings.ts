import type { Permission } from '@app/contracts';
import type { User } from '../users/user.ts';

/** A company's OpenID Connect provider, and what its users may do here. */
export type SsoSettings = {
  company_id: string;
  issuer: string;
  client_id: string;
  /** Encrypted, bound to the company. */
  sealed_secret: string;
  /** Lower case: e-mail addresses of other domains do not sign in. */
  allowed_domains: string[];
  /** Of users who are made at their first sign-in. */
  default_permissions: Permission[];
  password_login: boolean;
  /** Another one with each change: a sign-in that began before it does not count. */
  version: string;
  updated_at: Date;
};

/** What a provider says of whoever has signed in there. Nothing in it is trusted as to its form. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

export type ProvenIdentity = { email: string; first_name: string; last_name: string };
export type Refusal = 'email_missing' | 'email_not_verified' | 'domain_not_allowed';

/** ASCII alone: other letters may become ASCII in lower case (U+212A is `k`), and a domain another one. */
const emailPattern = /^[!-?A-~]{1,64}@[a-z0-9.-]{1,189}$/i;
const maxNameLength = 200;

/** The person, by an e-mail address that the provider has verified and that the company allows; otherwise why not. */
export function provenIdentity(
  claims: ProviderClaims,
  { allowed_domains }: Pick<SsoSettings, 'allowed_domains'>,
): ProvenIdentity | Refusal {
  const given = claims['email'];
  if (typeof given !== 'string' || !emailPattern.test(given)) return 'email_missing';
  if (claims['email_verified'] !== true) return 'email_not_verified';
  const email = given.toLowerCase();
  if (!allowed_domains.includes(domainOf(email))) return 'domain_not_allowed';
  return { email, ...namesOf(claims, email) };
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** A user has both names: what the provider does not say is taken from the address, until the user changes it. */
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
 * Admins keep their passwords, so that a provider that is away, or a secret that has expired there, locks nobody out for good.
 */
export function allowsPassword(
  settings: Pick<SsoSettings, 'password_login'> | null,
  { permissions }: Pick<User, 'permissions'>,
): boolean {
  return settings === null || settings.password_login || permissions.includes('admin');
}

/** An address of this host that a browser takes as such: no `//host`, and nothing that it drops or reads as `/`. */
export function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[!-[\]-~]*$/.test(path);
}

/** Whose secret it is: sealed, it cannot be opened as another company's. */
export function sealContext(companyId: string): string {
  return `${companyId} sso`;
}
