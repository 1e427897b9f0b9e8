import { auditOrigin, forwardedAddress, id, type Route, respond, route } from '@app/http';
import type { Logger, SecretBox } from '@app/runtime';
import Joi from 'joi';
import { setSessionCookies } from '../sessions/session-cookie.ts';
import type { UserStore } from '../users/user-store.ts';
import type { Provider, ProviderClient } from './provider-client.ts';
import { recordRefusal, type SignInDeps, signIn } from './sign-in.ts';
import { flowLifetimeMs, isWellFormed, proofsOf, randomSecret, startFlow } from './sso-flow.ts';
import type { SsoFlowStore } from './sso-flow-store.ts';
import { domainOf, isLocalPath, type SsoSettings, sealContext } from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

export type SsoSignInDeps = Omit<SignInDeps, 'users' | 'ssoSettings'> & {
  users: UserStore;
  ssoSettings: SsoSettingsStore;
  flows: SsoFlowStore;
  provider: ProviderClient;
  secretBox: SecretBox | null;
  /** False only if the second API is served over plain http. */
  secureCookie: boolean;
  logger: Logger;
};

/** Why a browser returns without a session: the value of `sso_error`. */
type SignInError = 'unavailable' | 'expired' | 'failed' | 'refused';

const tag = 'Single sign-on';
const home = '/console';

type StartQuery = { email?: string; company?: string; return_to: string };
const startQuery = Joi.object<StartQuery>({
  email: Joi.string().max(254).lowercase().description('of the user: the company follows from it'),
  company: id.description('the company, instead of the e-mail address'),
  return_to: Joi.string()
    .max(500)
    .custom((path: string, helpers) =>
      isLocalPath(path) ? path : helpers.message({ custom: '{{#label}} must be a path of this host' }),
    )
    .default(home)
    .description('the page to come back to, `/console` by default'),
}).xor('email', 'company');

const redirect = (what: string) => ({
  status: 302,
  description: what,
  headers: { Location: 'where the browser goes on' },
});

export function ssoSignInRoutes(deps: SsoSignInDeps): Route[] {
  return [startRoute(deps), callbackRoute(deps)];
}

function startRoute(deps: SsoSignInDeps): Route {
  const { flows, provider, secureCookie, logger, now } = deps;
  return route({
    host: 'ts',
    method: 'get',
    path: '/auth/sso/start',
    summary: 'Sign in at the provider of your company',
    description:
      'For browsers. Where the company has no single sign-on, or its provider does not answer, the browser goes to `/console` with ' +
      '`sso_error=unavailable`.',
    tag,
    access: 'public',
    query: startQuery,
    reply: redirect('to the provider'),
    async handle({ query, req, res }) {
      res.setHeader('Cache-Control', 'no-store');
      const settings = await settingsFor(deps, query);
      const reached = settings && (await providerOf(deps, settings));
      if (!settings || !reached) return redirectToConsole(res, 'unavailable');
      // The same secret for sign-ins in several tabs of a browser: each of them may return.
      const known = req.headers['x-sso-browser'];
      const secrets = { browser: isWellFormed(known) ? known : randomSecret(), state: randomSecret() };
      try {
        const proofs = { state: secrets.state, ...proofsOf(secrets) };
        const url = await provider.authorizationUrl(reached, proofs, query.email ?? null);
        await flows.add(startFlow(secrets, { ...settings, return_to: query.return_to }, now()));
        const name = secureCookie ? '__Host-sso' : 'sso';
        const cookie = { httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookie } as const;
        res.cookie(name, secrets.browser, { ...cookie, maxAge: flowLifetimeMs });
        res.setHeader('Location', url.href);
        return respond(302);
      } catch (error) {
        logger.warn('OpenID Connect provider does not respond', { companyId: settings.company_id, error });
        return redirectToConsole(res, 'unavailable');
      }
    },
  });
}

type Browser = { setHeader(name: string, value: string): unknown };

function redirectToConsole(res: Browser, error: SignInError) {
  res.setHeader('Location', `${home}?sso_error=${error}`);
  return respond(302);
}

