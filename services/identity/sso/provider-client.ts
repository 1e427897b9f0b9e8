import { AppError } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from 'openid-client';
import { createOutsideFetch } from './outside-client.ts';
import type { ProviderClaims, SsoSettings } from './sso-settings.ts';

type Registration = Pick<SsoSettings, 'issuer' | 'client_id'>;
/** `secret`: the client secret in the clear. */
export type Provider = Pick<SsoSettings, 'company_id' | 'issuer' | 'client_id' | 'version'> & { secret: string };
type Proofs = { state: string; nonce: string; verifier: string };

export type ProviderClient = ReturnType<typeof createProviderClient>;

type Options = Parameters<typeof createOutsideFetch>[0] & {
  /** The address to which the provider of a company sends browsers back. */
  callbackUrlOf: (companyId: string) => string;
};

/** How long keys and addresses of a provider are cached: they change seldom, and overlap. */
const cachedMs = 10 * 60_000;
const cachedProviders = 500;
/** The limit of one company: a slow provider must not use up what others need. */
const maxCallsPerCompany = 8;

/**
 * An OpenID Connect client for the providers of companies: authorization code flow with PKCE and nonce; signatures of
 * ID tokens are verified.
 */
export function createProviderClient({ callbackUrlOf, ...outside }: Options) {
  const fetchOutside = createOutsideFetch(outside);
  const configurations = new LRUCache<string, Configuration, Provider>({
    max: cachedProviders,
    ttl: cachedMs,
    fetchMethod: (_key, _stale, { context }) => discover(context, context.secret, fetchOutside),
  });
  const configurationOf = (provider: Provider) =>
    configurations.forceFetch(`${provider.company_id} ${provider.version}`, { context: provider });
  const limited = createCompanyLimit();

  return {
    /** @throws Error if there is no OpenID Connect provider at the issuer's address */
    async check(registration: Registration): Promise<void> {
      await discover(registration, null, fetchOutside);
    },
    /** The address that the browser is sent to. */
    authorizationUrl: (
      provider: Provider,
      { state, nonce, verifier }: Proofs,
      loginHint: string | null,
    ): Promise<URL> =>
      limited(provider.company_id, async () => {
        const configuration = await configurationOf(provider);
        return buildAuthorizationUrl(configuration, {
          redirect_uri: callbackUrlOf(provider.company_id),
          scope: 'openid email profile',
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
          ...(loginHint === null ? {} : { login_hint: loginHint }),
        });
      }),
    /** The verified claims of the user who returned from the provider. `query`: that of the request. */
    claims: (provider: Provider, { state, nonce, verifier }: Proofs, query: string): Promise<ProviderClaims> =>
      limited(provider.company_id, async () => {
        const configuration = await configurationOf(provider);
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const address = new URL(`${callbackUrlOf(provider.company_id)}${query}`);
        const tokens = await authorizationCodeGrant(configuration, address, checks);
        const claims = tokens.claims();
        if (!claims) throw new Error('the provider gave no ID token');
        if ('email' in claims && 'email_verified' in claims) return claims;
        // Providers may give these claims at the UserInfo endpoint only (OpenID Connect Core, 5.4).
        const { email, email_verified, given_name, family_name, name } = await fetchUserInfo(
          configuration,
          tokens.access_token,
          claims.sub,
        );
        return { ...claims, email, email_verified, given_name, family_name, name };
      }),
  };
}

async function discover(
  { issuer, client_id }: Registration,
  secret: string | null,
  fetchOutside: CustomFetch,
): Promise<Configuration> {
  const found = await discovery(new URL(issuer), client_id, undefined, None(), { [customFetch]: fetchOutside });
  const server = found.serverMetadata();
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (URL.parse(server[name] ?? '')?.protocol !== 'https:') throw new Error(`the provider has no ${name} over https`);
  }
  const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
  const authentication = secret === null ? None() : takesPost ? ClientSecretPost(secret) : ClientSecretBasic(secret);
  const configuration = new Configuration(server, client_id, undefined, authentication);
  configuration[customFetch] = fetchOutside;
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** @returns a function that runs work of a company. It throws AppError overloaded if too much of it is running */
function createCompanyLimit() {
  const running = new Map<string, number>();
  return async <T>(companyId: string, work: () => Promise<T>): Promise<T> => {
    const count = running.get(companyId) ?? 0;
    if (count >= maxCallsPerCompany) throw new AppError('overloaded', 'overloaded', 'too many sign-ins at once');
    running.set(companyId, count + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(companyId) ?? 1) - 1;
      if (left === 0) running.delete(companyId);
      else running.set(companyId, left);
    }
  };
}
