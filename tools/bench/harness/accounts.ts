import { randomBytes } from 'node:crypto';
import type { Caller, CompanyKind } from '@app/contracts';
import { internalTokenSigner } from '@app/http';
import type { Platform } from './bench.ts';

export type Account = {
  caller: Caller;
  /** For the gateway. */
  apiToken: string;
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
  const token = await postJson(`${platform.tsApi}/api-tokens`, { name: 'bench' }, bearer(String(session['token'])));
  const caller = callerOf({ companyId: String(company['id']), name, kind: 'client', userId: String(user['id']) });
  return {
    caller,
    apiToken: String(token['token']),
    internalToken: await internalToken(platform, caller),
  };
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

/** Posts JSON. @returns the response's JSON, empty for an empty response @throws Error for any status but 2xx */
export async function postJson(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
