/**
 * The address that a request came from. `trustedProxies` is how many proxies of ours stand before the gateway: each has
 * appended whom it heard from to `X-Forwarded-For`, and only those entries count. With none, what a client writes there is
 * worth nothing.
 */
export function clientAddress(
  socket: string | undefined,
  forwarded: string | undefined,
  trustedProxies: number,
): string {
  const direct = plainAddress(socket ?? 'unknown');
  if (trustedProxies === 0 || !forwarded) return direct;
  const hops = forwarded.split(',').map((hop) => hop.trim());
  const client = hops.at(-trustedProxies) ?? hops[0] ?? '';
  return /^[\da-f.:]{2,45}$/i.test(client) ? plainAddress(client) : direct;
}

/** An IPv4 address that reached an IPv6 socket, as IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** What counts as one address: of IPv6 the first 64 bits, since a single customer has all that follow. */
export function addressForCounting(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
