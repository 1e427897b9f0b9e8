import { randomBytes } from 'node:crypto';
import type { Answer, Call, Identity } from '../identity.ts';
import type { TestProvider } from './provider.ts';

export const keys = [{ id: 'first', secret: randomBytes(32) }];
export const sso = { keys, allowNetworks: ['127.0.0.0/8'] };
export const callbackOf = (companyId: string) => `https://ts.example/auth/sso/callback/${companyId}`;

/** Where a browser goes on: by a redirect, or by the page that started the sign-in. */
export const locationOf = ({ headers, body }: Answer) => headers.get('location') ?? String(body['url'] ?? '');
export const unavailable = [404, 'sso_unavailable'];
export const browserOf = ({ headers }: Answer) =>
  /^__Host-sso=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
export const tokenOf = (answer: Answer) =>
  /^__Host-session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
export const home = (error: string) => `/console?sso_error=${error}`;

let count = 0;
const aDomain = () => `company-${count++}.example`;

/** Steps of the tests of single sign-on. `of` gives what `beforeAll` has started. */
export function steps(of: () => { identity: Identity; provider: TestProvider }) {
  const as: Identity['as'] = (...given) => of().identity.as(...given);
  /** A company with an admin who has configured single sign-on for a domain. */
  async function aCompany(given: object = {}) {
    const [domain, admin] = [aDomain(), await of().identity.admin()];
    const { companyId } = admin;
    const settings = {
      issuer: of().provider.issuer,
      ...of().provider.client,
      allowed_domains: [domain],
      default_permissions: ['tickets'],
      password_login: true,
      ...given,
    };
    const put = (more: object = {}) => as(admin, 'PUT', '/company/sso', { ...settings, ...more });
    const grant = (granted: string[]) =>
      of().identity.byPlatform('PUT', `/admin/companies/${companyId}/domains`, { granted });
    await grant(settings.allowed_domains);
    const answer = await put();
    if (answer.status !== 200) throw new Error(answer.text);
    return { domain, companyId, admin, settings, put, grant, answer };
  }

  const start = (query: string, call: Call = of().identity.call) =>
    call('POST', '/auth/sso/start', { body: Object.fromEntries(new URLSearchParams(query)) });
  const comeBack = (url: URL, browser: string, headers = {}) =>
    of().identity.call('GET', `${url.pathname}${url.search}`, {
      headers: { 'x-sso-browser': browser, 'x-forwarded-for': '192.0.2.9', 'user-agent': 'a browser', ...headers },
    });

  /** A complete sign-in, as a browser does it. */
  async function signIn(email: string, claims: object = {}, query = ''): Promise<Answer> {
    await of().provider.account(email.toLowerCase(), {
      email,
      email_verified: true,
      given_name: 'Zoé',
      family_name: 'Petit',
      ...claims,
    });
    const started = await start(`email=${encodeURIComponent(email)}${query}`);
    if (!locationOf(started).startsWith(of().provider.issuer)) return started;
    return comeBack(await of().provider.visit(locationOf(started)), browserOf(started));
  }

  /** Somebody of a company, of whom the provider is convinced. */
  async function onItsWay() {
    const { domain, ...company } = await aCompany();
    const email = `walker@${domain}`;
    await of().provider.account(email, { email, email_verified: true });
    const started = await start(`email=${email}`);
    const back = await of().provider.visit(locationOf(started));
    return { ...company, domain, email, browser: browserOf(started), back };
  }

  /** A sign-in in which the provider of a company claims to know somebody of that address. */
  async function claim(companyId: string, email: string): Promise<Answer> {
    await of().provider.account('mallory', { email, email_verified: true });
    const started = await start(`company=${companyId}`);
    const url = new URL(locationOf(started));
    url.searchParams.set('login_hint', 'mallory');
    return comeBack(await of().provider.visit(url.href), browserOf(started));
  }

  return { as, aCompany, start, comeBack, signIn, onItsWay, claim };
}
