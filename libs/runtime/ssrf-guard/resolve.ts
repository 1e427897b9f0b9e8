import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** All addresses of a name; rejects if there are none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const queryTimeoutMs = 2_500;
const tries = 3;

/**
 * Resolves by the machine's hosts file and name servers, without `getaddrinfo`: that runs on the few threads of libuv, where slow
 * name servers of one host would delay calls to all others.
 */
export function createResolve(hostsFile = '/etc/hosts'): Resolve {
  return async (hostname, signal) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    const known = hostsEntries(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (known.length > 0) return known;
    // One resolver for each name, since `cancel` ends all queries of a resolver. It reads resolv.conf, so changes take effect.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries });
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return await queried(resolver, name);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** IPv4 and IPv6 addresses; fails only if both lookups fail. */
async function queried(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error(`${name} has no address`);
}

function hostsEntries(text: string, name: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
    .filter(([, ...names]) => names.includes(name))
    .flatMap(([address]) => (address ? [address] : []));
}
