import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import type { Resolve } from './resolve.ts';

/** The `code` of the error for a name that must not be called, or has no address. */
type LookupFault = 'address_refused' | 'dns_failed';

class LookupError extends Error {
  readonly code: LookupFault;

  constructor(code: LookupFault, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

type Options = { policy: AddressPolicy; resolve: Resolve; timeoutMs: number };

/**
 * A `lookup` function for connections that returns only checked addresses, and fails if any address of the name is forbidden. Node
 * does not call it for literal addresses: check those with the policy's `violation` before each request.
 */
export function createSafeLookup({ policy, resolve, timeoutMs }: Options): LookupFunction {
  async function checked(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(hostname, AbortSignal.timeout(timeoutMs)).catch((cause) => {
      throw new LookupError('dns_failed', { cause });
    });
    if (addresses.length === 0) throw new LookupError('dns_failed');
    if (addresses.some((address) => policy.refuses(address))) throw new LookupError('address_refused');
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }

  return (hostname, options, callback) => {
    checked(hostname).then(
      (found) => (options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => callback(error, []),
    );
  };
}
