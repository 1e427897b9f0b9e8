import { type PreparedRequest, prepareRequest } from '../harness/load/load.ts';
import { type Account, makeAccount, moreTokens } from '../harness/platform/accounts.ts';
import type { Platform } from '../harness/platform/platform.ts';
import { makeTickets, newTicket, ticketsPath } from '../tickets/ticket-pool.ts';
import type { Caller } from './open-loop/open-loop.ts';

/** A company with tickets, and as many API tokens as are asked for. */
export type Tenant = { account: Account; ids: string[] };

const ticketsEach = 60;
/** What every caller sends in turn: mostly reads, a page, a creation. */
const readsOfTen = 8;

export async function makeTenants(platform: Platform, name: string, howMany: number): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let number = 1; number <= howMany; number += 1) {
    const account = await makeAccount(platform, `${name} ${number}`);
    tenants.push({ account, ids: await makeTickets(platform, account, ticketsEach) });
  }
  return tenants;
}

/** Ten requests; `from` says with which of the company's tickets they begin. */
export function requestsOf({ ids }: Tenant, token: string, from: number): PreparedRequest[] {
  const reads = Array.from({ length: readsOfTen }, (_, n) => {
    const id = ids[(from * readsOfTen + n) % ids.length] as string;
    return prepareRequest({ token, path: `${ticketsPath}/${id}` });
  });
  return [
    ...reads,
    prepareRequest({ token, path: `${ticketsPath}?limit=20` }),
    prepareRequest({ token, method: 'POST', path: ticketsPath, body: newTicket, status: 201 }),
  ];
}

/** Well below the default limit, 600 a minute. */
const goodPerSecond = 2;

/** Callers within their limits, each of a company and an address of its own. */
export function goodCallers(tenants: readonly Tenant[]): Caller[] {
  return tenants.map((tenant, index) => ({
    address: `127.0.9.${index + 1}`,
    perSecond: goodPerSecond,
    requests: requestsOf(tenant, tenant.account.apiToken, index).map(({ text }) => text),
  }));
}

/**
 * A little over the limit of 600 a minute, which therefore refuses them only after 50 s; until then
 * only the limits on concurrent requests do.
 */
const crowdPerSecond = 12;
const crowdAddresses = 20;
/** A company may have 100 tokens. */
const mostTokens = 99;

export type BadCallers = { callers: Caller[]; tokens: number; addresses: number };

/**
 * Half of the load comes from a crowd of tokens that are a little over their limit each, the other
 * half from a few that are far over it: the first tests the limits on concurrent requests, the
 * second the limits per minute.
 */
export async function badCallers(
  platform: Platform,
  { crowd, floods, perSecond }: { crowd: readonly Tenant[]; floods: readonly Tenant[]; perSecond: number },
): Promise<BadCallers> {
  const perTenant = Math.min(mostTokens, Math.ceil(perSecond / 2 / crowdPerSecond / crowd.length));
  const callers: Caller[] = [];
  for (const tenant of crowd) {
    for (const token of await moreTokens(platform, tenant.account, perTenant)) {
      callers.push({
        address: `127.0.7.${(callers.length % crowdAddresses) + 1}`,
        perSecond: perSecond / 2 / (perTenant * crowd.length),
        requests: requestsOf(tenant, token, callers.length).map(({ text }) => text),
      });
    }
  }
  for (const [index, tenant] of floods.entries()) {
    callers.push({
      address: `127.0.8.${index + 1}`,
      perSecond: perSecond / 2 / floods.length,
      requests: requestsOf(tenant, tenant.account.apiToken, index).map(({ text }) => text),
    });
  }
  return { callers, tokens: callers.length, addresses: new Set(callers.map(({ address }) => address)).size };
}
