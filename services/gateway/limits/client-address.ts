/**
 * The address of the client. `trustedProxies` is the number of our own proxies before the gateway: each appends its peer to
 * `X-Forwarded-For`, and only those entries are trusted. With none, the header is ignored, since clients can write anything.
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

/** An IPv4-mapped IPv6 address as IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
