import { randomBytes } from 'node:crypto';
import type { Caller, CompanyKind } from '@app/contracts';
import { internalTokenSigner } from '@app/http';
import type { Platform } from './platform.ts';
import { bearer, postJson } from './post-json.ts';

export type Account = {
  caller: Caller;
  /** For the gateway. */
  apiToken: string;
  /** A session, for the second API. */
  session: string;
  /** For a service. */
  internalToken: string;
};

/** Longer than any bench. */
const internalTokenS = 12 * 3600;

/** Makes a company with an administrator and an API token, by the platform's own APIs. */
export async function makeAccount(platform: Platform, name: string): Promise<Account> {
  const admin = bearer(platform.adminToken);
  const company = await postJson(`${platform.tsApi}/admin/companies`, { name, kind: 'client' }, admin);
  const email = `${randomBytes(6).toString('hex')}@bench.example`;
  const password = randomBytes(16).toString('hex');
  const person = { email, first_name: 'Ada', last_name: 'Bench', permissions: ['admin'] };
  const user = await postJson(
    `${platform.tsApi}/admin/users`,
    { ...person, company_id: company['id'], password },
    admin,
  );
  const session = await postJson(`${platform.tsApi}/auth/login`, { email, password });
  const token = await newToken(platform, String(session['token']));
  const caller = callerOf({ companyId: String(company['id']), name, kind: 'client', userId: String(user['id']) });
  return {
    caller,
    apiToken: token,
    session: String(session['token']),
    internalToken: await internalToken(platform, caller),
  };
}

/** More API tokens of the same company: to the platform each is a caller of its own. */
export async function moreTokens(platform: Platform, { session }: Account, howMany: number): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < howMany) tokens.push(await newToken(platform, session));
  return tokens;
}

async function newToken(platform: Platform, session: string): Promise<string> {
  const made = await postJson(`${platform.tsApi}/api-tokens`, { name: 'bench' }, bearer(session));
  return String(made['token']);
}

export function callerOf(given: { companyId: string; name: string; kind: CompanyKind; userId: string }): Caller {
  const { companyId, name, kind, userId } = given;
  const person = { userId, firstName: 'Ada', lastName: 'Bench', email: 'ada@bench.example' };
  return { companyId, companyName: name, companyKind: kind, ...person, permissions: ['admin'], via: 'token' };
}

/** What the gateway would hand to a service for this caller. */
export function internalToken(platform: Platform, caller: Caller): Promise<string> {
  const sign = internalTokenSigner(platform.keys['INTERNAL_TOKEN_PRIVATE_KEY'] as string, internalTokenS);
  return sign({ kind: 'caller', caller }, [
    'ticket',
    'purchase',
    'webhook-dispatcher',
    'connection',
    'invoice-reconciliation',
    'identity',
  ]);
}
