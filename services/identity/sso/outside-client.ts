import { type AddressPolicy, createSafeLookup, type Resolve } from '@app/runtime/ssrf-guard';
import type { CustomFetch } from 'openid-client';
import { Agent } from 'undici';

type Options = { policy: AddressPolicy; resolve: Resolve; timeoutMs?: number };

const maxBytes = 256 * 1024;

/**
 * A `fetch` for URLs that customers entered: only to public addresses, checked when connecting, over https, without
 * redirects, with a limit on size and on time from DNS to the last byte.
 */
export function createOutsideFetch({ policy, resolve, timeoutMs = 5_000 }: Options): CustomFetch {
  const agent = new Agent({
    connections: 8,
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    maxResponseSize: maxBytes,
    connect: { timeout: timeoutMs, lookup: createSafeLookup({ policy, resolve, timeoutMs }) },
  });
  return async (url, { method, headers, body }) => {
    const violation = policy.violation(url);
    if (violation !== null) throw new Error(`the address ${violation}`);
    const response = await agent.request({
      ...pathOf(new URL(url)),
      method: method as 'GET',
      headers,
      body: body instanceof URLSearchParams ? String(body) : ((body ?? null) as string | Uint8Array | null),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const received = await response.body.bytes();
    const given = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    const hasBody = response.statusCode !== 204 && response.statusCode !== 304;
    return new Response(hasBody ? received : null, { status: response.statusCode, headers: given });
  };
}

function pathOf({ origin, pathname, search }: URL) {
  return { origin, path: `${pathname}${search}` };
}
