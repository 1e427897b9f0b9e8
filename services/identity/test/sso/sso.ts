import { randomBytes } from 'node:crypto';
import type { Answer, Identity, Login } from '../identity.ts';
import type { TestProvider } from './provider.ts';

export const keys = [{ id: 'first', secret: randomBytes(32) }];
export const sso = { keys, allowNetworks: ['127.0.0.0/8'] };
export const callback = 'https://ts.example/auth/sso/callback';

export const code = ({ status, body }: Answer) => [status, body['code']];
export const locationOf = ({ headers }: Answer) => headers.get('location') ?? '';
export const fieldsAtFault = ({ body }: Answer) =>
  (body['errors'] as unknown as { path: string }[] | undefined)?.map(({ path }) => path);
export const browserOf = ({ headers }: Answer) =>
  /^__Host-sso=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
export const tokenOf = (answer: Answer) => /^session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
export const home = (error: string) => `/console?sso_error=${error}`;

let count = 0;
const aDomain = () => `company-${count++}.example`;

/** Steps of the tests of single sign-on. `of` gives what `beforeAll` has started. */
export function steps(of: () => { identity: Identity; provider: TestProvider }) {
  const as = (login: Login, method: string, path: string, body?: unknown) =>
    of().identity.call(method, path, { as: login.principal, body, headers: { 'x-session-token': login.token } });
  /** A company with an admin who has configured single sign-on for a domain. */
  async function aCompany(given: object = {}) {
    const [domain, companyId] = [aDomain(), await of().identity.company()];
    const user = await of().identity.user(['admin'], companyId);
    const admin = await of().identity.logIn(user.email);
    const settings = {
      ...{ issuer: of().provider.issuer, ...of().provider.client, allowed_domains: [domain] },
      ...{ default_permissions: ['tickets'], password_login: true, ...given },
    };
    const put = (more: object = {}) => as(admin, 'PUT', '/company/sso', { ...settings, ...more });
    const answer = await put();
    if (answer.status !== 200) throw new Error(answer.text);
    return { domain, companyId, admin, user, settings, put, answer };
  }

  const start = (query: string, headers = {}) => of().identity.call('GET', `/auth/sso/start?${query}`, { headers });
  const comeBack = (url: URL, browser: string) =>
    of().identity.call('GET', `/auth/sso/callback${url.search}`, {
      headers: { 'x-sso-browser': browser, 'x-forwarded-for': '192.0.2.9', 'user-agent': 'a browser' },
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

  return { as, aCompany, start, comeBack, signIn };
}
