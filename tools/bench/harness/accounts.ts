import { randomBytes } from 'node:crypto';
import type { Caller, CompanyKind } from '@app/contracts';
import { internalTokenSigner } from '@app/http';
import type { Platform } from './platform.ts';

export type Account = {
  caller: Caller /** For the gateway. */;
  apiToken: string /** For a service. */;
  internalToken: string;
};

/** Longer than any bench. */
const internalTokenS = 12 * 3600;

/** Makes a company with an administrator and an API token, by the platform's own APIs. */
export async function makeAccount(platform: Platform, name: string): Promise<Account> {
  const admin = platform.adminToken;
  const company = await post(`${platform.tsApi}/admin/companies`, admin, { name, kind: 'client' });
  const email = `${randomBytes(6).toString('hex')}@bench.example`;
  const password = randomBytes(16).toString('hex');
  const person = { email, first_name: 'Ada', last_name: 'Bench', permissions: ['admin'] };
  const user = await post(`${platform.tsApi}/admin/users`, admin, { ...person, company_id: company['id'], password });
  const session = await post(`${platform.tsApi}/auth/login`, null, { email, password });
  const token = await post(`${platform.tsApi}/api-tokens`, session['token'] as string, { name: 'bench' });
  const caller = callerOf({ companyId: String(company['id']), name, kind: 'client', userId: String(user['id']) });
  return { caller, apiToken: String(token['token']), internalToken: await internalToken(platform, caller) };
}

export function callerOf(given: { companyId: string; name: string; kind: CompanyKind; userId: string }): Caller {
  const { companyId, name, kind, userId } = given;
  const person = { userId, firstName: 'Ada', lastName: 'Bench', email: 'ada@bench.example' };
  return { companyId, companyName: name, companyKind: kind, ...person, permissions: ['admin'], via: 'token' };
}

/** What the gateway would hand to a service for this caller. */
export function internalToken(platform: Platform, caller: Caller): Promise<string> {
  const sign = internalTokenSigner(platform.keys['INTERNAL_TOKEN_PRIVATE_KEY'] as string, internalTokenS);
  return sign({ kind: 'caller', caller });
}

async function post(url: string, token: string | null, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
}