function callbackRoute(deps: SsoSignInDeps): Route {
  const { flows, ssoSettings, provider, logger, now } = deps;
  return route({
    host: 'ts',
    method: 'get',
    path: '/auth/sso/callback/:id',
    summary: 'Come back from the provider',
    description:
      'For browsers, whom the provider sends here. Sets the cookies of `POST /auth/login`. Without a session the browser goes to `/console` ' +
      'with `sso_error`: `expired` (more than 10 minutes, another browser or company, or twice), `failed` (what the provider says does not hold), ' +
      '`refused` (no verified e-mail address of an allowed domain, or no active user of the company).',
    tag,
    access: 'public',
    params: Joi.object<{ id: string }>({ id: id.required().description('of the company') }),
    query: Joi.object<{ state?: string }>({ state: Joi.string().max(200) }).unknown(),
    reply: redirect('to the page that was asked for'),
    async handle({ params, query: { state }, req, res }) {
      res.setHeader('Cache-Control', 'no-store');
      const browser = req.headers['x-sso-browser'];
      const secrets = isWellFormed(state) && isWellFormed(browser) ? { state, browser } : null;
      // Each company has an address of its own, so that a provider can hand over no code of another company's provider.
      const flow = secrets && (await flows.consume(secrets, params.id, now()));
      const settings = flow && (await ssoSettings.find(flow.company_id));
      if (!secrets || !flow || settings?.version !== flow.version) return redirectToConsole(res, 'expired');
      const log = { companyId: settings.company_id };
      const reached = await providerOf(deps, settings);
      if (!reached) return redirectToConsole(res, 'unavailable');
      const proofs = { state: secrets.state, ...proofsOf(secrets) };
      const queryText = new URL(req.originalUrl, 'http://callback').search;
      const claims = await provider.claims(reached, proofs, queryText).catch((error: unknown) => {
        // Logs only the code: the error may contain what the provider sent.
        logger.warn('sign-in failed', { ...log, reason: reasonOf(error) });
        return null;
      });
      const from = auditOrigin(req);
      if (!claims) {
        await recordRefusal(deps, { ...log, reason: 'failed', from });
        return redirectToConsole(res, 'failed');
      }
      const origin = { address: forwardedAddress(req), userAgent: req.headers['user-agent'] ?? null };
      const outcome = await signIn(deps, settings, { claims, origin, from });
      if (outcome.kind === 'refused') {
        logger.info('sign-in refused', { ...log, reason: outcome.reason });
        return redirectToConsole(res, 'refused');
      }
      setSessionCookies(res, outcome.token, deps);
      res.setHeader('Location', flow.return_to);
      return respond(302);
    },
  });
}

/**
 * The settings to sign in with: for a known address those of its company, if they allow the domain;
 * for an unknown address those of the only company that allows the domain. So the answer does not
 * reveal whether an address is known, unless several companies allow its domain.
 */
async function settingsFor(deps: SsoSignInDeps, query: StartQuery): Promise<SsoSettings | null> {
  const { users, ssoSettings } = deps;
  const open = (settings: SsoSettings | null) => whileOpen(deps, settings);
  if (query.company !== undefined) return open(await ssoSettings.find(query.company));
  const email = query.email ?? '';
  const [known, allowing] = await Promise.all([users.findForLogin(email), ssoSettings.findByDomain(domainOf(email))]);
  const own = known && (await ssoSettings.find(known.user.company_id));
  if (known) return own?.allowed_domains.includes(domainOf(email)) ? open(own) : null;
  const claimants = (await Promise.all(allowing.map(open))).filter((settings) => settings !== null);
  return claimants.length === 1 ? (claimants[0] as SsoSettings) : null;
}

/** The settings, or null if the company is closed. */
async function whileOpen({ companies }: SsoSignInDeps, settings: SsoSettings | null): Promise<SsoSettings | null> {
  return settings && (await companies.find(settings.company_id))?.closed_at === null ? settings : null;
}

/**
 * The provider with its secret in the clear; null if no key opens it. A secret sealed with an older key is sealed
 * again.
 */
async function providerOf(
  { ssoSettings, secretBox, logger }: SsoSignInDeps,
  settings: SsoSettings,
): Promise<Provider | null> {
  if (!secretBox) return null;
  const { company_id, issuer, client_id, version, sealed_secret: sealed } = settings;
  const context = sealContext(company_id);
  try {
    const secret = secretBox.open(sealed, context);
    if (!secretBox.isSealedWithCurrentKey(sealed))
      await ssoSettings.updateSecret(settings, secretBox.seal(secret, context));
    return { company_id, issuer, client_id, version, secret };
  } catch (error) {
    logger.error('client secret cannot be decrypted', { companyId: company_id, error });
    return null;
  }
}

function reasonOf(error: unknown): string {
  const { name, code, error: given } = error as { name?: unknown; code?: unknown; error?: unknown };
  return [name, code, given]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, 200);
}
