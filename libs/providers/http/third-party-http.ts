import { Agent } from 'node:https';
import { createAddressPolicy, createResolve, createSafeLookup } from '@app/runtime/ssrf-guard';

/**
 * Calls to addresses outside a provider's API that the provider names, such as its file server. Anybody may be behind them,
 * so the rules of webhook endpoints apply: https, a public host, and a connection to the very IP address that was checked.
 */
export type ThirdPartyHttp = ReturnType<typeof createThirdPartyHttp>;

const lookupTimeoutMs = 10_000;
const idleConnectionMs = 4_000;

/** By default every public host is allowed, and no other. */
export function createThirdPartyHttp({ policy = createAddressPolicy(), resolve = createResolve() } = {}) {
  const lookup = createSafeLookup({ policy, resolve, timeoutMs: lookupTimeoutMs });
  return {
    /** Checks the URL itself, before any DNS lookup. */
    isAllowed: (url: string): boolean => policy.violation(url) === null,
    /** Fails with code `address_refused` if the host name resolves to an address that is not public. */
    agent: new Agent({ keepAlive: true, timeout: idleConnectionMs, lookup }),
  };
}
