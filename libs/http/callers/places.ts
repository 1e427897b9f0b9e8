import type { Caller } from '@app/contracts';
import { LRUCache } from 'lru-cache';
import type { VerifyToken } from './internal-token.ts';

/** The places of a limited caller with all below them, as far as they are its company's. `token`: of the caller. */
export type PlacesBelow = (caller: Caller & { placeIds: string[] }, token: string) => Promise<string[]>;

/** With the cache of the gateway, a moved place counts within 5 s, as a changed limit does. */
const keptMs = 2_000;
const maxLimits = 1_000;

/**
 * Verifies tokens as `verify` does; `placeIds` of a limited caller then also has the places below those of the token, so that
 * every query can compare them with the places of a thing.
 */
export function withPlacesBelow(verify: VerifyToken, below: PlacesBelow): VerifyToken {
  const known = new LRUCache<string, Promise<string[]>>({ max: maxLimits, ttl: keptMs });

  return async (token) => {
    const principal = await verify(token);
    if (principal.kind !== 'caller' || !principal.caller.placeIds) return principal;
    const { caller } = principal;
    const limited = { ...caller, placeIds: principal.caller.placeIds };
    const key = `${caller.companyId} ${limited.placeIds.join()}`;
    const found = known.get(key) ?? below(limited, token);
    known.set(key, found, { noUpdateTTL: true });
    found.catch(() => known.delete(key));
    return { kind: 'caller', caller: { ...caller, placeIds: await found } };
  };
}
