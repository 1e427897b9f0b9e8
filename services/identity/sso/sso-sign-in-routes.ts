import { answer, auditOrigin, forwardedAddress, id, named, type Route, respond, route } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger, SecretBox } from '@app/runtime';
import Joi from 'joi';
import { isWellFormed, randomSecret } from '../random-secret.ts';
import { setSessionCookie } from '../sessions/session-cookie.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DomainProofStore } from './domains/domain-proof-store.ts';
import type { Provider, ProviderClient } from './provider-client.ts';
import { recordRefusal, type SignInDeps, signIn } from './sign-in.ts';
import { flowLifetimeMs, proofsOf, startFlow } from './sso-flow.ts';
import type { SsoFlowStore } from './sso-flow-store.ts';
import { domainOf, isLocalPath, type SsoSettings, sealContext } from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

type SsoSignInDeps = Omit<SignInDeps, 'users' | 'sessions' | 'ssoSettings'> & {
  users: UserStore;
  sessions: SignInDeps['sessions'] & Pick<SessionStore, 'find'>;
  domainProofs: Pick<DomainProofStore, 'companiesOf'>;
  ssoSettings: SsoSettingsStore;
  flows: SsoFlowStore;
  provider: ProviderClient;
  secretBox: SecretBox | null;
  /** False only if the second API is served over plain http. */
  secureCookie: boolean;
  logger: Logger;
};

/** Why a browser returns without a session: the value of `sso_error`. */
type SignInError = 'unavailable' | 'expired' | 'failed' | 'refused' | 'another_user';

const base = { host: 'ts', tag: 'Single sign-on', access: 'public' } as const;
const home = '/console';

type Start = { email?: string; company?: string; return_to: string };
const startFields = {
  email: Joi.string()
    .max(254)
    .custom((email: string) => email.toLowerCase())
    .description('of the user: the company follows from its domain'),
  company: id.description('the company, instead of the e-mail address'),
  return_to: Joi.string()
    .max(500)
    .custom((path: string, helpers) =>
      isLocalPath(path) ? path : helpers.message({ custom: '{{#label}} must be a path of this host' }),
    )
    .default(home)
    .description('the page to come back to, `/console` by default'),
};
const start = Joi.object<Start>(startFields).xor('email', 'company');

const started = named('SignInStart', {
  company: answer({ id, name: Joi.string() }).description('that the user signs in to'),
  provider: Joi.string().description('the host that the browser goes to'),
  url: Joi.string().uri().description('where it goes'),
});

const redirect = (what: string) => ({
  status: 302,
  description: what,
  headers: { Location: 'where the browser goes on' },
});

export function ssoSignInRoutes(deps: SsoSignInDeps): Route[] {
  return [askRoute(), startRoute(deps), callbackRoute(deps)];
}

/** For links, also of other sites: nothing happens before the user has seen where they lead. */
function askRoute(): Route {
  return route({
    ...base,
    method: 'get',
    path: '/auth/sso/start',
    summary: 'Sign in at the provider of your company, by a link',
    description:
      'For browsers: leads to the page of the console that names company and provider, and asks whether to go there.',
    query: start,
    reply: redirect('to the console'),
    async handle({ query, res }) {
      res.setHeader('Location', `${home}/login/company?${new URLSearchParams(query)}`);
      return respond(302);
    },
  });
}

