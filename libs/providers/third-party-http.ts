import { Agent } from 'node:https';
import { createAddressPolicy, createResolve, createSafeLookup } from '@app/ssrf-guard';

/**
 * What lies outside the API of a provider but is named by it, such as the server of its files. Anybody may stand behind such
 * an address, so it is held to the rules of webhooks: https, a public host, a connection to the address that was checked.
 */
export type ThirdPartyHttp = {
  /** False where the URL itself is refused already, before a name is looked up. */
  isAllowed(url: string): boolean;
  /** Its connections fail with `address_refused` where a name leads to an address that is not public. */
  agent: Agent;
};

const lookupTimeoutMs = 10_000;
const idleConnectionMs = 4_000;

export function createThirdPartyHttp({
  policy = createAddressPolicy(),
  resolve = createResolve(),
} = {}): ThirdPartyHttp {
  const lookup = createSafeLookup({ policy, resolve, timeoutMs: lookupTimeoutMs });
  return {
    isAllowed: (url) => policy.violation(url) === null,
    agent: new Agent({ keepAlive: true, timeout: idleConnectionMs, lookup }),
  };
}
