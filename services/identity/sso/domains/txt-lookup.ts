import { Resolver } from 'node:dns/promises';

/** The texts of the TXT records of a name, none if it has none. Rejects if DNS does not answer. */
export type LookUpTxt = (name: string) => Promise<string[]>;

/** `servers`: addresses of DNS servers, with their port if it is not 53; none: those of the system. */
export function createTxtLookup(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    // A new one each time, so that changes of resolv.conf count.
    const resolver = new Resolver({ timeout: 1_500, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes(String((error as { code?: unknown }).code))) return [];
      throw error;
    }
  };
}
