import { BlockList, isIP } from 'node:net';

/** Which addresses and URLs may be called. */
export type AddressPolicy = ReturnType<typeof createAddressPolicy>;

/** IANA special-purpose IPv4 ranges and multicast, except those that are globally reachable. */
const refusedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's host agent, which is in no special range.
  '168.63.129.16/32',
];

/** Only global unicast IPv6 is allowed: mapped, NAT64, unique local, link local and unallocated addresses are outside. */
const globalIpv6 = ['2000::/3'];

/** IETF protocol assignments with Teredo and ORCHID, documentation, 6to4, documentation. */
const refusedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** The addresses that are public, for firewalls: those of each network but its exceptions. */
export const publicNetworks: readonly { cidr: string; except: readonly string[] }[] = [
  { cidr: '0.0.0.0/0', except: refusedIpv4 },
  ...globalIpv6.map((cidr) => ({ cidr, except: refusedIpv6 })),
];

/** Local and cloud metadata names, with all their subdomains. */
const refusedNames = [
  'localhost',
  'localdomain',
  'localdomain4',
  'localdomain6',
  'local',
  'internal',
  'home.arpa',
  'svc',
  'onion',
  'invalid',
  'metadata.goog',
];

/** Parses a list of CIDRs or single addresses. @throws RangeError that names an invalid one */
function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    const version = isIP(address);
    const widest = version === 4 ? 32 : 128;
    const bits = prefix === undefined ? widest : Number(prefix);
    if (version === 0 || !/^\d{0,3}$/.test(prefix ?? '') || prefix === '' || bits > widest) {
      throw new RangeError(`"${cidr}" is no network such as 10.0.0.0/8 or fd00::/8`);
    }
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * The policy of an installation. Addresses in `allowNetworks` may be called although they are not
 * public; forbidden names stay forbidden.
 * @throws RangeError that names an invalid network
 */
export function createAddressPolicy(allowNetworks: readonly string[] = []) {
  const opened = networks(allowNetworks);
  const ipv4 = networks(refusedIpv4);
  const ipv6Global = networks(globalIpv6);
  const ipv6 = networks(refusedIpv6);

  function refuses(address: string): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return true;
    if (opened.check(address, version === 4 ? 'ipv4' : 'ipv6')) return false;
    if (version === 4) return ipv4.check(address, 'ipv4');
    return !ipv6Global.check(address, 'ipv6') || ipv6.check(address, 'ipv6');
  }

  return {
    /** Whether connecting to the address (text, without brackets) is forbidden. */
    refuses,
    /** Why the URL must not be called; null if it may be, as far as is known without resolving its name. */
    violation: (url: string): string | null => textViolation(url) ?? urlViolation(url, refuses),
  };
}

/** Refuses URLs that other parsers may read differently: a URL must mean the same host to everybody. */
function textViolation(text: string): string | null {
  const hasControl = [...text].some((character) => character < ' ' || character === '\u007f');
  if (hasControl || text.includes('\\')) return 'must not hold control characters or backslashes';
  if (text !== text.trim()) return 'must not begin or end with a space';
  return null;
}

function urlViolation(text: string, refuses: (address: string) => boolean): string | null {
  const url = URL.parse(text);
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text))
    return 'must be a URL such as https://example.com/hooks';
  if (url.protocol !== 'https:') return 'must use https';
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not hold a user name or password';
  if (url.port === '0') return 'must not use port 0';
  return hostViolation(url.hostname, refuses);
}

/** `hostname` comes from the WHATWG parser: IPv4 addresses are dotted, IPv6 addresses in brackets. */
function hostViolation(hostname: string, refuses: (address: string) => boolean): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return refuses(host) ? 'must have a public address' : null;
  // An empty label: `localhost..` is no valid name, but some resolvers accept it.
  if (host.split('.').includes('')) return 'must have a public host name';
  if (!host.includes('.') || refusedNames.some((name) => host === name || host.endsWith(`.${name}`))) {
    return 'must have a public host name';
  }
  return null;
}