function startRoute(deps: SsoSignInDeps): Route {
  const { flows, provider, secureCookie, logger, now } = deps;
  return route({
    ...base,
    method: 'post',
    path: '/auth/sso/start',
    summary: 'Start a sign-in at the provider of your company',
    description:
      'For pages of this host: pages of other sites cannot call it. Go to `url` once the user knows company and provider. 404 ' +
      '`sso_unavailable`: there is no single sign-on for the address, its domain is not proven, or the provider does not answer.',
    errors: ['404 sso_unavailable'],
    body: start,
    reply: { status: 200, schema: started },
    async handle({ body, req, res }) {
      res.setHeader('Cache-Control', 'no-store');
      const settings = await settingsFor(deps, body);
      const reached = settings && (await providerOf(deps, settings));
      const company = settings && (await deps.companies.find(settings.company_id));
      if (!settings || !reached || !company) throw unavailable();
      // The same secret for sign-ins in several tabs of a browser: each of them may return.
      const known = req.headers['x-sso-browser'];
      const secrets = { browser: isWellFormed(known) ? known : randomSecret(), state: randomSecret() };
      const proofs = { state: secrets.state, ...proofsOf(secrets) };
      const url = await provider.authorizationUrl(reached, proofs, body.email ?? null).catch((error: unknown) => {
        logger.warn('OpenID Connect provider does not respond', { companyId: settings.company_id, error });
        throw unavailable();
      });
      await flows.add(startFlow(secrets, { ...settings, return_to: body.return_to }, now()));
      const name = secureCookie ? '__Host-sso' : 'sso';
      const cookie = { httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookie } as const;
      res.cookie(name, secrets.browser, { ...cookie, maxAge: flowLifetimeMs });
      return { company: { id: company.id, name: company.name }, provider: url.host, url: url.href };
    },
  });
}

function unavailable(): AppError {
  return new AppError('not_found', 'sso_unavailable', 'there is no single sign-on, or its provider does not answer');
}

type Browser = { setHeader(name: string, value: string): unknown };

function redirectToConsole(res: Browser, error: SignInError) {
  res.setHeader('Location', `${home}?sso_error=${error}`);
  return respond(302);
}

function callbackRoute(deps: SsoSignInDeps): Route {
  const { flows, ssoSettings, provider, logger, now } = deps;
  return route({
    ...base,
    method: 'get',
    path: '/auth/sso/callback/:id',
    summary: 'Come back from the provider',
    description:
      'For browsers, whom the provider sends here. Sets the cookies of `POST /auth/login`. Without a session the browser goes to `/console` ' +
      'with `sso_error`: `expired` (more than 10 minutes, another browser or company, or twice), `failed` (what the provider says does not hold), ' +
      '`refused` (no verified e-mail address of a proven domain, or no active user of the company), `another_user` (whose session the ' +
      'browser has, and keeps).',
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
      const signedIn = await signedInUser(deps, req);
      const outcome = await signIn(deps, settings, { claims, origin, from, signedIn });
      if (outcome.kind === 'refused') {
        logger.info('sign-in refused', { ...log, reason: outcome.reason });
        return redirectToConsole(res, outcome.reason === 'another_user_signed_in' ? 'another_user' : 'refused');
      }
      setSessionCookie(res, outcome.token, deps);
      res.setHeader('Location', flow.return_to);
      return respond(302);
    },
  });
}

type Request = { headers: NodeJS.Dict<string | string[]> };

/** The user whose session the browser has: nobody is signed out by a sign-in as somebody else. */
async function signedInUser({ sessions, now }: SsoSignInDeps, { headers }: Request): Promise<string | null> {
  const token = headers['x-session-token'];
  return typeof token === 'string' ? ((await sessions.find(token, now()))?.user_id ?? null) : null;
}

/**
 * The settings to sign in with. An address leads to the company that has proven its domain, known or not, so that the
 * answer does not tell who is known; to none if there are several.
 */
async function settingsFor(deps: SsoSignInDeps, { company, email = '' }: Start): Promise<SsoSettings | null> {
  const { ssoSettings, domainProofs, domains } = deps;
  if (company !== undefined) return whileOpen(deps, await ssoSettings.find(company));
  const domain = domainOf(email);
  const speaking = (await domainProofs.companiesOf(domain)).map(async (companyId) => {
    const settings = await whileOpen(deps, await ssoSettings.find(companyId));
    if (!settings?.allowed_domains.includes(domain)) return [];
    return (await domains.speaksFor(companyId, domain)) ? [settings] : [];
  });
  const [only, ...others] = (await Promise.all(speaking)).flat();
  return only && others.length === 0 ? only : null;
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
