import { isIPv6 } from 'node:net';

type Request = { headers: NodeJS.Dict<string | string[]>; socket: { remoteAddress?: string | undefined } };

/** The client's address, in a service behind the gateway. */
export function forwardedAddress({ headers, socket }: Request): string {
  return lastForwarded(headers) || (socket.remoteAddress ?? 'unknown');
}

/** The last entry of `X-Forwarded-For`, which the gateway appends; empty without the header. */
export function lastForwarded(headers: Request['headers']): string {
  const all = String(headers['x-forwarded-for'] ?? '');
  return all.slice(all.lastIndexOf(',') + 1).trim();
}

/**
 * The network that limits count as one client: the /64 of an IPv6 address, since every customer gets at least that;
 * an IPv4 address as it is.
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.toLowerCase().split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
